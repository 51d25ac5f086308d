// Every threshold of the analysis, once: value, unit, what it decides and where it comes from. Reports print
// those that they used.
#pragma once

#include <array>
#include <string_view>

namespace perfscope {

struct Threshold {
  std::string_view id;
  double value;
  std::string_view unit;
  std::string_view text;
  std::string_view source;
};

namespace threshold {

inline constexpr Threshold kRoofShare{
    "roof_share", 0.60, "fraction of a roof", "from here on a kernel counts as bound by that roof",
    "convention of roofline practice (e.g. the 60 % rule of Nsight Compute's speed-of-light section)"};
inline constexpr Threshold kAboveRoof{"above_roof", 1.05, "fraction of a roof",
                                      "a point above this share of a compute roof is an error in the data",
                                      "5 % for clock and timer noise"};
inline constexpr Threshold kLaunchBoundShare{
    "launch_bound_share", 0.10, "fraction of the window",
    "idle time in host_submission and launch_latency that makes a program launch-bound", "metric catalogue"};
inline constexpr Threshold kLaunchBoundKernel{"launch_bound_kernel", 2.0, "x median launch cost",
                                              "median kernel time up to which a program is launch-bound",
                                              "metric catalogue"};
inline constexpr Threshold kGateShare{
    "gate_share", 0.10, "fraction of the window",
    "time share from which input, host or communication is the binding constraint",
    "same as launch_bound_share: removing less gains under 11 %"};
inline constexpr Threshold kNoiseShare{"noise_share", 0.02, "fraction of the window",
                                       "what is smaller is no finding", "practical threshold of comparisons"};
inline constexpr Threshold kGapCover{"gap_cover", 0.50, "fraction of a gap",
                                     "how much of a gap an event must cover to be its cause", "majority"};
inline constexpr Threshold kClockTolerance{
    "clock_tolerance", 2000, "ns", "host and device time stamps closer than this count as simultaneous",
    "CUPTI's host-device alignment is of the order of 1 us"};
inline constexpr Threshold kLatencyFloorFactor{
    "latency_floor_factor", 3.0, "x median",
    "a queued record may start this much later than the median queued record and still be launch_latency",
    "spread of back-to-back starts on one stream"};
inline constexpr Threshold kLatencyFloorMost{"latency_floor_most", 10000, "ns",
                                             "the measured floor is never taken to be higher than this",
                                             "back-to-back kernels start within 1 to 5 us"};
inline constexpr Threshold kLatencyFloorLeast{"latency_floor_least", 2000, "ns",
                                              "the measured floor is never taken to be lower than this",
                                              "one kernel drains and the next is dispatched in 1 to 2 us"};
inline constexpr Threshold kLatencyFloorDefault{"latency_floor_default", 5000, "ns",
                                                "floor when too few queued records were seen to measure it",
                                                "upper end of back-to-back starts"};
inline constexpr Threshold kWarmupDeviations{"warmup_deviations", 3.0, "x MAD",
                                             "first steps longer than median + this are warm-up",
                                             "metric catalogue"};
inline constexpr Threshold kWarmupExcess{
    "warmup_excess", 0.10, "fraction of the median",
    "... and longer than the median by this (a MAD near 0 proves nothing)", "noise of step times"};
inline constexpr Threshold kPeriodMatch{"period_match", 0.80, "fraction of kernels",
                                        "how much of the kernel sequence must repeat for steps to be found",
                                        "below it the series is not periodic"};
inline constexpr Threshold kLowOccupancy{"low_occupancy", 0.25, "fraction",
                                         "occupancy below which latency can hardly be hidden",
                                         "CUDA best practices guide: low occupancy limits latency hiding"};
inline constexpr Threshold kLargeTail{"large_tail", 0.40, "fraction of the last wave unused",
                                      "with fewer than kFewWaves waves this costs visible time",
                                      "arithmetic"};
inline constexpr Threshold kFewWaves{"few_waves", 4.0, "waves",
                                     "beyond this the tail is below 10 % of the time", "arithmetic"};
inline constexpr Threshold kHotKernel{"hot_kernel", 0.05, "fraction of kernel time",
                                      "share from which a kernel earns a finding of its own",
                                      "removing less gains under 5 %"};
inline constexpr Threshold kLowClock{"low_clock", 0.90, "fraction of the nominal clock",
                                     "median SM clock below this while busy is a finding",
                                     "10 % of compute rate"};
inline constexpr Threshold kMinorDevice{"minor_device", 0.10, "fraction of the busiest device",
                                        "devices less busy than this do not weigh in the verdict",
                                        "judgement"};

inline constexpr Threshold kRecordingOverhead{
    "recording_overhead", 0.10, "fraction of the bare run time",
    "measured slow-down by the recording beyond which predicted gains are withheld",
    "same as gate_share: the recording could be what binds"};

}  // namespace threshold

// All of them, for `perfscope schema` and the reports.
inline constexpr std::array<const Threshold*, 22> kThresholds = {
    &threshold::kRoofShare,         &threshold::kAboveRoof,         &threshold::kLaunchBoundShare,
    &threshold::kLaunchBoundKernel, &threshold::kGateShare,         &threshold::kNoiseShare,
    &threshold::kGapCover,          &threshold::kClockTolerance,    &threshold::kLatencyFloorFactor,
    &threshold::kLatencyFloorMost,  &threshold::kLatencyFloorLeast, &threshold::kLatencyFloorDefault,
    &threshold::kWarmupDeviations,  &threshold::kWarmupExcess,      &threshold::kPeriodMatch,
    &threshold::kLowOccupancy,      &threshold::kLargeTail,         &threshold::kFewWaves,
    &threshold::kHotKernel,         &threshold::kLowClock,          &threshold::kMinorDevice,
    &threshold::kRecordingOverhead};

}  // namespace perfscope
