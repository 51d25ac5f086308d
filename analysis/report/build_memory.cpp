// Sections about memory and copies.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "analysis/report/build_sections.h"

namespace perfscope::build {
namespace {

constexpr int64_t kAllocation = 1, kRelease = 2;  // MemoryEventRow::operation
constexpr int64_t kDeviceMemory = 3;              // CUPTI memory kind

// CUPTI copy kinds 1 to 10.
constexpr std::array<std::string_view, 11> kCopyKinds = {"unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                                         "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};

std::string copyKind(uint8_t kind) {
  return std::string(kind < kCopyKinds.size() ? kCopyKinds[kind] : "unknown");
}

// Largest running sum over the devices' events; a release of what was allocated before the recording is
// ignored.
Measured<int64_t> peakBytes(const Trace& trace) {
  if (trace.memory_events.empty()) return Measured<int64_t>::absent("no allocation was recorded");
  std::map<std::tuple<int64_t, int64_t>, int64_t> live;  // (process, address) -> bytes
  int64_t sum = 0, peak = 0;
  bool any = false;
  for (const MemoryEventRow& row : trace.memory_events) {
    if (row.memory_kind != kDeviceMemory) continue;
    if (row.operation == kAllocation) {
      any = true;
      live[{row.process_id, row.address}] = row.bytes;
      sum += row.bytes;
      peak = std::max(peak, sum);
    } else if (row.operation == kRelease) {
      const auto found = live.find({row.process_id, row.address});
      if (found == live.end()) continue;
      sum -= found->second;
      live.erase(found);
    }
  }
  if (!any) return Measured<int64_t>::absent("no allocation of device memory was recorded");
  return Measured<int64_t>::of(peak,
                               "measured:activity (as asked of CUDA; a caching allocator asks for blocks)");
}

Measured<int64_t> allocationsInSteps(const ProfileFacts& facts) {
  if (!facts.steps.found()) return Measured<int64_t>::absent("no steps were found");
  if (!facts.window) return Measured<int64_t>::absent("no steady steps");
  int64_t count = 0;
  for (const MemoryEventRow& row : facts.trace.memory_events) {
    count +=
        row.operation == kAllocation && row.time_ns >= facts.window->start && row.time_ns < facts.window->end;
  }
  return Measured<int64_t>::of(count, "measured:activity");
}

using CopyKey = std::tuple<uint8_t, bool>;  // kind, pageable

// |copies of one kind and device, hidden behind compute| = |copies| + |compute| - |both|, in one sweep.
void addHidden(const ProfileFacts& facts, size_t device, const CopyKey& key, CopyReport& report) {
  const Trace& trace = facts.trace;
  UnionLength copies, compute, both;
  forEachRecord(trace, device, [&](RecordRef ref, int64_t start, int64_t end) {
    if (ref.is_kernel) {
      if (facts.is_communication[trace.kernels.name[ref.index]]) return;
      compute.add(start, end);
    } else {
      const GpuOp& op = trace.ops[ref.index];
      if (op.is_fill || CopyKey{op.kind, isPageable(op)} != key) return;
      copies.add(start, end);
      ++report.count;
      report.bytes += op.bytes;
    }
    both.add(start, end);
  });
  report.ns += copies.length();
  report.hidden_ns += copies.length() + compute.length() - both.length();
}

std::vector<CopyReport> copies(const ProfileFacts& facts) {
  std::map<CopyKey, CopyReport> by_kind;
  std::map<std::tuple<CopyKey, size_t>, bool> pairs;
  for (const GpuOp& op : facts.trace.ops) {
    if (!op.is_fill) pairs[{{op.kind, isPageable(op)}, op.device}] = true;
  }
  for (const auto& [pair, used] : pairs) {
    const auto& [key, device] = pair;
    addHidden(facts, device, key, by_kind[key]);
  }
  std::vector<CopyReport> result;
  for (auto& [key, report] : by_kind) {
    constexpr double kNsPerSecond = 1e9;
    report.kind = copyKind(std::get<0>(key));
    report.pageable = std::get<1>(key);
    report.rate_bytes_per_s = report.ns > 0
                                  ? Measured<double>::of(static_cast<double>(report.bytes) /
                                                             static_cast<double>(report.ns) * kNsPerSecond,
                                                         "measured:activity")
                                  : Measured<double>::absent("the copies took no measurable time");
    result.push_back(report);
  }
  std::sort(result.begin(), result.end(),
            [](const CopyReport& a, const CopyReport& b) { return a.ns > b.ns; });
  return result;
}

}  // namespace

MemoryReport memory(const ProfileFacts& facts) {
  MemoryReport result;
  result.peak_bytes = peakBytes(facts.trace);
  result.allocations_in_steps = allocationsInSteps(facts);
  result.copies = copies(facts);
  return result;
}

}  // namespace perfscope::build
