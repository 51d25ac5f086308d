// Measured values and the small shared structs -> JSON, one way for all parts of the JSON report.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analysis/report/measured.h"
#include "analysis/report/report.h"

namespace perfscope::json_report {

using Json = nlohmann::ordered_json;  // keeps the order of the contract

inline Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
inline Json number(int64_t value) {
  return value;
}

template <class T>
Json orNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline std::string reason(const std::string& why) {
  return why.empty() ? "the recording does not hold it" : why;
}

// target[key] = print(value), or null and target[key + "_why"].
template <class T, class Print>
void put(Json& target, const std::string& key, const Measured<T>& measured, Print&& print) {
  target[key] = measured.has() ? print(*measured) : Json(nullptr);
  if (!measured.has()) target[key + "_why"] = reason(measured.why);
  if (measured.has() && target[key].is_null()) target[key + "_why"] = "the value is not finite";
}

template <class T>
void put(Json& target, const std::string& key, const Measured<T>& measured) {
  put(target, key, measured, [](const T& value) { return number(value); });
}

Json distribution(const Distribution& d);
Json range(const ValueRange& r);
// {"value", "provenance"}, the value null with value_why when absent.
Json withProvenance(const Measured<double>& measured);
Json evidence(const std::vector<Evidence>& list);

Json trust(const TrustReport& report);
Json contract(const ContractReport& report);
Json overhead(const OverheadReport& report);
Json verdict(const VerdictReport& report);
Json device(const DeviceReport& report);
Json steps(const StepsReport& report);
Json kernel(const KernelReport& report);
Json gaps(const GapsReport& report);
Json communication(const CommunicationReport& report);
Json memory(const MemoryReport& report);
Json utilisation(const UtilisationReport& report);
Json finding(const Finding& report);

}  // namespace perfscope::json_report
