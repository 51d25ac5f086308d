// Rooms that look at the machine: program files, living processes, checks, environment list, file names,
// NVML.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "injector/empty_profile.h"
#include "injector/environment_list.h"
#include "injector/host_facts.h"
#include "injector/preflight.h"
#include "injector/program_file.h"
#include "injector/recorder/nvml_sampler.h"
#include "injector/recorder/process_alive.h"
#include "injector/session_files.h"
#include "tests/support/temp_dir.h"

namespace perfscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(FindProgram, AsExecvpDoes) {
  const test::TempDir dir;
  fs::create_directories(dir.file("a/tool"));  // a folder of that name is passed over
  fs::create_directories(dir.file("b"));
  std::ofstream(dir.file("b/tool")) << "x";
  EXPECT_EQ(findProgram("tool", dir.file("a") + ":" + dir.file("b")).error().reason, "is not executable");
  fs::permissions(dir.file("b/tool"), fs::perms::owner_all);
  EXPECT_EQ(findProgram("tool", dir.file("a") + ":" + dir.file("b")).value(), dir.file("b/tool"));
  EXPECT_EQ(findProgram(dir.file("b/tool"), "").value(), dir.file("b/tool"));
  EXPECT_EQ(findProgram("tool", "/usr/bin").error().kind, ErrorKind::InputMissing);
  EXPECT_THAT(findProgram(dir.file("a/tool"), "").error().reason, HasSubstr("folder"));
  EXPECT_EQ(findProgram("", "/bin").error().kind, ErrorKind::Usage);
}

std::vector<unsigned char> elf(std::vector<uint32_t> segment_types, uint16_t type = ET_EXEC) {
  std::vector<unsigned char> bytes(sizeof(Elf64_Ehdr) + segment_types.size() * sizeof(Elf64_Phdr));
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = type;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<uint16_t>(segment_types.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  for (size_t i = 0; i < segment_types.size(); ++i) {
    Elf64_Phdr segment{};
    segment.p_type = segment_types[i];
    std::memcpy(bytes.data() + sizeof header + i * sizeof segment, &segment, sizeof segment);
  }
  return bytes;
}

TEST(StaticElf, ByItsSegments) {
  EXPECT_TRUE(isStaticElf(elf({PT_LOAD, PT_NOTE})));
  EXPECT_FALSE(isStaticElf(elf({PT_PHDR, PT_INTERP, PT_LOAD, PT_DYNAMIC})));
  EXPECT_TRUE(isStaticElf(elf({PT_LOAD, PT_DYNAMIC}, ET_DYN)));  // static-pie
  EXPECT_FALSE(isStaticElf(elf({PT_LOAD}, ET_REL)));
  EXPECT_FALSE(isStaticElf(elf({})));
}

TEST(StaticElf, OddBytes) {
  const std::string script = "#!/bin/sh\n";
  EXPECT_FALSE(isStaticElf({reinterpret_cast<const unsigned char*>(script.data()), script.size()}));
  auto bytes = elf({PT_LOAD, PT_LOAD});
  for (size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(isStaticElf({bytes.data(), length}));
  Elf64_Off far = ~0ULL - 8;
  std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_phoff), &far, sizeof far);
  EXPECT_FALSE(isStaticElf(bytes));
}

TEST(ProgramTraitsOf, TheShellIsDynamicAndSetuidIsSeen) {
  EXPECT_FALSE(programTraits("/bin/sh").statically_linked);
  EXPECT_FALSE(programTraits("/no/such").set_id);
  const test::TempDir dir;
  std::ofstream(dir.file("p")) << "x";
  ASSERT_EQ(::chmod(dir.file("p").c_str(), 04755), 0);
  EXPECT_TRUE(programTraits(dir.file("p")).set_id);
}

// proc(5): pid (comm) state ppid ... field 22 starttime; a name may hold anything.
std::string statLine(const std::string& state, uint64_t ticks) {
  std::string line = "12 (a) b) ) " + state;
  for (int field = 4; field <= 21; ++field) line += " 0";
  return line + " " + std::to_string(ticks) + " 0 0";
}

