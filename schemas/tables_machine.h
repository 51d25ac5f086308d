// Tables about the run itself: hosts, processes, devices, machine state, what was lost and assumed.
#pragma once

#include "schemas/table.h"

namespace perfscope {

struct MetaRow {
  std::string key;
  std::string value;
};
template <>
struct TableOf<MetaRow> {
  static constexpr std::string_view kName = "meta";
  static constexpr std::string_view kDoc =
      "Facts about the profile itself: schema_version, perfscope_version, time_base_ns (Unix time in ns that "
      "every *_ns time of the file counts from), closed (1 = complete), source_format, label.* (measurement "
      "contract) and more";
  static constexpr std::string_view kKey = "PRIMARY KEY (key)) WITHOUT ROWID";
  static constexpr auto kColumns = std::make_tuple(column("key", &MetaRow::key, "name of the fact"),
                                                   column("value", &MetaRow::value, "its value as text"));
};

struct HostRow {
  int64_t id = 0;
  std::string name;
  std::optional<std::string> kernel;
  std::optional<std::string> cpu_model;
  std::optional<int64_t> cpu_count;
  std::optional<int64_t> memory_bytes;
  std::optional<std::string> driver_version;
  std::optional<int64_t> cuda_driver_api;
};
template <>
struct TableOf<HostRow> {
  static constexpr std::string_view kName = "host";
  static constexpr std::string_view kDoc = "A machine that took part";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &HostRow::id, "primary key"), column("name", &HostRow::name, "host name"),
      column("kernel", &HostRow::kernel, "operating system and its version"),
      column("cpu_model", &HostRow::cpu_model, "processor name"),
      column("cpu_count", &HostRow::cpu_count, "logical processors"),
      column("memory_bytes", &HostRow::memory_bytes, "main memory"),
      column("driver_version", &HostRow::driver_version, "GPU driver version"),
      column("cuda_driver_api", &HostRow::cuda_driver_api, "CUDA version the driver supports, e.g. 13000"));
};

struct ProcessRow {
  int64_t id = 0;
  int64_t host_id = 0;
  int64_t pid = 0;
  int64_t parent_pid = 0;
  std::optional<int64_t> rank;
  std::optional<int64_t> world_size;
  std::optional<int64_t> local_rank;
  std::optional<std::string> command;
  std::optional<std::string> executable;
  int64_t start_ns = 0;
  std::optional<int64_t> end_ns;
  std::string state;
  std::optional<int64_t> exit_status;
  std::optional<int64_t> cupti_version;
  std::optional<std::string> cupti_path;
  std::optional<int64_t> runtime_version;
  int64_t record_count = 0;
  std::optional<std::string> environment;
};
template <>
struct TableOf<ProcessRow> {
  static constexpr std::string_view kName = "process";
  static constexpr std::string_view kDoc = "A process that used CUDA under the collector";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &ProcessRow::id, "primary key"), column("host_id", &ProcessRow::host_id, "host"),
      column("pid", &ProcessRow::pid, "process id"),
      column("parent_pid", &ProcessRow::parent_pid, "parent process id"),
      column("rank", &ProcessRow::rank, "rank in the job"),
      column("world_size", &ProcessRow::world_size, "ranks in the job"),
      column("local_rank", &ProcessRow::local_rank, "rank on the host"),
      column("command", &ProcessRow::command, "arguments joined by spaces; NULL with --no-args"),
      column("executable", &ProcessRow::executable, "path of the program"),
      column("start_ns", &ProcessRow::start_ns, "collection began"),
      column("end_ns", &ProcessRow::end_ns, "collection ended; NULL = the process was killed"),
      column("state", &ProcessRow::state, "running, closed, killed or execed"),
      column("exit_status", &ProcessRow::exit_status, "status of the target where known (128 + signal)"),
      column("cupti_version", &ProcessRow::cupti_version, "CUPTI_API_VERSION found at run time"),
      column("cupti_path", &ProcessRow::cupti_path, "the libcupti that was used"),
      column("runtime_version", &ProcessRow::runtime_version,
             "CUDA runtime library in the process, e.g. 13000; NULL = not known (linked statically, or asked "
             "for too late)"),
      column("record_count", &ProcessRow::record_count, "spool records written by this process"),
      column("environment", &ProcessRow::environment, "allow-listed variables only, NAME=value, one a line"));
};

struct ThreadRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t tid = 0;
  std::optional<std::string> name;
};
template <>
struct TableOf<ThreadRow> {
  static constexpr std::string_view kName = "thread";
  static constexpr std::string_view kDoc = "A thread seen in API calls, NVTX or library calls";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &ThreadRow::id, "primary key"), column("process_id", &ThreadRow::process_id, "process"),
      column("tid", &ThreadRow::tid, "system thread id"),
      column("name", &ThreadRow::name, "thread name where known"));
};

