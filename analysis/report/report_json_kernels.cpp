// JSON of kernels and findings.
#include "analysis/report/json_values.h"

namespace perfscope::json_report {
namespace {

Json triple(const int64_t (&values)[3]) {
  return {values[0], values[1], values[2]};
}

// What of the kernel lies in the time the verdict is about.
Json window(const KernelReport& k) {
  Json result = {{"count", k.window_count}, {"total_ns", k.window_ns}, {"share", number(k.window_share)}};
  put(result, "flops_algorithmic", k.flops.algorithmic_in_window);
  return result;
}

Json flops(const FlopsReport& f) {
  Json executed = withProvenance(f.executed);
  executed["low"] = f.executed_low ? number(*f.executed_low) : Json(nullptr);
  executed["high"] = f.executed_high ? number(*f.executed_high) : Json(nullptr);
  return {{"algorithmic", withProvenance(f.algorithmic)}, {"executed", executed}};
}

Json bytes(const BytesReport& b) {
  Json dram = Json::object();
  put(dram, "read", b.dram_read);
  put(dram, "write", b.dram_write);
  dram["low"] = b.dram_low ? number(*b.dram_low) : Json(nullptr);
  dram["high"] = b.dram_high ? number(*b.dram_high) : Json(nullptr);
  dram["provenance"] = b.dram_read.has() ? Json(b.dram_read.provenance) : Json(nullptr);
  Json l2 = withProvenance(b.l2);
  l2["low"] = b.l2_low ? number(*b.l2_low) : Json(nullptr);
  l2["high"] = b.l2_high ? number(*b.l2_high) : Json(nullptr);
  return {{"dram", dram}, {"l2", l2}, {"algorithmic", withProvenance(b.algorithmic)}};
}

Json roofline(const RooflineReport& r) {
  Json result = {{"verdict", r.verdict},
                 {"why", r.why},
                 {"precision", r.precision.empty() ? Json(nullptr) : Json(r.precision)},
                 {"boundary", r.boundary.empty() ? Json(nullptr) : Json(r.boundary)}};
  put(result, "ceiling_flops", r.ceiling_flops);
  put(result, "ceiling_flops_at_clock", r.ceiling_flops_at_clock);
  put(result, "ceiling_bytes_per_s", r.ceiling_bytes_per_s);
  put(result, "fraction_of_roof", r.fraction_of_roof);
  put(result, "ceiling_flops_calibrated", r.ceiling_flops_calibrated);
  put(result, "ceiling_bytes_per_s_calibrated", r.ceiling_bytes_per_s_calibrated);
  put(result, "fraction_of_calibrated", r.fraction_of_calibrated);
  return result;
}

Json identity(const KernelReport& k) {
  return {{"name", k.name},
          {"short_name", k.short_name},
          {"class", k.kernel_class},
          {"device", k.device},
          {"count", k.count},
          {"total_ns", k.total_ns},
          {"share", number(k.share)},
          {"min_ns", k.duration.min_ns},
          {"p50_ns", k.duration.p50_ns},
          {"p90_ns", k.duration.p90_ns},
          {"p95_ns", k.duration.p95_ns},
          {"p99_ns", k.duration.p99_ns},
          {"max_ns", k.duration.max_ns},
          {"grid", triple(k.grid)},
          {"block", triple(k.block)},
          {"shape_count", k.shape_count},
          {"registers", k.registers},
          {"shared_bytes", k.shared_bytes},
          {"local_bytes", k.local_bytes},
          {"graph_node_count", k.graph_node_count}};
}

}  // namespace

Json withProvenance(const Measured<double>& measured) {
  Json result = Json::object();
  put(result, "value", measured);
  result["provenance"] = measured.has() ? Json(measured.provenance) : Json(nullptr);
  return result;
}

Json evidence(const std::vector<Evidence>& list) {
  Json result = Json::array();
  for (const auto& e : list) {
    result.push_back({{"text", e.text},
                      {"range", e.range_ns ? Json({e.range_ns->first, e.range_ns->second}) : Json(nullptr)},
                      {"device", orNull(e.device)},
                      {"kernel", orNull(e.kernel)}});
  }
  return result;
}

Json kernel(const KernelReport& k) {
  Json result = identity(k);
  result["window"] = window(k);
  put(result, "occupancy", k.occupancy);
  result["occupancy_limiter"] = k.occupancy_limiter.empty() ? Json(nullptr) : Json(k.occupancy_limiter);
  put(result, "waves", k.waves);
  put(result, "tail", k.tail);
  result["flops"] = flops(k.flops);
  result["bytes"] = bytes(k.bytes);
  Json intensity = Json::object();
  put(intensity, "dram", k.intensity_dram);
  put(intensity, "algorithmic", k.intensity_algorithmic);
  result["intensity"] = intensity;
  put(result, "achieved_flops", k.achieved_flops);
  put(result, "achieved_bytes_per_s", k.achieved_bytes_per_s);
  result["roofline"] = roofline(k.roofline);
  result["alignment"] = k.alignment.empty() ? Json(nullptr) : Json(k.alignment);
  put(result, "tensor_active", k.tensor_active);
  result["instruction_mix"] = nullptr;
  if (k.instruction_mix.empty()) {
    result["instruction_mix_why"] =
        k.instruction_mix_why.empty() ? "needs hardware counters" : k.instruction_mix_why;
  } else {
    Json mix = Json::object();
    for (const auto& [pipe, part] : k.instruction_mix) mix[pipe] = number(part);
    result["instruction_mix"] = mix;
  }
  return result;
}

Json finding(const Finding& f) {
  Json result = {{"id", f.id},     {"severity", f.severity}, {"level", f.level},
                 {"axis", f.axis}, {"term", f.term},         {"title", f.title}};
  result["evidence"] = evidence(f.evidence);
  result["advice"] = f.advice;
  put(result, "predicted_gain_ns", f.predicted_gain_ns);
  result["sources"] = f.sources;
  return result;
}

}  // namespace perfscope::json_report