TEST(Alive, FromTheStatLine) {
  constexpr uint64_t kBoot = 1'000'000'000'000;
  // Started 50 s after the boot.
  EXPECT_TRUE(isAliveByStat(statLine("S", 5000), kBoot, 100, kBoot + 60'000'000'000));
  EXPECT_TRUE(isAliveByStat(statLine("R", 5000), kBoot, 100, kBoot + 49'000'000'000));  // within the slack
  EXPECT_FALSE(
      isAliveByStat(statLine("S", 5000), kBoot, 100, kBoot + 40'000'000'000));  // the number is reused
  EXPECT_FALSE(isAliveByStat(statLine("Z", 5000), kBoot, 100, kBoot + 60'000'000'000));
  EXPECT_TRUE(isAliveByStat("nonsense", kBoot, 100, 1));
  EXPECT_TRUE(isAliveByStat("", kBoot, 100, 1));
}

TEST(Alive, RealProcesses) {
  const auto now = static_cast<uint64_t>(realtimeNowNs());
  EXPECT_TRUE(isProcessAlive(static_cast<uint32_t>(::getpid()), now));
  EXPECT_FALSE(
      isProcessAlive(static_cast<uint32_t>(::getpid()), 1'000'000'000));  // this number, but not then
  EXPECT_FALSE(isProcessAlive(99999999, now));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::usleep(100000);
  EXPECT_FALSE(isProcessAlive(static_cast<uint32_t>(child), now));  // a zombie
  ::waitpid(child, nullptr, 0);
}

TEST(EnvironmentList, OnlyAllowedNames) {
  EXPECT_TRUE(isStoredVariable("RANK"));
  EXPECT_TRUE(isStoredVariable("NCCL_ALGO"));
  EXPECT_FALSE(isStoredVariable("RANKX"));
  EXPECT_FALSE(isStoredVariable("AWS_SECRET_ACCESS_KEY"));
  EXPECT_FALSE(isStoredVariable("HF_TOKEN"));
  EXPECT_FALSE(isStoredVariable("PATH"));
  EXPECT_FALSE(isStoredVariable(""));
  EXPECT_EQ(storedEnvironment("A=1\x1fRANK=0\x1f\x1fno_equals\x1fWORLD_SIZE=2"), "RANK=0\nWORLD_SIZE=2");
  EXPECT_EQ(storedEnvironment(""), "");
}

const Check* find(const std::vector<Check>& checks, const std::string& id) {
  for (const auto& check : checks) {
    if (check.id == id) return &check;
  }
  return nullptr;
}

TEST(Preflight, EachCheckExplainsItselfAndEachProblemHasARemedy) {
  const auto checks = preflight({{"sh"}, ".", ""});
  for (const char* const id : {"program", "collector", "driver", "devices", "cupti", "counter_permission",
                               "environment", "output", "clock"}) {
    ASSERT_NE(find(checks, id), nullptr) << id;
  }
  for (const auto& check : checks) {
    EXPECT_FALSE(check.title.empty()) << check.id;
    EXPECT_FALSE(check.found.empty()) << check.id;
    const bool problem = check.status == CheckStatus::Warning || check.status == CheckStatus::Fatal;
    EXPECT_FALSE(problem && check.remedy.empty()) << check.id;
  }
  EXPECT_EQ(preflight({{}, ".", ""}).size() + 1, checks.size());
}

TEST(Preflight, ProgramAndOutputProblemsAreFatal) {
  const auto checks = preflight({{"no-such-program-here"}, "/no/such/folder", "/no/such.so"});
  EXPECT_EQ(find(checks, "program")->status, CheckStatus::Fatal);
  EXPECT_EQ(find(checks, "output")->status, CheckStatus::Fatal);
  EXPECT_EQ(find(checks, "collector")->status, CheckStatus::Fatal);
}

TEST(Preflight, CollidingEnvironmentIsNamed) {
  ::setenv("NVTX_INJECTION64_PATH", "/x/libcupti.so", 1);
  const auto checks = preflight({{}, ".", ""});
  ::unsetenv("NVTX_INJECTION64_PATH");
  EXPECT_EQ(find(checks, "environment")->status, CheckStatus::Warning);
  EXPECT_THAT(find(checks, "environment")->found, HasSubstr("/x/libcupti.so"));
}

TEST(Preflight, TheCollectorIsFoundByItsVariable) {
  const test::TempDir dir;
  std::ofstream(dir.file("libperfscope_collector.so")) << "x";
  ::setenv("PERFSCOPE_COLLECTOR", dir.file("libperfscope_collector.so").c_str(), 1);
  EXPECT_EQ(findCollectorLibrary(""), fs::canonical(dir.file("libperfscope_collector.so")).string());
  ::unsetenv("PERFSCOPE_COLLECTOR");
  EXPECT_EQ(findCollectorLibrary(dir.file("none.so")), "");
}

TEST(EmptyProfile, EachReasonHasItsSentence) {
  EmptyEvidence e;
  EXPECT_THAT(whyEmpty(e), HasSubstr("no NVIDIA driver"));
  e.driver_found = true;
  EXPECT_THAT(whyEmpty(e), HasSubstr("no process of the target initialised CUDA"));
  e.statically_linked = true;
  EXPECT_THAT(whyEmpty(e), HasSubstr("statically linked"));
  e.processes = 1;
  EXPECT_THAT(whyEmpty(e), HasSubstr("launched no kernel"));
  e.windows_configured = true;
  EXPECT_THAT(whyEmpty(e), HasSubstr("--steps"));
  e.losses = 4;
  EXPECT_THAT(whyEmpty(e), HasSubstr("lost"));
  e.collector_errors = {"another tool holds CUPTI"};
  EXPECT_THAT(whyEmpty(e), HasSubstr("another tool holds CUPTI"));
}

TEST(SessionFiles, Names) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  EXPECT_EQ(defaultOutputName("/opt/bin/train", 1'700'000'000'000'000'000),
            "train-20231114-221320.perfscope");
  EXPECT_EQ(recoveredName("/a/x.perfscope.session"), "/a/x.perfscope");
  EXPECT_EQ(recoveredName("/a/x.perfscope.session/"), "/a/x.perfscope");
  EXPECT_EQ(recoveredName("folder"), "folder.perfscope");
}

TEST(SessionFiles, FactsRoundTrip) {
  const test::TempDir dir;
  RecorderOptions options;
  options.session_dir = dir.path().string();
  options.time_base_ns = 123456789;
  options.store_arguments = false;
  options.windows_configured = true;
  options.meta = {{"label.a b", "line one\nline two \\n"}};
  writeSessionFacts(options);
  const auto back = readSessionFacts(dir.path().string());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->time_base_ns, 123456789);
  EXPECT_FALSE(back->store_arguments);
  EXPECT_TRUE(back->windows_configured);
  EXPECT_EQ(back->meta.size(), 1u);
}

TEST(SessionFiles, LeftOverSessionIsNotThrownAway) {
  const test::TempDir dir;
  fs::create_directory(dir.file("x.perfscope.session"));
  const auto refused = prepareSession(dir.file("x.perfscope"), "p", false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().remedy, HasSubstr("perfscope recover"));
  EXPECT_TRUE(prepareSession(dir.file("x.perfscope"), "p", true));
}

TEST(HostFactsOf, ThisMachine) {
  const HostFacts facts = readHostFacts();
  EXPECT_FALSE(facts.name.empty());
  EXPECT_GE(facts.cpu_count.value_or(0), 1);
  EXPECT_GT(facts.memory_bytes.value_or(0), 0);
}

TEST(Nvml, OffSaysSo) {
  std::string why;
  EXPECT_EQ(NvmlSampler::start(0, why), nullptr);
  EXPECT_EQ(why, "switched off");
}

}  // namespace
}  // namespace perfscope
