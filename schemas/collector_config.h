// What `perfscope run` tells the collector, handed over in one environment variable. Print and parse are
// pure. The collector parses it in a foreign process: no exceptions, unknown keys are reported, never fatal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/result.h"

namespace perfscope {

inline constexpr const char* kConfigVariable = "PERFSCOPE_CONFIG";
// Value of NVTX_INJECTION64_PATH / CUDA_INJECTION64_PATH that the user had set before us, for chaining.
inline constexpr const char* kChainedCudaVariable = "PERFSCOPE_CHAINED_CUDA_INJECTION";
inline constexpr const char* kChainedNvtxVariable = "PERFSCOPE_CHAINED_NVTX_INJECTION";

enum class ApiTracing : uint8_t { Launches, All, None };
enum class GraphTracing : uint8_t { Node, Graph };
enum class Capture : uint8_t { All, Nvtx, ProfilerApi };
// Sample: the whole run is sampled, nothing is replayed. Replay: launches are replayed for exact counts,
// within the budget; sampling is off meanwhile (the hardware cannot do both).
enum class Counters : uint8_t { Off, Sample, Replay };

struct CollectorConfig {
  std::string session_dir;     // absolute
  std::string collector_path;  // the .so itself, for repairing a scrubbed environment at exec
  ApiTracing api = ApiTracing::Launches;
  GraphTracing graphs = GraphTracing::Node;
  bool nvtx = true;
  bool gemm = true;
  bool nccl = true;
  bool memory = true;           // allocations and frees
  bool store_arguments = true;  // false: --no-args
  Capture capture = Capture::All;
  std::string capture_range;  // NVTX text that opens the window (Capture::Nvtx)
  uint64_t delay_ns = 0;      // collection begins so long after CUDA initialisation
  uint64_t duration_ns = 0;   // 0 = to the end
  uint32_t steps_wait = 0, steps_warmup = 0, steps_active = 0, steps_repeat = 0;  // active 0 = no step window
  std::string
      step_marker;  // regular expression of the NVTX range that is a step; empty = "step n", "ProfilerStep#n"
  uint32_t buffer_bytes = 2U << 20;  // of one CUPTI buffer
  uint32_t buffer_count = 128;       // in the pool
  uint32_t flush_ms = 250;
  uint32_t ring_records = 16384;  // of one application thread
  std::vector<uint32_t> ranks;    // collect only on these ranks; empty = all
  Counters counters = Counters::Off;
  uint64_t sample_interval_ns = 0;  // 0 = the shortest that evaluation keeps up with
  std::string metrics;              // CUPTI metric names or roles, comma-separated; empty = by role
  uint32_t replay_per_kernel = 3;   // launches of each name and shape
  uint64_t replay_budget_ns = 30'000'000'000;
};

// "key=value;key=value": values are percent-encoded where they hold ; % or control characters.
std::string printConfig(const CollectorConfig& config);
// Missing keys keep their defaults. Errors name the key; unknown keys are returned in `unknown` when given.
Result<CollectorConfig> parseConfig(std::string_view text, std::vector<std::string>* unknown = nullptr);

}  // namespace perfscope
