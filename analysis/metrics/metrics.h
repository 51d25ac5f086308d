// The catalogue of metrics: each defined once, read by reports, JSON, help and the viewer.
#pragma once

#include <span>
#include <string_view>

namespace perfscope {

struct Metric {
  std::string_view id;  // path in the JSON report, e.g. "devices.busy_ns"
  std::string_view title;
  std::string_view question;  // what it answers
  std::string_view unit;
  std::string_view inputs;  // tables or metrics it is made of
  std::string_view formula;
  std::string_view convention;  // what is counted how; empty when the formula says it all
};

// In order of the report.
std::span<const Metric> metrics();

// Null when there is none of that id.
const Metric* findMetric(std::string_view id);

}  // namespace perfscope
