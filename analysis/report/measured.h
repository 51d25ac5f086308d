// A metric is a value with its provenance, or the reason why it was not measured. There is no third case:
// never 0 for unknown.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace perfscope {

template <class T>
struct Measured {
  std::optional<T> value;
  std::string provenance;  // "measured:activity", "counted:api", "modelled:...", "datasheet", "calibrated",
                           // "user", ...
  std::string why;         // set exactly when value is not: "not measured, because <why>"

  static Measured of(T v, std::string provenance) { return {std::move(v), std::move(provenance), {}}; }
  static Measured absent(std::string why) { return {std::nullopt, {}, std::move(why)}; }
  [[nodiscard]] bool has() const { return value.has_value(); }
  [[nodiscard]] const T& operator*() const { return *value; }
};

}  // namespace perfscope
