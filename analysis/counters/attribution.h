// Divides what counters sampled of a whole GPU among the kernels, copies and fills that ran: for each counter
// the non-negative rates x that explain the samples y = A x best, A = time each signature ran in each sample.
// No kernel is run twice for it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/counters/counter_samples.h"
#include "analysis/timeline/intervals.h"

namespace perfscope {

// Time (ns) and launches, in the whole profile, that a subject contributes to a column.
struct SubjectPart {
  uint32_t column = 0;
  double ns = 0, launches = 0;
};
// What a value is wanted for: a kernel name (with all its shapes), a class of copies, a pool of small
// kernels.
struct Subject {
  std::vector<SubjectPart> parts;
};

struct AttributionInput {
  std::vector<Activity> activities;  // sorted by start
  size_t columns = 0;                // Activity::column is below it
  std::vector<Subject> subjects;
  std::vector<SampleSet> sets;  // as loadSamples() makes them
  IntervalSet excluded;         // samples that touch it are left out: not everything that ran was recorded
};

struct AttributionOptions {
  int resamples = 200;             // of the bootstrap
  int threads = 0;                 // 0 = as many as the machine has, at most 4
  std::optional<int64_t> skew_ns;  // given instead of found
};

enum class Withheld : uint8_t {
  No,
  NotSampled,       // no sample while it ran
  TooFewSamples,    // it ran for less than kLeastIntervals sampling intervals in all
  TooLittleWeight,  // a launch is so short that it fills less than kLeastWeight of the samples it is in
  NotSeparable,     // runs always beside others: see group
  TooWide,          // the samples leave too much open
};

inline constexpr double kLeastIntervals = 30;
inline constexpr double kLeastWeight = 0.03;
inline constexpr double kWidestInterval = 0.5;  // half a 95 % interval, as a fraction of the value
// What the model itself is trusted with (constant rate of a signature): no interval is narrower.
inline constexpr double kModelError = 0.02;

// Of one subject and one role, over all its launches in the profile, in the unit of the role.
struct Estimate {
  Withheld withheld = Withheld::NotSampled;
  double total = 0, low = 0, high = 0;     // 95 % interval; for NotSeparable and TooWide still filled
  int32_t group = -1;                      // index into RoleAttribution::groups
  bool drifts = false;                     // the halves of the samples differ by more than both intervals
  double first_half = 0, second_half = 0;  // the same total, from each half
  [[nodiscard]] bool has() const { return withheld == Withheld::No; }
};

// Subjects that the samples cannot tell apart; the sum is known better than its parts.
struct SubjectGroup {
  std::vector<uint32_t> members;
  bool with_idle = false;  // nor from idle time
  double total = 0, low = 0, high = 0;
};

struct RoleAttribution {
  CounterRole role = CounterRole::None;
  // Conservation: sampled = attributed + idle + unexplained (which may be negative). Nothing is ever scaled.
  double sampled = 0, attributed = 0, idle = 0, unexplained = 0;
  double sampled_ns = 0;             // time of the samples that were used
  int64_t samples = 0, dropped = 0;  // used; left out as impossible values
  int64_t outliers = 0;              // used with less weight
  int64_t lag_ns = 0;                // write-back lag that was modelled; 0 = none
  std::vector<Estimate> subjects;    // by subject
  std::vector<SubjectGroup> groups;
};

struct Attribution {
  int64_t skew_ns = 0;      // added to the times of the samples
  bool skew_found = false;  // false: given, or no minimum within the range that was searched
  std::vector<RoleAttribution> roles;
};

// One entry of `roles` for each role that any set has. Needs 8 * 32 * columns^2 bytes a thread beside its
// input, however many samples and activities there are.
Attribution attribute(const AttributionInput& input, const AttributionOptions& options);

}  // namespace perfscope
