// Signatures by time: the largest alone, what is left of a name together, what is left of a class together.
#include "analysis/counters/columns.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace perfscope {
namespace {

constexpr size_t kMostSignatures = 160, kMostRests = 24;

struct Amount {
  double ns = 0, launches = 0;
  void add(const Amount& other) { ns += other.ns, launches += other.launches; }
};
using Signature = std::pair<uint32_t, uint32_t>;  // name, shape

uint64_t keyOf(uint32_t name, uint32_t shape) {
  return uint64_t{name} << 32 | shape;
}

std::vector<std::pair<Signature, Amount>> signaturesOf(const Trace& trace, IndexRange range) {
  std::unordered_map<uint64_t, Amount> sums;
  for (size_t i = range.begin; i < range.end; ++i) {
    Amount& sum = sums[keyOf(trace.kernels.name[i], trace.kernels.shape[i])];
    sum.ns += static_cast<double>(trace.kernels.duration_ns[i]);
    sum.launches += 1;
  }
  std::vector<std::pair<Signature, Amount>> list;
  list.reserve(sums.size());
  for (const auto& [key, sum] : sums)
    list.push_back({{static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key)}, sum});
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return std::tie(b.second.ns, a.first) < std::tie(a.second.ns, b.first);
  });
  return list;
}

