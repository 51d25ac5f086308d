// Timings -> values.
#include "injector/calibration/measure.h"

#include <algorithm>

namespace perfscope::calibration {

CalibrationValue valueOf(std::string id, std::string title, std::string unit, double amount,
                         const Timing& timing, std::string how) {
  if (timing.seconds_per_call.empty()) {
    return notMeasured(std::move(id), std::move(title), std::move(unit), "no repetition was timed");
  }
  CalibrationValue value;
  value.id = std::move(id);
  value.title = std::move(title);
  value.unit = std::move(unit);
  std::vector<double> seconds = timing.seconds_per_call;
  std::sort(seconds.begin(), seconds.end());
  const size_t middle = seconds.size() / 2;
  const double median =
      seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  value.best = amount > 0 ? amount / seconds.front() : seconds.front();
  value.median = amount > 0 ? amount / median : median;
  value.repetitions = static_cast<int>(seconds.size());
  value.repetition_s = timing.repetition_s;
  value.clocks = timing.clocks;
  value.how = std::move(how);
  return value;
}

CalibrationValue notMeasured(std::string id, std::string title, std::string unit, std::string why) {
  CalibrationValue value;
  value.id = std::move(id);
  value.title = std::move(title);
  value.unit = std::move(unit);
  value.why = std::move(why);
  return value;
}

}  // namespace perfscope::calibration
