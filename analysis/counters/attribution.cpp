// Skew first, then each counter on its own, several at a time.
#include "analysis/counters/attribution.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "analysis/counters/estimates.h"
#include "analysis/counters/role_fit.h"
#include "analysis/counters/sample_subset.h"
#include "analysis/counters/skew.h"
#include "analysis/trace/helper_threads.h"

namespace perfscope {
namespace {

constexpr size_t kSearchSamples = 40'000;  // for skew and lag
constexpr size_t kNoiseSamples = 120'000;  // for the first solution and the scatter
constexpr unsigned kMostThreads = 4;

std::vector<CounterRole> rolesOf(const std::vector<SampleSet>& sets) {
  std::vector<CounterRole> roles;
  for (const CounterRoleInfo& info : kCounterRoles) {
    const bool used = info.role != CounterRole::None &&
                      std::any_of(sets.begin(), sets.end(),
                                  [&](const SampleSet& set) { return set.find(info.role) != nullptr; });
    if (used) roles.push_back(info.role);
  }
  return roles;
}

int64_t droppedOf(const std::vector<SampleSet>& sets, CounterRole role) {
  int64_t dropped = 0;
  for (const SampleSet& set : sets) {
    const SampleMetric* metric = set.find(role);
    dropped += metric != nullptr ? metric->dropped : 0;
  }
  return dropped;
}

size_t threadCount(int wanted) {
  const unsigned machine = std::max(1U, std::thread::hardware_concurrency());
  return wanted > 0 ? static_cast<size_t>(wanted) : std::min(kMostThreads, machine);
}

}  // namespace

Attribution attribute(const AttributionInput& input, const AttributionOptions& options) {
  Attribution result;
  const std::vector<CounterRole> roles = rolesOf(input.sets);
  if (roles.empty()) return result;
  const SampleSubset few(input, kSearchSamples);
  const SampleSubset many(input, kNoiseSamples);
  RowShape shape;
  shape.signatures = input.columns;
  const std::optional<int64_t> found = options.skew_ns ? options.skew_ns : findSkew(input, few);
  result.skew_found = !options.skew_ns && found.has_value();
  shape.skew_ns = result.skew_ns = found.value_or(0);
  const ColumnCover cover = coverOf(input, shape);
  result.roles.resize(roles.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t r = next++; r < roles.size(); r = next++) {
      const RowShape of_role =
          roles[r] == CounterRole::DramWriteBytes ? withWriteLag(input, few, shape) : shape;
      const RoleFit fit = fitRole(input, many, of_role, roles[r], options.resamples);
      result.roles[r] = estimatesOf(input, cover, roles[r], fit);
      result.roles[r].dropped = droppedOf(input.sets, roles[r]);
    }
  };
  HelperThreads helpers;
  for (size_t t = 1; t < std::min(threadCount(options.threads), roles.size()); ++t) helpers.run(work);
  work();
  helpers.join();
  return result;
}

}  // namespace perfscope
