// JSON of what happened on the time line: devices, steps, gaps, communication, memory, utilisation.
#include "analysis/report/json_values.h"

namespace perfscope::json_report {

Json distribution(const Distribution& d) {
  return {{"count", d.count}, {"min", d.min_ns}, {"p50", d.p50_ns}, {"p90", d.p90_ns},
          {"p95", d.p95_ns},  {"p99", d.p99_ns}, {"max", d.max_ns}};
}

Json range(const ValueRange& r) {
  return {{"min", number(r.min)}, {"median", number(r.median)}, {"max", number(r.max)}};
}

Json device(const DeviceReport& d) {
  Json result = {{"id", d.id}, {"name", d.name}};
  result["spec"] = d.spec.empty() ? Json(nullptr) : Json(d.spec);
  result["spec_why"] = d.spec.empty() ? reason(d.spec_why) : d.spec_why;
  result["calibration"] = d.calibration.empty() ? Json(nullptr) : Json(d.calibration);
  const std::pair<const char*, int64_t> integers[] = {
      {"kernel_count", d.kernel_count}, {"kernel_sum_ns", d.kernel_sum_ns},
      {"span_ns", d.span_ns},           {"busy_ns", d.busy_ns},
      {"idle_ns", d.idle_ns},           {"kernel_busy_ns", d.kernel_busy_ns},
      {"compute_ns", d.compute_ns},     {"comm_ns", d.comm_ns},
      {"overlap_ns", d.overlap_ns},     {"exposed_comm_ns", d.exposed_comm_ns},
      {"memcpy_ns", d.memcpy_ns},       {"memset_ns", d.memset_ns},
      {"memcpy_count", d.memcpy_count}, {"memset_count", d.memset_count},
      {"memcpy_bytes", d.memcpy_bytes}, {"copy_hidden_ns", d.copy_hidden_ns},
      {"comm_count", d.comm_count},     {"graph_node_count", d.graph_node_count},
      {"streams", d.streams},           {"first_ns", d.first_ns},
      {"last_ns", d.last_ns},           {"unrecorded_ns", d.unrecorded_ns}};
  for (const auto& [key, value] : integers) result[key] = value;
  put(result, "clock_mhz", d.sm_clock_mhz, range);
  put(result, "power_w", d.power_w, range);
  put(result, "temperature_c", d.temperature_c, range);
  put(result, "throttle", d.throttle, [](const std::vector<std::string>& reasons) { return Json(reasons); });
  put(result, "energy_j", d.energy_j);
  Json dram = Json::object();
  put(dram, "read", d.dram_read_bytes);
  put(dram, "write", d.dram_write_bytes);
  dram["provenance"] = d.dram_read_bytes.has() ? Json(d.dram_read_bytes.provenance) : Json(nullptr);
  result["dram_bytes"] = dram;
  put(result, "tensor_active", d.tensor_active);
  put(result, "opaque_graph_ns", d.opaque_graph_ns);
  return result;
}

Json steps(const StepsReport& s) {
  Json result = {{"source", s.source},
                 {"why", s.why.empty() ? Json(nullptr) : Json(s.why)},
                 {"confidence", number(s.confidence)},
                 {"count", s.count},
                 {"warmup", s.warmup}};
  put(result, "median_ns", s.median_ns);
  put(result, "mad_ns", s.mad_ns);
  put(result, "p95_ns", s.p95_ns);
  put(result, "p99_ns", s.p99_ns);
  put(result, "max_ns", s.max_ns);
  put(result, "drift", s.drift);
  Json list = Json::array();
  for (const auto& step : s.list) {
    list.push_back({{"index", step.index},
                    {"name", step.name},
                    {"start_ns", step.start_ns},
                    {"duration_ns", step.duration_ns},
                    {"busy_ns", step.busy_ns},
                    {"kernel_count", step.kernel_count},
                    {"warmup", step.warmup}});
  }
  result["list"] = list;
  return result;
}

namespace {

Json longestGaps(const std::vector<GapReport>& gaps) {
  Json list = Json::array();
  for (const auto& gap : gaps) {
    list.push_back({{"device", gap.device},
                    {"start_ns", gap.start_ns},
                    {"duration_ns", gap.duration_ns},
                    {"cause", gap.cause},
                    {"evidence", gap.evidence},
                    {"before", gap.before},
                    {"after", gap.after}});
  }
  return list;
}

}  // namespace

Json gaps(const GapsReport& g) {
  Json causes = Json::object();
  for (const auto& [id, cause] : g.by_cause) causes[id] = {{"ns", cause.ns}, {"count", cause.count}};
  Json result = {{"total_ns", g.total_ns},
                 {"count", g.count},
                 {"by_cause", causes},
                 {"largest", longestGaps(g.largest)}};
  result["largest_in_window"] = longestGaps(g.largest_in_window);
  put(result, "launch_latency_ns", g.launch_latency, distribution);
  put(result, "launch_cost_ns", g.launch_cost, distribution);
  put(result, "queue_depth", g.queue_depth, distribution);
  result["launches"] = g.launches;
  result["graph_launches"] = g.graph_launches;
  return result;
}

Json communication(const CommunicationReport& c) {
  Json collectives = Json::array();
  for (const auto& one : c.collectives) {
    Json row = {{"op", one.op}, {"bytes", one.bytes}, {"count", one.count}, {"total_ns", one.total_ns}};
    for (const char* key : {"busbw", "roof", "fraction", "exposed_ns", "skew_ns", "verdict"}) {
      row[key] = nullptr;
      row[std::string(key) + "_why"] = "collectives are listed but not analysed in this version";
    }
    collectives.push_back(row);
  }
  return {{"collectives", collectives},
          {"source", c.source.empty() ? Json(nullptr) : Json(c.source)},
          {"why", c.why.empty() ? Json(nullptr) : Json(c.why)},
          {"interference", Json::array()}};
}

Json memory(const MemoryReport& m) {
  Json result = Json::object();
  put(result, "peak_bytes", m.peak_bytes);
  put(result, "allocations_in_steps", m.allocations_in_steps);
  Json copies = Json::array();
  for (const auto& copy : m.copies) {
    Json row = {{"kind", copy.kind},
                {"pageable", copy.pageable},
                {"count", copy.count},
                {"bytes", copy.bytes},
                {"ns", copy.ns}};
    put(row, "rate", copy.rate_bytes_per_s);
    row["hidden"] = copy.ns > 0 ? number(static_cast<double>(copy.hidden_ns) / static_cast<double>(copy.ns))
                                : Json(nullptr);
    if (copy.ns <= 0) row["hidden_why"] = "the copies took no time";
    row["hidden_ns"] = copy.hidden_ns;
    copies.push_back(row);
  }
  result["copies"] = copies;
  return result;
}

Json utilisation(const UtilisationReport& u) {
  Json result = Json::object();
  const std::pair<const char*, const Measured<double>*> parts[] = {{"busy", &u.busy},
                                                                   {"hfu", &u.hfu},
                                                                   {"mfu", &u.mfu},
                                                                   {"mbu_model", &u.mbu_model},
                                                                   {"mbu_measured", &u.mbu_measured}};
  for (const auto& [key, value] : parts) {
    put(result, key, *value);
    if (value->has()) result[std::string(key) + "_provenance"] = value->provenance;
  }
  return result;
}

}  // namespace perfscope::json_report
