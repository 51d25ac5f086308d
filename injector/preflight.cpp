// The checks of this machine, one function each.
#include "injector/preflight.h"

#include <dlfcn.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>

#include "injector/cupti_search.h"
#include "injector/file_system.h"
#include "injector/launch_plan.h"
#include "injector/program_file.h"

namespace perfscope {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Check checkCollector(const PreflightInput& input) {
  Check check{"collector", CheckStatus::Ok, "collector library",
              findCollectorLibrary(input.collector_library), ""};
  if (check.found.empty()) {
    check.status = CheckStatus::Fatal;
    check.found = "libperfscope_collector.so was not found beside this program";
    check.remedy =
        "build PerfScope with the CUDA headers present, or name the library in PERFSCOPE_COLLECTOR";
  } else if (::access(check.found.c_str(), R_OK) != 0) {
    check.status = CheckStatus::Fatal;
    check.found += " cannot be read";
    check.remedy = "chmod a+r " + check.found;
  }
  return check;
}

Check checkDriver() {
  Check check{"driver", CheckStatus::Ok, "NVIDIA driver", "", ""};
  const auto version = driverApiVersion();
  if (version) {
    check.found = "libcuda.so.1, supports CUDA " + versionText(*version);
    return check;
  }
  check.status =
      CheckStatus::Fatal;  // `run` asks for other checks: a program without CUDA still runs under it
  check.found = "libcuda.so.1 cannot be loaded: no NVIDIA driver here";
  check.remedy =
      "install the driver, or run on a machine with a GPU; in a container start it with --gpus all";
  return check;
}

Check checkDevices() {
  Check check{"devices", CheckStatus::Ok, "GPU devices", "", ""};
  std::error_code ignored;
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", ignored)) {
    (void)entry;
    ++count;
  }
  check.found = std::to_string(count) + (count == 1 ? " GPU" : " GPUs") + " known to the kernel driver";
  if (count == 0) {
    check.status = CheckStatus::Notice;
    check.found = "the kernel driver lists no GPU (/proc/driver/nvidia/gpus)";
    check.remedy = "nothing to do on a machine without GPU; else load the nvidia kernel module";
  }
  const std::string visible = variable("CUDA_VISIBLE_DEVICES");
  if (!visible.empty()) check.found += "; CUDA_VISIBLE_DEVICES=" + visible;
  if (visible == "-1" || visible == "NoDevFiles") {
    check.status = CheckStatus::Warning;
    check.remedy = "unset CUDA_VISIBLE_DEVICES: it hides every GPU";
  }
  return check;
}

Check checkCupti() {
  Check check{"cupti", CheckStatus::Ok, "CUPTI library", "", ""};
  const auto driver = driverApiVersion();
  const std::string found = findCupti(driver.value_or(0));
  if (!found.empty()) {
    check.found = found;
    return check;
  }
  check.status = CheckStatus::Notice;
  check.found =
      "no libcupti in the loader's path or the usual toolkit folders; a program that brings its own "
      "(PyTorch from pip does) is profiled all the same";
  check.remedy =
      "install the CUDA toolkit's extras/CUPTI or `pip install nvidia-cuda-cupti`, or set PERFSCOPE_CUPTI";
  return check;
}

Check checkPermission() {
  Check check{"counter_permission", CheckStatus::Ok, "hardware counters", "", ""};
  std::ifstream file("/proc/driver/nvidia/params");
  if (!file) {
    check.found = "no driver parameters to read (no driver, or a restricted container)";
    check.status = CheckStatus::Notice;
    return check;
  }
  bool admin_only = false;
  std::string line;
  while (std::getline(file, line)) admin_only |= line == "RmProfilingAdminOnly: 1";
  if (!admin_only) {
    check.found = "open to all users";
  } else if (::geteuid() == 0) {
    check.found = "for administrators only; this user is root";
  } else {
    check.status = CheckStatus::Notice;
    check.found = "for administrators only (RmProfilingAdminOnly: 1); the timeline does not need them";
    check.remedy =
        "as root: echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > "
        "/etc/modprobe.d/perfscope.conf and "
        "reload the module; in a container add CAP_SYS_ADMIN";
  }
  return check;
}

