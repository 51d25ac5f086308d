// Tables of hardware counters: raw samples (kept, so that attribution can be done again) and exact values of
// replayed launches.
#pragma once

#include "schemas/table.h"

namespace perfscope {

struct CounterSetRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t device_id = 0;
  std::string chip;
  int64_t interval_ns = 0;
};
template <>
struct TableOf<CounterSetRow> {
  static constexpr std::string_view kName = "counter_set";
  static constexpr std::string_view kDoc =
      "PM sampling of one GPU with one list of metrics and one interval; a new interval is a new set";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns =
      std::make_tuple(column("id", &CounterSetRow::id, "primary key"),
                      column("process_id", &CounterSetRow::process_id,
                             "the process that sampled; samples are of the whole GPU"),
                      column("device_id", &CounterSetRow::device_id, "device"),
                      column("chip", &CounterSetRow::chip, "chip name that CUPTI uses, e.g. GH100"),
                      column("interval_ns", &CounterSetRow::interval_ns, "sampling interval asked for"));
};

struct CounterMetricRow {
  int64_t id = 0;
  int64_t set_id = 0;
  int64_t position = 0;
  std::string role;
  std::string metric;
};
template <>
struct TableOf<CounterMetricRow> {
  static constexpr std::string_view kName = "counter_metric";
  static constexpr std::string_view kDoc =
      "A metric of a counter set; its position is its place in the blocks";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &CounterMetricRow::id, "primary key"),
      column("set_id", &CounterMetricRow::set_id, "counter_set"),
      column("position", &CounterMetricRow::position, "from 0"),
      column("role", &CounterMetricRow::role, "what it is for, e.g. dram_read_bytes; empty = none"),
      column("metric", &CounterMetricRow::metric, "CUPTI metric name"));
};

struct CounterBlockRow {
  int64_t id = 0;
  int64_t set_id = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t sample_count = 0;
  Blob data;
};
template <>
struct TableOf<CounterBlockRow> {
  static constexpr std::string_view kName = "counter_block";
  static constexpr std::string_view kDoc =
      "Consecutive samples, packed (schemas/sample_block.h); `perfscope query` shows its size, `export` its "
      "values";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns =
      std::make_tuple(column("id", &CounterBlockRow::id, "primary key"),
                      column("set_id", &CounterBlockRow::set_id, "counter_set"),
                      column("start_ns", &CounterBlockRow::start_ns, "start of the first sample"),
                      column("end_ns", &CounterBlockRow::end_ns, "end of the last sample"),
                      column("sample_count", &CounterBlockRow::sample_count, "samples in it"),
                      column("data", &CounterBlockRow::data, "the packed samples"));
};

struct ReplayRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t device_id = 0;
  std::optional<int64_t> name_id;
  std::optional<int64_t> shape_id;
  int64_t correlation = 0;
  int64_t passes = 0;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
};
template <>
struct TableOf<ReplayRow> {
  static constexpr std::string_view kName = "replay";
  static constexpr std::string_view kDoc =
      "A launch that was run several times to count exactly; its own times are the cost of that, not the "
      "kernel's";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &ReplayRow::id, "primary key"), column("process_id", &ReplayRow::process_id, "process"),
      column("device_id", &ReplayRow::device_id, "device"),
      column("name_id", &ReplayRow::name_id, "kernel_name; NULL = its kernel record did not come"),
      column("shape_id", &ReplayRow::shape_id, "launch_shape; NULL likewise"),
      column("correlation", &ReplayRow::correlation, "CUPTI correlation id of the launch"),
      column("passes", &ReplayRow::passes, "times it ran"),
      column("start_ns", &ReplayRow::start_ns, "when the launch was caught"),
      column("duration_ns", &ReplayRow::duration_ns, "how long it held the launching thread"));
};

struct ReplayValueRow {
  int64_t id = 0;
  int64_t replay_id = 0;
  std::string role;
  std::string metric;
  double value = 0;
};
template <>
struct TableOf<ReplayValueRow> {
  static constexpr std::string_view kName = "replay_value";
  static constexpr std::string_view kDoc = "One exact value of a replayed launch";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns =
      std::make_tuple(column("id", &ReplayValueRow::id, "primary key"),
                      column("replay_id", &ReplayValueRow::replay_id, "replay"),
                      column("role", &ReplayValueRow::role, "what it is for; empty = none"),
                      column("metric", &ReplayValueRow::metric, "CUPTI metric name"),
                      column("value", &ReplayValueRow::value, "value of the one launch"));
};

}  // namespace perfscope
