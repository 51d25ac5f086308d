// Roles wanted + what the chip offers -> the metrics that are sampled together in one pass. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/counter_roles.h"

namespace perfscope::collector {

struct ChosenMetric {
  CounterRole role = CounterRole::None;
  std::string name;
};

struct MetricChoice {
  std::vector<ChosenMetric> metrics;
  std::vector<std::string> left_out;  // roles or names, in words for the ledger
};

// How many passes these metrics need together; 0 = some metric is not offered (or the question failed).
using PassCounter = std::function<size_t(const std::vector<std::string>& metrics)>;

// `wanted`: roles or CUPTI metric names, comma-separated; empty = the standard roles. Sampling has one pass
// only, so a metric that would need a second one is left out.
MetricChoice chooseMetrics(std::string_view wanted, const PassCounter& passes);

// For replay: every metric that is offered, each asked for alone.
MetricChoice chooseReplayMetrics(const PassCounter& passes);

}  // namespace perfscope::collector
