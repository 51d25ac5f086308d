// The top level of the JSON report and the parts about the run as a whole.
#include "analysis/report/report_json.h"

#include <algorithm>

#include "analysis/report/json_values.h"
#include "schemas/report_schema.h"

namespace perfscope {
namespace json_report {
namespace {

Json process(const ProcessReport& p) {
  return {{"pid", p.pid},
          {"rank", orNull(p.rank)},
          {"world_size", orNull(p.world_size)},
          {"local_rank", orNull(p.local_rank)},
          {"host", p.host},
          {"command", orNull(p.command)},
          {"state", p.state},
          {"exit_status", orNull(p.exit_status)}};
}

Json gpu(const GpuContract& g) {
  return {{"name", g.name},
          {"uuid", g.uuid},
          {"spec", g.spec.empty() ? Json(nullptr) : Json(g.spec)},
          {"sm_count", orNull(g.sm_count)},
          {"memory_bytes", orNull(g.memory_bytes)},
          {"power_limit_w", g.power_limit_w ? number(*g.power_limit_w) : Json(nullptr)}};
}

Json groups(const KernelGroups& g) {
  Json list = Json::array();
  for (const auto& group : g.list) {
    list.push_back({{"name", group.name},
                    {"device", group.device},
                    {"count", group.count},
                    {"total_ns", group.total_ns},
                    {"share", number(group.share)}});
  }
  return {{"by", g.by}, {"list", list}};
}

}  // namespace

Json trust(const TrustReport& t) {
  Json losses = Json::array(), assumptions = Json::array(), gated = Json::array();
  for (const auto& loss : t.losses) {
    losses.push_back(
        {{"id", loss.id}, {"count", loss.count}, {"severity", loss.severity}, {"text", loss.text}});
  }
  for (const auto& assumption : t.assumptions) {
    assumptions.push_back({{"id", assumption.id}, {"text", assumption.text}});
  }
  for (const auto& gate : t.gated) gated.push_back({{"metric", gate.metric}, {"why", gate.why}});
  return {{"complete", t.complete}, {"losses", losses}, {"assumptions", assumptions}, {"gated", gated}};
}

Json contract(const ContractReport& c) {
  Json gpus = Json::array();
  for (const auto& one : c.gpus) gpus.push_back(gpu(one));
  Json power = nullptr;
  if (!c.gpus.empty() && c.gpus.front().power_limit_w) power = number(*c.gpus.front().power_limit_w);
  const Json system = {{"gpus", gpus},           {"driver", orNull(c.driver)},
                       {"cuda", orNull(c.cuda)}, {"cupti", orNull(c.cupti)},
                       {"host", orNull(c.host)}, {"clocks", Json(c.clocks)},
                       {"power_limit_w", power}};
  return {{"workload", Json(c.workload)},
          {"system", system},
          {"timing", Json(c.timing)},
          {"statistics", Json(c.statistics)},
          {"correctness", Json(c.correctness)}};
}

Json overhead(const OverheadReport& o) {
  Json result;
  result["measured"] = nullptr;
  if (o.measured) {
    result["measured"] = {{"bare_ns", o.measured->bare_ns},
                          {"profiled_ns", o.measured->profiled_ns},
                          {"ratio", number(o.measured->ratio)},
                          {"n", o.measured->n}};
  } else {
    result["measured_why"] =
        o.measured_why.empty() ? "not asked for (perfscope run --measure-overhead N)" : o.measured_why;
  }
  put(result, "estimated_ns", o.estimated_ns);
  return result;
}

Json verdict(const VerdictReport& v) {
  Json interventions = Json::array();
  for (const auto& step : v.interventions) {
    Json one = {{"text", step.text}, {"level", step.level}, {"axis", step.axis}, {"term", step.term}};
    one["predicted_gain"] = step.predicted_gain ? number(*step.predicted_gain) : Json(nullptr);
    if (one["predicted_gain"].is_null()) {
      one["predicted_gain_why"] =
          step.predicted_gain_why.empty() ? "no prediction for this step" : step.predicted_gain_why;
    }
    one["next_bottleneck"] = step.next_bottleneck.empty() ? Json(nullptr) : Json(step.next_bottleneck);
    if (step.next_bottleneck.empty()) one["next_bottleneck_why"] = "no prediction for this step";
    interventions.push_back(one);
  }
  return {{"binding", v.binding},     {"confidence", number(v.confidence)}, {"text", v.text},
          {"share", number(v.share)}, {"evidence", evidence(v.evidence)},   {"interventions", interventions}};
}

namespace {

template <class T, class Print>
Json listOf(const std::vector<T>& items, Print&& print) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(print(item));
  return list;
}

// Parts of the contract that need data this version does not record yet: null with the reason, never left
// out.
void putAbsentParts(Json& root) {
  root["phases"] = Json::array();
  root["phases_why"] = "phases (prefill, decode, forward, backward) are not detected in this version";
  root["iron_law"] = nullptr;
  root["iron_law_why"] = "needs measured bytes and FLOPs of every kernel (hardware counters)";
}

}  // namespace
}  // namespace json_report

std::string renderJson(const Report& report, const JsonOptions& options) {
  namespace part = json_report;
  using part::Json;
  Json root;
  root["report_version"] = kReportVersion;
  root["perfscope"] = {{"version", report.perfscope_version}, {"schema_version", report.schema_version}};
  root["source"] = {{"path", report.path}, {"format", report.format}, {"closed", report.closed}};
  root["trust"] = part::trust(report.trust);
  root["contract"] = part::contract(report.contract);
  root["overhead"] = part::overhead(report.overhead);
  root["verdict"] = part::verdict(report.verdict);
  root["processes"] = part::listOf(report.processes, part::process);
  root["devices"] = part::listOf(report.devices, part::device);
  root["steps"] = part::steps(report.steps);
  const size_t shown = std::min(options.top.value_or(report.kernels.size()), report.kernels.size());
  root["kernels"] = Json::array();
  for (size_t i = 0; i < shown; ++i) root["kernels"].push_back(part::kernel(report.kernels[i]));
  root["kernels_left_out"] = report.kernels.size() - shown;
  if (options.groups != nullptr) root["kernel_groups"] = part::groups(*options.groups);
  root["gaps"] = part::gaps(report.gaps);
  root["communication"] = part::communication(report.communication);
  root["memory"] = part::memory(report.memory);
  part::putAbsentParts(root);
  root["utilisation"] = part::utilisation(report.utilisation);
  root["findings"] = part::listOf(report.findings, part::finding);
  root["conventions"] = report.conventions;
  return root.dump(options.indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace perfscope
