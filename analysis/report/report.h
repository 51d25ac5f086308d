// The whole result of a profile as one immutable value. Built by report_builder.cpp, rendered by report_text,
// report_json, report_markdown and report_csv (and the viewer), which compute nothing. Field names follow the
// JSON contract. Units: *_ns integer nanoseconds, times of day since the profile's time base; rates in FLOP/s
// and bytes/s; fractions 0..1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/measured.h"

namespace perfscope {

struct Distribution {  // of durations or latencies
  int64_t count = 0;
  int64_t min_ns = 0, p50_ns = 0, p90_ns = 0, p95_ns = 0, p99_ns = 0, max_ns = 0;
};

struct LossReport {
  std::string id, severity, text;
  int64_t count = 0;
};
struct AssumptionReport {
  std::string id, text;
};
struct GatedMetric {
  std::string metric, why;
};
struct TrustReport {
  bool complete = false;           // closed, and nothing of severity data_loss or error
  std::vector<LossReport> losses;  // loss counters > 0 and ledger lines of severity data_loss/error
  std::vector<AssumptionReport> assumptions;
  std::vector<GatedMetric> gated;  // metrics withheld because of a loss
};

struct GpuContract {
  std::string name, uuid, spec;
  std::optional<int64_t> sm_count, memory_bytes;
  std::optional<double> power_limit_w;
};
struct ContractReport {
  std::map<std::string, std::string> workload;  // --label k=v
  std::vector<GpuContract> gpus;
  std::optional<std::string> driver, cuda, cupti, host;
  std::map<std::string, std::string> clocks;  // e.g. sm_clock_mhz_median
  std::map<std::string, std::string> timing, statistics, correctness;
};

struct OverheadMeasured {
  int64_t bare_ns = 0, profiled_ns = 0;
  double ratio = 0;
  int64_t n = 0;
};
struct OverheadReport {
  std::optional<OverheadMeasured> measured;  // --measure-overhead
  std::string measured_why;
  Measured<int64_t> estimated_ns;  // CUPTI overhead records + counted records x cost of one
};

struct Evidence {
  std::string text;
  std::optional<std::pair<int64_t, int64_t>> range_ns;
  std::optional<int64_t> device;
  std::optional<std::string> kernel;
};
struct Intervention {
  std::string text, level, axis, term, next_bottleneck;
  std::optional<double> predicted_gain;
  std::string predicted_gain_why;  // may say why there is none
};                                 // gain: fraction of the step saved
struct VerdictReport {
  std::string binding;    // input|host|communication|memory|compute|launch|implementation|none
  double confidence = 0;  // 0..1
  std::string text;       // one sentence: the constraint, its share, the evidence
  double share = 0;       // of the analysed time
  std::vector<Evidence> evidence;
  std::vector<Intervention> interventions;
};

struct ProcessReport {
  int64_t pid = 0;
  std::optional<int64_t> rank, world_size, local_rank;
  std::string host, state;
  std::optional<std::string> command;
  std::optional<int64_t> exit_status;
};

struct ValueRange {
  double min = 0, median = 0, max = 0;
};
struct DeviceReport {
  int64_t id = 0;
  std::string name, spec;   // spec: id in the hardware catalogue, empty when unknown
  std::string spec_why;     // how it was matched, or why not
  std::string calibration;  // which calibration is used, one clause; empty: none
  int64_t kernel_count = 0, kernel_sum_ns = 0, span_ns = 0, busy_ns = 0, idle_ns = 0, kernel_busy_ns = 0,
          compute_ns = 0, comm_ns = 0, overlap_ns = 0, exposed_comm_ns = 0, memcpy_ns = 0, memset_ns = 0,
          memcpy_count = 0, memset_count = 0, memcpy_bytes = 0, comm_count = 0, copy_hidden_ns = 0,
          graph_node_count = 0;
  int64_t streams = 0;
  int64_t first_ns = 0, last_ns = 0;
  int64_t unrecorded_ns = 0;  // recording paused between them; span = last - first - unrecorded
  Measured<ValueRange> sm_clock_mhz, power_w, temperature_c;
  Measured<std::vector<std::string>> throttle;  // reasons seen, empty vector = none
  Measured<double> energy_j;
  Measured<double> dram_read_bytes, dram_write_bytes;
  Measured<double> tensor_active;    // pipe-active cycles / elapsed
  Measured<double> opaque_graph_ns;  // graph-level spans: idle and MFU unknown inside
};

struct StepReport {
  int64_t index = 0;
  std::string name;
  int64_t start_ns = 0, duration_ns = 0, busy_ns = 0, kernel_count = 0;
  bool warmup = false;
};
struct StepsReport {
  std::string source;  // "nvtx: step n", "marker: REGEX", "periodicity", "none"
  std::string why;     // when source is none
  double confidence = 0;
  int64_t count = 0, warmup = 0;
  Measured<int64_t> median_ns, mad_ns, p95_ns, p99_ns, max_ns;  // steady state only
  Measured<double> drift;  // (median of last third / median of first third) - 1
  std::vector<StepReport> list;
};

struct FlopsReport {
  Measured<double> algorithmic, executed;
  Measured<double> algorithmic_in_window;  // part of `algorithmic` done in the time the verdict is about
  std::optional<double> executed_low, executed_high;
};
struct BytesReport {
  Measured<double> algorithmic, dram_read, dram_write, l2;
  std::optional<double> dram_low, dram_high;  // of read + write: 95 % interval (sampled), range (replay)
  std::optional<double> l2_low, l2_high;
};
inline constexpr const char* kNoCalibration = "no calibration of this GPU is in use (perfscope calibrate)";
struct RooflineReport {
  std::string verdict;    // memory|compute|below_both|launch|no_flops|unknown
  std::string why;        // one clause with the numbers
  std::string precision;  // that the ceiling belongs to
  std::string boundary;   // "algorithmic", "dram" ...
  Measured<double> ceiling_flops, ceiling_bytes_per_s, ceiling_flops_at_clock, fraction_of_roof;
  // Measured by `perfscope calibrate` on this GPU or product; compute at the recorded clock. The fraction is
  // of these two. l2: the second-level cache's bandwidth, which no data sheet prints.
  Measured<double> ceiling_flops_calibrated = Measured<double>::absent(kNoCalibration),
                   ceiling_bytes_per_s_calibrated = Measured<double>::absent(kNoCalibration),
                   ceiling_l2_bytes_per_s_calibrated = Measured<double>::absent(kNoCalibration),
                   fraction_of_calibrated = Measured<double>::absent(kNoCalibration);
};
struct KernelReport {
  std::string name, short_name, kernel_class;  // class: gemm, attention, elementwise, reduction,
                                               // normalisation, copy, communication, ...
  int64_t device = 0, count = 0, total_ns = 0;
  double share = 0;                         // of kernel_sum_ns of its device
  int64_t window_count = 0, window_ns = 0;  // of them in the time the verdict is about
  double window_share = 0;                  // of the window's kernel time of its device
  Distribution duration;
  int64_t grid[3] = {0, 0, 0},
          block[3] = {0, 0, 0};  // of the shape with the most time; shape_count tells if there are more
  int64_t shape_count = 0, registers = 0, shared_bytes = 0, local_bytes = 0;
  Measured<double> occupancy;     // resident warps / maximum
  std::string occupancy_limiter;  // registers, shared memory, blocks, warps
  Measured<double> waves, tail;   // tail: fraction of the last wave unused
  FlopsReport flops;              // totals over all launches
  BytesReport bytes;
  Measured<double> intensity_algorithmic, intensity_dram;  // FLOP/byte
  Measured<double> achieved_flops,
      achieved_bytes_per_s;  // over the time of the launches that carry FLOPs / bytes
  RooflineReport roofline;
  std::string alignment;  // empty, or what is misaligned
  int64_t graph_node_count = 0;
  Measured<double> tensor_active;                 // pipe-active cycles / elapsed, over all SMs
  std::map<std::string, double> instruction_mix;  // amounts by counter role; empty = not measured
  std::string instruction_mix_why;
};

struct GapCause {
  int64_t ns = 0, count = 0;
};
struct GapReport {
  int64_t device = 0, start_ns = 0, duration_ns = 0;
  std::string cause, evidence, before, after;
};
struct GapsReport {
  int64_t total_ns = 0, count = 0;
  std::map<std::string, GapCause> by_cause;  // host_submission, synchronisation, ... unknown
  std::vector<GapReport> largest,
      largest_in_window;  // of the whole profile; of the time the verdict is about
  Measured<Distribution> launch_latency, launch_cost;
  Measured<Distribution> queue_depth;  // unit: launches, not ns
  int64_t launches = 0, graph_launches = 0;
};

struct CollectiveReport {
  std::string op;
  int64_t bytes = 0, count = 0, total_ns = 0;
};
struct CommunicationReport {
  std::vector<CollectiveReport> collectives;
  std::string source, why;
};

struct CopyReport {
  std::string kind;
  bool pageable = false;
  int64_t count = 0, bytes = 0, ns = 0, hidden_ns = 0;
  Measured<double> rate_bytes_per_s;
};
struct MemoryReport {
  Measured<int64_t> peak_bytes;
  Measured<int64_t> allocations_in_steps;
  std::vector<CopyReport> copies;
};

struct UtilisationReport {
  Measured<double> busy, hfu, mfu, mbu_model, mbu_measured;
};

struct Finding {
  std::string id, severity;       // severity: info|warning|critical
  std::string level, axis, term;  // kernel|graph|system, data|algorithm|machine, data|compute|overhead
  std::string title, advice;
  std::vector<Evidence> evidence;
  Measured<int64_t> predicted_gain_ns;
  std::vector<std::string> sources;
};

struct Report {
  std::string perfscope_version;
  int64_t schema_version = 0;
  std::string path, format;
  bool closed = false;
  TrustReport trust;
  ContractReport contract;
  OverheadReport overhead;
  VerdictReport verdict;
  std::vector<ProcessReport> processes;
  std::vector<DeviceReport> devices;  // sorted by id
  StepsReport steps;
  std::vector<KernelReport> kernels;  // sorted by total_ns (descending), then name
  GapsReport gaps;
  CommunicationReport communication;
  MemoryReport memory;
  UtilisationReport utilisation;
  std::vector<Finding> findings;
  std::vector<std::string>
      conventions;  // FLOP convention, peak, precision, boundary, denominators, thresholds used
};

}  // namespace perfscope
