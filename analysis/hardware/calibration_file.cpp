// JSON of calibrations and the folder they lie in.
#include "analysis/hardware/calibration_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace perfscope::hardware {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kRemedy = "make it again with `perfscope calibrate`";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

Json orNull(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> numberOrEmpty(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string textOrEmpty(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json valueJson(const CalibrationValue& v) {
  return {{"id", v.id},
          {"title", v.title},
          {"unit", v.unit},
          {"value", orNull(v.best)},
          {"value_why", v.best ? Json(nullptr) : Json(v.why)},
          {"median", orNull(v.median)},
          {"repetitions", v.repetitions},
          {"repetition_s", v.repetition_s},
          {"sm_clock_mhz", orNull(v.clocks.sm_clock_mhz)},
          {"memory_clock_mhz", orNull(v.clocks.memory_clock_mhz)},
          {"power_w", orNull(v.clocks.power_w)},
          {"temperature_c", orNull(v.clocks.temperature_c)},
          {"how", v.how}};
}

bool isAmount(const std::optional<double>& value) {
  return value && std::isfinite(*value) && *value > 0;
}

Result<CalibrationValue> parseValue(const Json& json, const std::string& where) {
  CalibrationValue v;
  if (!json.is_object()) return failure(ErrorKind::InputRefused, where, "is not an object", kRemedy);
  v.id = textOrEmpty(json, "id");
  v.title = textOrEmpty(json, "title");
  v.unit = textOrEmpty(json, "unit");
  v.how = textOrEmpty(json, "how");
  v.why = textOrEmpty(json, "value_why");
  v.best = numberOrEmpty(json, "value");
  v.median = numberOrEmpty(json, "median");
  v.repetitions = static_cast<int>(std::clamp(numberOrEmpty(json, "repetitions").value_or(0), 0.0, 1e6));
  v.repetition_s = numberOrEmpty(json, "repetition_s").value_or(0);
  v.clocks = {numberOrEmpty(json, "sm_clock_mhz"), numberOrEmpty(json, "memory_clock_mhz"),
              numberOrEmpty(json, "power_w"), numberOrEmpty(json, "temperature_c")};
  if (v.id.empty() || v.unit.empty())
    return failure(ErrorKind::InputRefused, where, "a value has no id or no unit", kRemedy);
  const std::string place = where + ", value " + v.id;
  if (v.best && !isAmount(v.best)) return failure(ErrorKind::InputRefused, place, "is not positive", kRemedy);
  if (v.best && !isAmount(v.median)) return failure(ErrorKind::InputRefused, place, "has no median", kRemedy);
  if (v.best.has_value() != v.why.empty())
    return failure(ErrorKind::InputRefused, place, "needs either a number or a reason", kRemedy);
  return v;
}

}  // namespace

std::string calibrationFolder() {
  std::string root = variable("PERFSCOPE_DATA");
  if (root.empty() && !variable("XDG_DATA_HOME").empty()) root = variable("XDG_DATA_HOME") + "/perfscope";
  if (root.empty() && !variable("HOME").empty()) root = variable("HOME") + "/.local/share/perfscope";
  return root.empty() ? root : root + "/calibration";
}

std::string calibrationJson(const Calibration& c) {
  Json values = Json::array();
  for (const auto& value : c.values) values.push_back(valueJson(value));
  const Json root = {{"calibration_version", kCalibrationVersion},
                     {"perfscope_version", c.perfscope_version},
                     {"device",
                      {{"name", c.device_name},
                       {"uuid", c.uuid},
                       {"compute_capability", c.compute_capability},
                       {"sm_count", c.sm_count},
                       {"l2_bytes", c.l2_bytes},
                       {"max_sm_clock_mhz", orNull(c.max_sm_clock_mhz)},
                       {"power_limit_w", orNull(c.power_limit_w)}}},
                     {"driver", {{"version", c.driver_version}, {"cuda", c.cuda_driver_api}}},
                     {"date", c.date},
                     {"quick", c.quick},
                     {"values", values}};
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Calibration> parseCalibration(const std::string& text, const std::string& where) {
  const Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded() || !root.is_object())
    return failure(ErrorKind::InputRefused, where, "is not a JSON object", kRemedy);
  const auto version = root.find("calibration_version");
  if (version == root.end() || !version->is_number_integer())
    return failure(ErrorKind::InputRefused, where, "is not a calibration (no calibration_version)",
                   "name a file made by `perfscope calibrate`");
  if (version->get<std::int64_t>() > kCalibrationVersion)
    return failure(ErrorKind::InputRefused, where,
                   fmt::format("has version {}, this perfscope knows {}", version->get<std::int64_t>(),
                               kCalibrationVersion),
                   "update perfscope, or calibrate again");
  const Json nothing = Json::object();
  const auto part = [&](const char* key) -> const Json& {
    const auto found = root.find(key);
    return found != root.end() && found->is_object() ? *found : nothing;
  };
  Calibration c;
  const Json& device = part("device");
  c.device_name = textOrEmpty(device, "name");
  c.uuid = textOrEmpty(device, "uuid");
  c.compute_capability = textOrEmpty(device, "compute_capability");
  c.sm_count = static_cast<int>(std::clamp(numberOrEmpty(device, "sm_count").value_or(0), 0.0, 1e6));
  c.l2_bytes =
      static_cast<std::int64_t>(std::clamp(numberOrEmpty(device, "l2_bytes").value_or(0), 0.0, 1e15));
  c.max_sm_clock_mhz = numberOrEmpty(device, "max_sm_clock_mhz");
  c.power_limit_w = numberOrEmpty(device, "power_limit_w");
  c.driver_version = textOrEmpty(part("driver"), "version");
  c.cuda_driver_api = textOrEmpty(part("driver"), "cuda");
  c.date = textOrEmpty(root, "date");
  c.perfscope_version = textOrEmpty(root, "perfscope_version");
  const auto quick = root.find("quick");
  c.quick = quick != root.end() && quick->is_boolean() && quick->get<bool>();
  if (c.device_name.empty() || c.uuid.empty())
    return failure(ErrorKind::InputRefused, where, "does not say of which GPU it is", kRemedy);
  const auto values = root.find("values");
  if (values == root.end() || !values->is_array())
    return failure(ErrorKind::InputRefused, where, "has no list of values", kRemedy);
  for (const Json& entry : *values) {
    auto value = parseValue(entry, where);
    if (!value) return tl::unexpected(value.error());
    c.values.push_back(std::move(*value));
  }
  return c;
}

Result<Calibration> readCalibration(const std::string& path) {
  std::error_code ignored;
  const bool regular = fs::is_regular_file(path, ignored);  // a FIFO would be waited for
  std::ifstream file(regular ? path : std::string(), std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    return failure(ErrorKind::InputMissing, path, "cannot be read",
                   "name a file made by `perfscope calibrate`");
  return parseCalibration(text.str(), path);
}

Status writeCalibration(const std::string& path, const Calibration& calibration) {
  const fs::path target(path);
  const std::string part = fmt::format("{}.{}.part", path, ::getpid());
  std::error_code error;
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), error);
  bool written = !error;
  if (written) {
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    file << calibrationJson(calibration);
    file.close();
    written = file.good();
  }
  if (written) fs::rename(part, target, error);
  if (!written || error) {
    std::error_code ignored;
    fs::remove(part, ignored);
    return failure(ErrorKind::Output, path, error ? error.message() : "cannot be written",
                   "write elsewhere with -o FILE, or set PERFSCOPE_DATA to a folder of yours");
  }
  return {};
}

std::vector<StoredCalibration> storedCalibrations(const std::string& folder,
                                                  std::vector<std::string>& warnings) {
  std::vector<StoredCalibration> stored;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != ".json") continue;
    auto calibration = readCalibration(entry.path().string());
    if (calibration) {
      stored.push_back({entry.path().string(), std::move(*calibration)});
    } else {
      warnings.push_back(calibration.error().sentence());
    }
  }
  std::sort(stored.begin(), stored.end(), [](const StoredCalibration& a, const StoredCalibration& b) {
    return a.calibration.date != b.calibration.date ? a.calibration.date > b.calibration.date
                                                    : a.path < b.path;
  });
  return stored;
}

