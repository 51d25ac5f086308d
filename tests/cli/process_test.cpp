// The executable itself: its streams, pipes and exit status. Skipped where it was not built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace perfscope::cli {
namespace {

using testing::HasSubstr;

struct Outcome {
  int code = 0;
  std::string out;  // stdout; stderr as well where the command redirects it
};

Outcome shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  for (size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    outcome.out.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

class Process : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(m_program)) GTEST_SKIP() << m_program << " was not built";
  }
  const std::string m_program = std::string(PERFSCOPE_BINARY_DIR) + "/bin/perfscope";
};

TEST_F(Process, ReportsGoToStdoutAndErrorsToStderr) {
  EXPECT_EQ(shell(m_program + " nonsense 2>/dev/null").out, "");
  EXPECT_THAT(shell(m_program + " nonsense 2>&1").out, HasSubstr("unknown verb"));
  EXPECT_EQ(shell(m_program + " nonsense 2>/dev/null").code, 2);
  EXPECT_THAT(shell(m_program + " schema report 2>/dev/null").out, HasSubstr("$schema"));
}

TEST_F(Process, AReaderThatGoesAwayIsNoError) {
  const auto piped =
      shell("(" + m_program + " schema tables 2>&1; " + m_program + " hardware list) 2>&1 | head -n 1");
  EXPECT_EQ(std::count(piped.out.begin(), piped.out.end(), '\n'), 1);
  // With SIGPIPE ignored by the parent, the write fails with EPIPE instead. The pause lets the reader end
  // first.
  const auto ignored =
      shell("{ (trap '' PIPE; sleep 0.3; " + m_program + " schema tables; echo $? >&2) | true; } 2>&1");
  EXPECT_EQ(ignored.out, "0\n");
}

// Every verb that prints, and a closed output as well as a full one.
TEST_F(Process, AFullDiskIsOutputErrorOfEveryVerb) {
  const test::TempDir dir;
  test::TraceBuilder builder;
  builder.kernel({.name = "alpha", .start_ns = 10'000, .duration_ns = 30'000, .launch_ns = 1'000});
  const std::string profile = builder.write();
  for (const std::string& words :
       {std::string("schema tables"), std::string("schema"), std::string("hardware list"),
        std::string("hardware match NVIDIA H200"), std::string("calc"), std::string("calc ridge gpu=H200"),
        std::string("doctor"), std::string("doctor --json"), std::string("completions bash"),
        std::string("--help"), std::string("--version"), std::string("query --help"), "report " + profile,
        "report --format json " + profile, "report --format csv " + profile,
        "query " + profile + " 'select 1'", "query --format json " + profile + " 'select 1'"}) {
    for (const char* target : {">/dev/full", ">&-"}) {
      const auto full = shell("{ " + m_program + " " + words + " " + target + "; } 2>&1; echo $?");
      EXPECT_THAT(full.out, testing::EndsWith("\n73\n")) << words << target;
      EXPECT_THAT(full.out, HasSubstr("error: standard output: not all of the output could be written"))
          << words << target;
    }
  }
}

TEST_F(Process, AsciiWithoutAUtf8Locale) {
  for (const char c : shell("LC_ALL=C " + m_program + " hardware list").out)
    ASSERT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST_F(Process, TheStatusOfTheProgramIsPassedOn) {
  const test::TempDir dir;
  const auto outcome =
      shell(m_program + " run -o " + dir.file("status.perfscope") + " -- sh -c 'exit 3' 2>&1");
  if (outcome.code == 69) GTEST_SKIP() << "no collector in this build: " << outcome.out;
  EXPECT_EQ(outcome.code, 3) << outcome.out;
}

}  // namespace
}  // namespace perfscope::cli