Check checkEnvironment() {
  Check check{"environment", CheckStatus::Ok, "other profilers", "none in the environment", ""};
  // The plan knows what collides: ask it instead of saying it twice.
  CollectorConfig config;
  config.collector_path = "libperfscope_collector.so";
  const LaunchPlan plan = planLaunch({"program"}, "program", {}, config, environmentOf(environ));
  std::string found;
  for (const auto& note : plan.notes) {
    found += (found.empty() ? "" : "; ") + note.text + ": " + note.detail;
    if (note.severity != Severity::Info) check.status = CheckStatus::Warning;
  }
  if (found.empty()) return check;
  check.found = found;
  if (check.status == CheckStatus::Warning) check.remedy = "unset the variables named above for this run";
  return check;
}

Check checkOutput(const std::string& wanted) {
  const std::string folder = wanted.empty() ? "." : wanted;
  std::error_code ignored;
  Check check{"output", CheckStatus::Ok, "output folder",
              fs::absolute(folder, ignored).lexically_normal().string(), ""};
  struct statvfs info {};
  if (!fs::is_directory(folder, ignored) || ::access(folder.c_str(), W_OK | X_OK) != 0) {
    check.status = CheckStatus::Fatal;
    check.found += fs::is_directory(folder, ignored) ? " is not writable" : " does not exist";
    check.remedy = "choose another place with -o";
    return check;
  }
  constexpr double kGigabyte = 1e9;
  constexpr double kTight = 1e9;  // about 15 M spool records
  if (::statvfs(folder.c_str(), &info) == 0) {
    const double free_bytes = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
    check.found += ", " + std::to_string(static_cast<int64_t>(free_bytes / kGigabyte)) + " GB free";
    if (free_bytes < kTight) {
      check.status = CheckStatus::Warning;
      check.remedy = "free some space: a second of 100,000 launches takes about 20 MB while it is recorded";
    }
  }
  const std::string kind = specialFileSystem(folder);
  if (kind.empty()) return check;
  check.found += ", " + kind;
  if (kind == "tmpfs") {
    check.found += " (the profile takes main memory)";
  } else {
    check.status = CheckStatus::Warning;
    check.remedy =
        "use a local disk with -o: memory-mapped spools on a network file system are slow and may lose data";
  }
  return check;
}

Check checkClock() {
  Check check{"clock", CheckStatus::Ok, "clock", "", ""};
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  file >> source;
  check.found = "clock source " + (source.empty() ? "unknown" : source) +
                "; CUPTI stamps in CLOCK_REALTIME, a time step during the run bends the timeline";
  if (!source.empty() && source != "tsc" && source != "kvm-clock" && source != "arch_sys_counter") {
    check.status = CheckStatus::Notice;
    check.remedy =
        "reading the clock " + source + " is slow; boot with clocksource=tsc where the machine allows it";
  }
  return check;
}

Check checkProgram(const std::vector<std::string>& command) {
  Check check{"program", CheckStatus::Ok, "program", "", ""};
  const std::string path_list = variable("PATH");
  const auto program = findProgram(command.front(), path_list.empty() ? "/usr/bin:/bin" : path_list);
  if (!program) {
    check.status = CheckStatus::Fatal;
    check.found = program.error().where + ": " + program.error().reason;
    check.remedy = program.error().remedy;
    return check;
  }
  check.found = *program;
  const ProgramTraits traits = programTraits(*program);
  if (traits.statically_linked || traits.set_id) {
    check.status = CheckStatus::Notice;
    check.found += traits.statically_linked ? ", statically linked" : ", setuid or setgid";
    check.remedy = "LD_PRELOAD has no effect on it: kernels are recorded, cuBLAS and NCCL calls are not";
  }
  return check;
}

}  // namespace

const char* checkStatusName(CheckStatus status) {
  constexpr std::array<const char*, 4> kNames = {"ok", "notice", "warning", "fatal"};
  return kNames[static_cast<size_t>(status)];
}

std::vector<Check> preflight(const PreflightInput& input) {
  std::vector<Check> checks;
  if (!input.command.empty()) checks.push_back(checkProgram(input.command));
  checks.push_back(checkCollector(input));
  checks.push_back(checkDriver());
  checks.push_back(checkDevices());
  checks.push_back(checkCupti());
  checks.push_back(checkPermission());
  checks.push_back(checkEnvironment());
  checks.push_back(checkOutput(input.output_dir));
  checks.push_back(checkClock());
  return checks;
}

}  // namespace perfscope