const StoredCalibration* matching(const std::vector<StoredCalibration>& stored, const std::string& uuid,
                                  const std::string& device_name) {
  const auto first = [&](auto&& fits) -> const StoredCalibration* {
    const auto found = std::find_if(stored.begin(), stored.end(), fits);
    return found == stored.end() ? nullptr : &*found;
  };
  const auto* const same =
      first([&](const StoredCalibration& s) { return !uuid.empty() && s.calibration.uuid == uuid; });
  if (same != nullptr) return same;
  return first([&](const StoredCalibration& s) { return s.calibration.device_name == device_name; });
}

std::optional<double> datasheetValue(const HardwareSpec& spec, const CalibrationValue& value) {
  const std::string& id = value.id;
  if (id.rfind("dram_", 0) == 0) return spec.dram_bandwidth_bytes_per_s;
  if (id.rfind("h2d_", 0) == 0 || id.rfind("d2h_", 0) == 0) return spec.pcie_bytes_per_s;
  if (id.rfind("p2p:", 0) == 0)
    return spec.nvlink_bytes_per_s ? spec.nvlink_bytes_per_s : spec.pcie_bytes_per_s;
  if (id == "shared_read") {
    constexpr double kBytesPerSmClock = 128;  // 32 banks of 4 bytes
    if (!spec.sm_count || !spec.boost_clock_mhz) return std::nullopt;
    return kBytesPerSmClock * *spec.sm_count * *spec.boost_clock_mhz * 1e6;
  }
  for (const Precision precision : allPrecisions()) {
    if (name(precision) == id) return spec.peak(precision).flops_per_s;
  }
  return std::nullopt;
}

int refuseImplausible(const HardwareSpec& spec, Calibration& calibration) {
  int refused = 0;
  for (auto& value : calibration.values) {
    const auto sheet = datasheetValue(spec, value);
    // A grace chip's host link is not the card's PCIe link: only the chip's own figures are judged.
    const bool is_link = value.id.find("h2d") == 0 || value.id.find("d2h") == 0 || value.id.find("p2p:") == 0;
    if (!value.best || !sheet || is_link || *value.best <= kImplausible * *sheet) continue;
    value.why =
        fmt::format("measured {:.4g} {}, {:.2f} times the data sheet of {}: an error of the measurement",
                    *value.best, value.unit, *value.best / *sheet, spec.name);
    value.best.reset();
    value.median.reset();
    ++refused;
  }
  return refused;
}

}  // namespace perfscope::hardware
