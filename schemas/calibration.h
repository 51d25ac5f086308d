// The ceilings measured on one GPU by `perfscope calibrate`: what the injector measures, the analysis stores
// and reports use. A value type; no file format here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace perfscope {

// Version of the stored file. Readers refuse a newer one.
inline constexpr int kCalibrationVersion = 1;

// What the GPU did while a value was taken (NVML). Empty = not known.
struct CalibrationClocks {
  std::optional<double> sm_clock_mhz, memory_clock_mhz, power_w, temperature_c;
};

// One ceiling. `best` is set exactly when `why` is empty.
struct CalibrationValue {
  std::string id;                      // "dram_copy", "bf16_tensor", "p2p:GPU-..."
  std::string title;                   // for people
  std::string unit;                    // "bytes/s", "FLOP/s" (FMA = 2), "op/s", "s"
  std::optional<double> best, median;  // over the repetitions; best = lowest for unit "s", else highest
  int repetitions = 0;
  double repetition_s = 0;  // median length of one timed repetition
  CalibrationClocks clocks;
  std::string how;  // buffer sizes, shapes, what was checked
  std::string why;  // not measured, because ...
};

struct Calibration {
  std::string device_name, uuid;   // as the driver says
  std::string compute_capability;  // "9.0"
  std::string driver_version;      // "580.65.06"; empty unknown
  std::string cuda_driver_api;     // "13.0"
  std::string date;                // UTC, ISO 8601
  std::string perfscope_version;
  int sm_count = 0;
  std::int64_t l2_bytes = 0;
  std::optional<double> max_sm_clock_mhz, power_limit_w;
  bool quick = false;  // shorter repetitions, smaller buffers
  std::vector<CalibrationValue> values;

  [[nodiscard]] const CalibrationValue* find(const std::string& id) const {
    for (const auto& value : values) {
      if (value.id == id) return &value;
    }
    return nullptr;
  }
};

}  // namespace perfscope