std::string_view copyKind(uint8_t kind) {
  constexpr std::string_view kNames[] = {"",     "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                         "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
  return kind < std::size(kNames) ? kNames[kind] : "";
}

class Builder {
 public:
  Builder(const Trace& trace, const std::vector<KernelClass>& classes, size_t device)
      : m_trace(trace), m_classes(classes), m_device(device) {
    m_result.subject_of_name.assign(trace.names.size(), kNoSubject);
    m_result.is_pooled.assign(trace.names.size(), 0);
  }

  CounterColumns build() {
    const auto signatures = signaturesOf(m_trace, m_trace.device_kernels[m_device]);
    assignColumns(signatures);
    makeNameSubjects(signatures);
    addKernels();
    addOps();
    addOpaqueGraphs();
    auto& activities = m_result.input.activities;
    std::stable_sort(activities.begin(), activities.end(),
                     [](const Activity& a, const Activity& b) { return a.start_ns < b.start_ns; });
    return std::move(m_result);
  }

 private:
  uint32_t newColumn() { return static_cast<uint32_t>(m_result.input.columns++); }

  int32_t newSubject(std::string label, int32_t name) {
    m_result.input.subjects.emplace_back();
    m_result.labels.push_back(std::move(label));
    m_result.name_of_subject.push_back(name);
    return static_cast<int32_t>(m_result.input.subjects.size() - 1);
  }

  void assignColumns(const std::vector<std::pair<Signature, Amount>>& signatures) {
    std::map<uint32_t, double> rest_ns;  // by name
    for (size_t i = kMostSignatures; i < signatures.size(); ++i)
      rest_ns[signatures[i].first.first] += signatures[i].second.ns;
    std::vector<std::pair<double, uint32_t>> rests;
    rests.reserve(rest_ns.size());
    for (const auto& [name, ns] : rest_ns) rests.push_back({-ns, name});
    std::sort(rests.begin(), rests.end());
    if (rests.size() > kMostRests) rests.resize(kMostRests);
    std::map<uint32_t, uint32_t> rest_column;
    for (size_t i = 0; i < signatures.size(); ++i) {
      const auto& [signature, amount] = signatures[i];
      const uint32_t name = signature.first;  // a lambda of clang 14 captures no structured binding
      const uint64_t key = keyOf(name, signature.second);
      if (i < kMostSignatures) {
        m_column[key] = newColumn();
      } else if (std::any_of(rests.begin(), rests.end(),
                             [&](const auto& rest) { return rest.second == name; })) {
        const auto [found, fresh] = rest_column.try_emplace(signature.first, 0);
        if (fresh) found->second = newColumn();
        m_column[key] = found->second;
      } else {
        m_column[key] = poolColumn(m_classes[signature.first], amount);
      }
    }
  }

  uint32_t poolColumn(KernelClass kernel_class, const Amount& amount) {
    const auto [found, fresh] = m_pool.try_emplace(kernel_class, 0);
    if (fresh) {
      found->second =
          newSubject("small " + std::string(perfscope::name(kernel_class)) + " kernels", kNoSubject);
      m_result.input.subjects[static_cast<size_t>(found->second)].parts.push_back({newColumn(), 0, 0});
    }
    SubjectPart& part = m_result.input.subjects[static_cast<size_t>(found->second)].parts[0];
    part.ns += amount.ns;
    part.launches += amount.launches;
    return part.column;
  }

  bool isPool(uint32_t column) const {
    return std::any_of(m_pool.begin(), m_pool.end(), [&](const auto& pool) {
      return m_result.input.subjects[static_cast<size_t>(pool.second)].parts[0].column == column;
    });
  }

  // A name that is mostly pooled belongs to its pool; the pooled rest of another takes the pool's rate.
  void makeNameSubjects(const std::vector<std::pair<Signature, Amount>>& signatures) {
    std::map<uint32_t, std::map<uint32_t, Amount>> parts;  // name -> column -> amount
    std::map<uint32_t, double> own_ns, pooled_ns;
    for (const auto& [signature, amount] : signatures) {
      const uint32_t column = m_column.at(keyOf(signature.first, signature.second));
      parts[signature.first][column].add(amount);
      (isPool(column) ? pooled_ns : own_ns)[signature.first] += amount.ns;
    }
    for (const auto& [name, columns] : parts) {
      if (pooled_ns[name] > own_ns[name] || own_ns.find(name) == own_ns.end()) {
        m_result.is_pooled[name] = 1;
        m_result.subject_of_name[name] = m_pool.at(m_classes[name]);
        continue;
      }
      const KernelNameRow& row = m_trace.names[name];
      const std::string& text = !row.short_name.empty()  ? row.short_name
                                : !row.demangled.empty() ? row.demangled
                                                         : row.mangled;
      const int32_t subject = newSubject(text, static_cast<int32_t>(name));
      m_result.subject_of_name[name] = subject;
      for (const auto& [column, amount] : columns)
        m_result.input.subjects[static_cast<size_t>(subject)].parts.push_back(
            {column, amount.ns, amount.launches});
    }
  }

  void addKernels() {
    const IndexRange range = m_trace.device_kernels[m_device];
    const KernelTable& kernels = m_trace.kernels;
    m_result.input.activities.reserve(range.size() + m_trace.device_ops[m_device].size());
    uint64_t last_key = ~uint64_t{0};
    uint32_t column = 0;
    for (size_t i = range.begin; i < range.end; ++i) {
      const uint64_t key = keyOf(kernels.name[i], kernels.shape[i]);
      if (key != last_key) column = m_column.at(key), last_key = key;
      m_result.input.activities.push_back({kernels.start_ns[i], kernels.endNs(i), column});
    }
  }

  void addOther(const std::string& label, int64_t start_ns, int64_t end_ns) {
    const auto [found, fresh] = m_other.try_emplace(label, 0);
    if (fresh) {
      found->second = newSubject(label, kNoSubject);
      m_result.input.subjects[static_cast<size_t>(found->second)].parts.push_back({newColumn(), 0, 0});
    }
    SubjectPart& part = m_result.input.subjects[static_cast<size_t>(found->second)].parts[0];
    part.ns += static_cast<double>(end_ns - start_ns);
    part.launches += 1;
    m_result.input.activities.push_back({start_ns, end_ns, part.column});
  }

  void addOps() {
    const IndexRange range = m_trace.device_ops[m_device];
    for (size_t i = range.begin; i < range.end; ++i) {
      const GpuOp& op = m_trace.ops[i];
      addOther(op.is_fill ? "fills" : "copies " + std::string(copyKind(op.kind)), op.start_ns, op.endNs());
    }
  }

  void addOpaqueGraphs() {
    for (const GraphLaunchRow& row : m_trace.opaque_graphs) {
      if (row.device_id != m_trace.devices[m_device].id || row.duration_ns < 0) continue;
      addOther("graphs traced as a whole", row.start_ns, row.start_ns + row.duration_ns);
    }
  }

  const Trace& m_trace;
  const std::vector<KernelClass>& m_classes;
  size_t m_device;
  CounterColumns m_result;
  std::unordered_map<uint64_t, uint32_t> m_column;  // by signature
  std::map<KernelClass, int32_t> m_pool;            // subjects
  std::map<std::string, int32_t> m_other;
};

}  // namespace

CounterColumns counterColumns(const Trace& trace, const std::vector<KernelClass>& classes, size_t device) {
  return Builder(trace, classes, device).build();
}

}  // namespace perfscope
