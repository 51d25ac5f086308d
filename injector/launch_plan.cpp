// Pure planning of the target's argv and environment.
#include "injector/launch_plan.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace perfscope {
namespace {

constexpr const char* kPreload = "LD_PRELOAD";
constexpr const char* kCudaDoor = "CUDA_INJECTION64_PATH";
constexpr const char* kNvtxDoor = "NVTX_INJECTION64_PATH";

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Prepended: our definitions of _exit, cublas* ... must be found first; the others still load and may chain.
void preload(LaunchPlan& plan, const std::string& collector) {
  auto& value = plan.environment[kPreload];
  if (value.empty()) {
    value = collector;
    return;
  }
  if (("" + value + ":").find(collector + ":") == 0) return;  // a run inside a run of the same collector
  plan.notes.push_back({Severity::Info, "preload_chained",
                        "LD_PRELOAD was set; the collector was put in front of it and the rest kept", value});
  value = collector + ":" + value;
}

struct Door {
  const char* variable;
  const char* chained_variable;
  const char* note;
};

void openDoor(LaunchPlan& plan, const Door& door, const std::string& collector) {
  auto& environment = plan.environment;
  const auto found = environment.find(door.variable);
  const std::string before = found == environment.end() ? std::string() : found->second;
  environment[door.variable] = collector;
  environment.erase(door.chained_variable);
  // "none" is the driver's own word for "no injection".
  if (before.empty() || before == "none" || before == collector) return;
  environment[door.chained_variable] = before;
  plan.notes.push_back({Severity::Notice, door.note,
                        std::string(door.variable) +
                            " was set; the collector takes its place and calls that library after its own "
                            "start; a second CUPTI client in one process gets no data",
                        before});
}

void warnOfNvtxThroughCupti(LaunchPlan& plan, const Environment& inherited) {
  const auto nvtx = inherited.find(kNvtxDoor);
  if (nvtx == inherited.end() || !contains(nvtx->second, "libcupti")) return;
  // Chaining it would make libcupti subscribe at the first NVTX range and take the one CUPTI slot.
  plan.environment.erase(kChainedNvtxVariable);
  std::erase_if(plan.notes, [](const PlanNote& note) { return note.name == "nvtx_injection_chained"; });
  plan.notes.push_back(
      {Severity::Notice, "nvtx_injection_is_cupti",
       "NVTX_INJECTION64_PATH pointed at libcupti, which takes the process's only CUPTI slot "
       "at the first NVTX range; it was left out of this run",
       nvtx->second});
}

void noteTraits(LaunchPlan& plan, const ProgramTraits& traits) {
  constexpr const char* kLost =
      ": exit, fork and exec repair, cuBLAS shapes and NCCL calls are not captured; kernels still are, "
      "through "
      "the driver's own door";
  if (traits.statically_linked) {
    plan.notes.push_back({Severity::Notice, "preload_ineffective",
                          std::string("the program is statically linked, LD_PRELOAD has no effect") + kLost,
                          plan.program});
  } else if (traits.set_id) {
    plan.notes.push_back(
        {Severity::Notice, "preload_ineffective",
         std::string("the program is setuid or setgid, the loader ignores LD_PRELOAD") + kLost,
         plan.program});
  }
}

// Programs that start the real one without our environment.
void noteEnvironmentLost(LaunchPlan& plan) {
  constexpr std::array<std::string_view, 6> kPrograms = {"sudo", "su", "doas", "docker", "podman", "ssh"};
  const std::string_view path(plan.program);
  const auto slash = path.rfind('/');
  const auto name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (std::find(kPrograms.begin(), kPrograms.end(), name) == kPrograms.end()) return;
  plan.notes.push_back(
      {Severity::Notice, "environment_not_inherited",
       std::string(name) +
           " starts programs without this environment, so the collector does not reach them; put "
           "`perfscope run` inside, next to the program",
       plan.program});
}

void noteOtherTools(LaunchPlan& plan, const Environment& inherited) {
  for (const auto& [name, value] : inherited) {
    const bool nsys = name.starts_with("NSYS_") || name == "QUADD_INJECTION_PROXY";
    const bool ncu = name.starts_with("NV_COMPUTE_PROFILER") || name == "NV_NSIGHT_INJECTION_TRANSPORT_TYPE";
    if (!nsys && !ncu) continue;
    plan.notes.push_back({Severity::Notice, "other_profiler_environment",
                          std::string("this shell runs under ") +
                              (nsys ? "Nsight Systems" : "Nsight Compute") +
                              ", which holds CUPTI: PerfScope may record nothing",
                          name});
    return;
  }
}

}  // namespace

LaunchPlan planLaunch(const std::vector<std::string>& command, const std::string& program,
                      const ProgramTraits& traits, const CollectorConfig& config,
                      const Environment& inherited) {
  LaunchPlan plan;
  plan.program = program;
  plan.argv = command;
  plan.environment = inherited;
  preload(plan, config.collector_path);
  openDoor(plan, {kCudaDoor, kChainedCudaVariable, "cuda_injection_chained"}, config.collector_path);
  openDoor(plan, {kNvtxDoor, kChainedNvtxVariable, "nvtx_injection_chained"}, config.collector_path);
  warnOfNvtxThroughCupti(plan, inherited);
  plan.environment[kConfigVariable] = printConfig(config);
  noteTraits(plan, traits);
  noteEnvironmentLost(plan);
  noteOtherTools(plan, inherited);
  return plan;
}

Environment environmentOf(const char* const* environ_block) {
  Environment environment;
  for (; environ_block != nullptr && *environ_block != nullptr; ++environ_block) {
    const std::string_view entry(*environ_block);
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

}  // namespace perfscope