struct DeviceRow {
  int64_t id = 0;
  int64_t host_id = 0;
  int64_t ordinal = 0;
  std::optional<std::string> uuid;
  std::string name;
  std::optional<int64_t> cc_major;
  std::optional<int64_t> cc_minor;
  std::optional<int64_t> sm_count;
  std::optional<int64_t> core_clock_khz;
  std::optional<int64_t> memory_bytes;
  std::optional<int64_t> memory_bandwidth_bytes_per_s;
  std::optional<int64_t> l2_bytes;
  std::optional<int64_t> warp_size;
  std::optional<int64_t> max_warps_per_sm;
  std::optional<int64_t> max_blocks_per_sm;
  std::optional<int64_t> shared_bytes_per_sm;
  std::optional<int64_t> registers_per_sm;
  std::optional<int64_t> shared_bytes_per_block;
  std::optional<int64_t> max_threads_per_block;
  std::optional<int64_t> memcpy_engines;
  std::optional<int64_t> ecc;
  std::optional<int64_t> mig;
  std::optional<double> power_limit_w;
  std::optional<int64_t> max_sm_clock_mhz;
};
template <>
struct TableOf<DeviceRow> {
  static constexpr std::string_view kName = "device";
  static constexpr std::string_view kDoc =
      "A GPU. One row per physical GPU (or MIG instance) and host; NULL = the driver did not say";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &DeviceRow::id, "primary key, also the device id of the report"),
      column("host_id", &DeviceRow::host_id, "host"),
      column("ordinal", &DeviceRow::ordinal, "CUDA ordinal in the first process that used it"),
      column("uuid", &DeviceRow::uuid, "GPU UUID"), column("name", &DeviceRow::name, "full device name"),
      column("cc_major", &DeviceRow::cc_major, "compute capability"),
      column("cc_minor", &DeviceRow::cc_minor, "compute capability"),
      column("sm_count", &DeviceRow::sm_count, "streaming multiprocessors"),
      column("core_clock_khz", &DeviceRow::core_clock_khz, "maximal SM clock"),
      column("memory_bytes", &DeviceRow::memory_bytes, "device memory"),
      column("memory_bandwidth_bytes_per_s", &DeviceRow::memory_bandwidth_bytes_per_s,
             "as CUPTI computes it from clock and bus width"),
      column("l2_bytes", &DeviceRow::l2_bytes, "L2 cache"),
      column("warp_size", &DeviceRow::warp_size, "threads a warp"),
      column("max_warps_per_sm", &DeviceRow::max_warps_per_sm, "resident warps"),
      column("max_blocks_per_sm", &DeviceRow::max_blocks_per_sm, "resident blocks"),
      column("shared_bytes_per_sm", &DeviceRow::shared_bytes_per_sm, "shared memory"),
      column("registers_per_sm", &DeviceRow::registers_per_sm, "32-bit registers"),
      column("shared_bytes_per_block", &DeviceRow::shared_bytes_per_block, "without opt-in"),
      column("max_threads_per_block", &DeviceRow::max_threads_per_block, "block size limit"),
      column("memcpy_engines", &DeviceRow::memcpy_engines, "copy engines"),
      column("ecc", &DeviceRow::ecc, "1 = ECC on"), column("mig", &DeviceRow::mig, "1 = MIG instance"),
      column("power_limit_w", &DeviceRow::power_limit_w, "enforced power limit"),
      column("max_sm_clock_mhz", &DeviceRow::max_sm_clock_mhz, "NVML maximal SM clock"));
};

struct ContextRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t context = 0;
  int64_t device_id = 0;
  std::optional<int64_t> null_stream;
};
template <>
struct TableOf<ContextRow> {
  static constexpr std::string_view kName = "context";
  static constexpr std::string_view kDoc = "A CUDA context";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &ContextRow::id, "primary key"), column("process_id", &ContextRow::process_id, "process"),
      column("context", &ContextRow::context, "CUPTI context id"),
      column("device_id", &ContextRow::device_id, "device"),
      column("null_stream", &ContextRow::null_stream, "id of its NULL stream"));
};

struct StreamRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t context = 0;
  int64_t stream = 0;
  std::optional<int64_t> priority;
  std::optional<int64_t> flag;
};
template <>
struct TableOf<StreamRow> {
  static constexpr std::string_view kName = "stream";
  static constexpr std::string_view kDoc = "A CUDA stream";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &StreamRow::id, "primary key"), column("process_id", &StreamRow::process_id, "process"),
      column("context", &StreamRow::context, "CUPTI context id"),
      column("stream", &StreamRow::stream, "CUPTI stream id"),
      column("priority", &StreamRow::priority, "lower number = higher priority"),
      column("flag", &StreamRow::flag, "CUPTI stream flag: 1 default, 2 non-blocking, 3 null"));
};

