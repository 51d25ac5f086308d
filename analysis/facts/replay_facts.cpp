// Replays by row id, then their values summed by role: several metrics of one role (operations by source
// type) are parts of one amount.
#include "analysis/facts/replay_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>

#include "schemas/tables_counters.h"

namespace perfscope {
namespace {

struct Signature {
  size_t device = 0;
  uint32_t name = 0, shape = 0;
  friend bool operator<(const Signature& a, const Signature& b) {
    return std::tie(a.device, a.name, a.shape) < std::tie(b.device, b.name, b.shape);
  }
};

template <class Row>
std::unordered_map<int64_t, uint32_t> indexOf(const std::vector<Row>& rows) {
  std::unordered_map<int64_t, uint32_t> index;
  for (size_t i = 0; i < rows.size(); ++i) index[rows[i].id] = static_cast<uint32_t>(i);
  return index;
}

std::vector<uint32_t> sameLaunches(const std::vector<LaunchShapeRow>& shapes) {
  std::map<std::array<int64_t, 13>, uint32_t> first;
  std::vector<uint32_t> same;
  same.reserve(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    const LaunchShapeRow& s = shapes[i];
    const std::array<int64_t, 13> launch = {s.grid_x,
                                            s.grid_y,
                                            s.grid_z,
                                            s.block_x,
                                            s.block_y,
                                            s.block_z,
                                            s.registers_per_thread,
                                            s.static_shared_bytes,
                                            s.dynamic_shared_bytes,
                                            s.local_bytes_per_thread,
                                            s.cluster_x,
                                            s.cluster_y,
                                            s.cluster_z};
    same.push_back(first.emplace(launch, static_cast<uint32_t>(i)).first->second);
  }
  return same;
}

Result<std::unordered_map<int64_t, Signature>> readReplays(const TraceReader& reader, const Trace& trace) {
  std::unordered_map<int64_t, Signature> replays;
  const auto names = indexOf(trace.names);
  const auto shapes = indexOf(trace.shapes);
  const auto status = reader.forEach<ReplayRow>("", [&](const ReplayRow& row) {
    if (!row.name_id || !row.shape_id) return;
    const auto device = trace.device_index.find(row.device_id);
    const auto name = names.find(*row.name_id);
    const auto shape = shapes.find(*row.shape_id);
    if (device == trace.device_index.end() || name == names.end() || shape == shapes.end()) return;
    replays[row.id] = {device->second, name->second, shape->second};
  });
  if (!status) return tl::unexpected(status.error());
  return replays;
}

// Integer operations are no floating-point ones.
bool isFloatOperation(CounterRole role, const std::string& metric) {
  return role != CounterRole::TensorOps || metric.find("_src_int") == std::string::npos;
}

// By CUPTI's names, "sm__ops_path_tensor_src_bf16_dst_fp32.sum".
std::optional<hardware::Precision> multipliedTypes(const std::string& metric) {
  using hardware::Precision;
  constexpr std::pair<std::string_view, Precision> kTypes[] = {{"_src_bf16", Precision::Bf16Tensor},
                                                               {"_src_fp16", Precision::Fp16Tensor},
                                                               {"_src_tf32", Precision::Tf32Tensor},
                                                               {"_src_fp64", Precision::Fp64Tensor},
                                                               {"_src_fp8", Precision::Fp8Tensor}};
  for (const auto& [part, precision] : kTypes)
    if (metric.find(part) != std::string::npos) return precision;
  return std::nullopt;
}

}  // namespace

Result<ReplayFacts> ReplayFacts::load(const TraceReader& reader, const Trace& trace) {
  const auto replays = readReplays(reader, trace);
  if (!replays) return tl::unexpected(replays.error());
  ReplayFacts facts;
  facts.m_same_launch = sameLaunches(trace.shapes);
  std::map<std::pair<int64_t, CounterRole>, double> amounts;  // by replay
  std::map<int64_t, TensorMix> mixes;
  const auto status = reader.forEach<ReplayValueRow>("", [&](const ReplayValueRow& row) {
    const CounterRole role = counterRoleNamed(row.role);
    if (role == CounterRole::None || replays->find(row.replay_id) == replays->end()) return;
    if (!isFloatOperation(role, row.metric)) return;
    amounts[{row.replay_id, role}] += row.value;  // NaN stays NaN: the whole amount is unknown then
    const auto types = multipliedTypes(row.metric);
    if (role == CounterRole::TensorOps && types && row.value > 0)
      mixes[row.replay_id][static_cast<size_t>(*types)] += row.value;
  });
  if (!status) return tl::unexpected(status.error());
  for (const auto& [replay, mix] : mixes) {
    const Signature& of = replays->at(replay);
    auto& [sum, launches] = facts.m_tensor[{of.device, of.name, facts.sameLaunch(of.shape)}];
    for (size_t p = 0; p < mix.size(); ++p) sum[p] += mix[p];
    ++launches;
  }
  std::set<int64_t> counted;
  std::set<Signature> signatures;
  for (const auto& [key, amount] : amounts) {
    if (!std::isfinite(amount) || amount < 0) continue;
    const Signature& of = replays->at(key.first);
    ReplayedValue& value = facts.m_values[{of.device, of.name, facts.sameLaunch(of.shape), key.second}];
    value.least = value.launches == 0 ? amount : std::min(value.least, amount);
    value.most = std::max(value.most, amount);
    value.sum += amount;
    ++value.launches;
    counted.insert(key.first);
    signatures.insert(of);
  }
  facts.m_launches = static_cast<int64_t>(counted.size());
  facts.m_signatures = signatures.size();
  return facts;
}

ReplayFacts::TensorMix ReplayFacts::tensorMix(size_t device, uint32_t name, uint32_t shape) const {
  TensorMix mean{};
  const auto found = m_tensor.find({device, name, sameLaunch(shape)});
  if (found == m_tensor.end()) return mean;
  const auto& [sum, launches] = found->second;
  for (size_t p = 0; p < mean.size(); ++p) mean[p] = sum[p] / static_cast<double>(launches);
  return mean;
}

const ReplayedValue* ReplayFacts::find(size_t device, uint32_t name, uint32_t shape, CounterRole role) const {
  const auto found = m_values.find({device, name, sameLaunch(shape), role});
  return found == m_values.end() ? nullptr : &found->second;
}

}  // namespace perfscope