struct MachineSampleRow {
  int64_t id = 0;
  int64_t device_id = 0;
  int64_t time_ns = 0;
  std::optional<int64_t> sm_clock_mhz;
  std::optional<int64_t> memory_clock_mhz;
  std::optional<int64_t> power_mw;
  std::optional<int64_t> temperature_c;
  std::optional<int64_t> throttle_reasons;
  std::optional<int64_t> energy_mj;
  std::optional<int64_t> utilization_percent;
  std::optional<int64_t> memory_used_bytes;
  std::optional<int64_t> pcie_tx_kb_per_s;
  std::optional<int64_t> pcie_rx_kb_per_s;
};
template <>
struct TableOf<MachineSampleRow> {
  static constexpr std::string_view kName = "machine_sample";
  static constexpr std::string_view kDoc = "NVML state of a GPU; NULL = not offered there";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &MachineSampleRow::id, "primary key"),
      column("device_id", &MachineSampleRow::device_id, "device"),
      column("time_ns", &MachineSampleRow::time_ns, "when"),
      column("sm_clock_mhz", &MachineSampleRow::sm_clock_mhz, "SM clock"),
      column("memory_clock_mhz", &MachineSampleRow::memory_clock_mhz, "memory clock"),
      column("power_mw", &MachineSampleRow::power_mw, "board power"),
      column("temperature_c", &MachineSampleRow::temperature_c, "GPU temperature"),
      column("throttle_reasons", &MachineSampleRow::throttle_reasons, "NVML clocks-event reasons bit mask"),
      column("energy_mj", &MachineSampleRow::energy_mj, "total energy since driver load"),
      column("utilization_percent", &MachineSampleRow::utilization_percent, "NVML GPU utilisation"),
      column("memory_used_bytes", &MachineSampleRow::memory_used_bytes, "device memory in use"),
      column("pcie_tx_kb_per_s", &MachineSampleRow::pcie_tx_kb_per_s, "PCIe from the GPU"),
      column("pcie_rx_kb_per_s", &MachineSampleRow::pcie_rx_kb_per_s, "PCIe to the GPU"));
};

struct ClockSyncRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t realtime_ns = 0;
  int64_t monotonic_ns = 0;
  int64_t tsc = 0;
  int64_t cupti_ns = 0;
  int64_t uncertainty_ns = 0;
};
template <>
struct TableOf<ClockSyncRow> {
  static constexpr std::string_view kName = "clock_sync";
  static constexpr std::string_view kDoc = "Readings of several clocks at one moment";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns =
      std::make_tuple(column("id", &ClockSyncRow::id, "primary key"),
                      column("process_id", &ClockSyncRow::process_id, "process"),
                      column("realtime_ns", &ClockSyncRow::realtime_ns, "CLOCK_REALTIME, Unix ns"),
                      column("monotonic_ns", &ClockSyncRow::monotonic_ns, "CLOCK_MONOTONIC"),
                      column("tsc", &ClockSyncRow::tsc, "time-stamp counter"),
                      column("cupti_ns", &ClockSyncRow::cupti_ns, "cuptiGetTimestamp, Unix ns"),
                      column("uncertainty_ns", &ClockSyncRow::uncertainty_ns, "width of the reading"));
};

struct WindowRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t time_ns = 0;
  int64_t collecting = 0;
  std::string reason;
  std::optional<int64_t> step;
};
template <>
struct TableOf<WindowRow> {
  static constexpr std::string_view kName = "window";
  static constexpr std::string_view kDoc = "When collection was on";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &WindowRow::id, "primary key"), column("process_id", &WindowRow::process_id, "process"),
      column("time_ns", &WindowRow::time_ns, "when"),
      column("collecting", &WindowRow::collecting, "1 = on from here, 0 = off"),
      column("reason", &WindowRow::reason, "why"),
      column("step", &WindowRow::step, "step number of a step window"));
};

struct LossRow {
  int64_t process_id = 0;
  std::string name;
  int64_t count = 0;
};
template <>
struct TableOf<LossRow> {
  static constexpr std::string_view kName = "loss";
  static constexpr std::string_view kDoc =
      "What was lost, per process; a counter without a row is 0 and was watched";
  static constexpr std::string_view kKey = "PRIMARY KEY (process_id, name)) WITHOUT ROWID";
  static constexpr auto kColumns = std::make_tuple(column("process_id", &LossRow::process_id, "process"),
                                                   column("name", &LossRow::name, "loss counter"),
                                                   column("count", &LossRow::count, "how often"));
};

struct LedgerRow {
  int64_t id = 0;
  std::optional<int64_t> process_id;
  std::string severity;
  std::string name;
  std::string text;
  std::optional<std::string> detail;
  std::optional<int64_t> value;
};
template <>
struct TableOf<LedgerRow> {
  static constexpr std::string_view kName = "ledger";
  static constexpr std::string_view kDoc = "The trust ledger: what was assumed, hidden, unavailable, and why";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &LedgerRow::id, "primary key"),
      column("process_id", &LedgerRow::process_id, "process; NULL = the whole run"),
      column("severity", &LedgerRow::severity, "info, notice, data_loss or error"),
      column("name", &LedgerRow::name, "stable id"), column("text", &LedgerRow::text, "the sentence"),
      column("detail", &LedgerRow::detail, "what exactly"),
      column("value", &LedgerRow::value, "e.g. an error code"));
};

}  // namespace perfscope
