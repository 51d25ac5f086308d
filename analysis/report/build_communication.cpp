// The communication section: NCCL calls as the program made them, with the time of the kernels they launched.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "analysis/report/build_sections.h"

namespace perfscope::build {
namespace {

// Bytes of an ncclDataType_t element (nccl.h 2.28): int8 uint8 int32 uint32 int64 uint64 half float double
// bf16 e4m3 e5m2.
std::optional<int64_t> ncclBytes(int64_t data_type) {
  constexpr std::array<int64_t, 12> kBytes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  if (data_type < 0 || data_type >= static_cast<int64_t>(kBytes.size())) return std::nullopt;
  return kBytes[static_cast<size_t>(data_type)];
}

using Calls = std::vector<const NcclCallRow*>;

Calls callsByThread(const Trace& trace) {
  Calls calls;
  for (const NcclCallRow& row : trace.nccl_calls) calls.push_back(&row);
  std::sort(calls.begin(), calls.end(), [](const NcclCallRow* a, const NcclCallRow* b) {
    return std::tie(a->thread_id, a->start_ns) < std::tie(b->thread_id, b->start_ns);
  });
  return calls;
}

// The call that was going on on the thread at that moment, as an index into `calls`.
std::optional<size_t> callAt(const Calls& calls, int64_t thread, int64_t time) {
  const auto after =
      std::upper_bound(calls.begin(), calls.end(), std::tuple(thread, time),
                       [](const std::tuple<int64_t, int64_t>& moment, const NcclCallRow* call) {
                         return moment < std::tuple(call->thread_id, call->start_ns);
                       });
  if (after == calls.begin()) return std::nullopt;
  const NcclCallRow* call = *(after - 1);
  if (call->thread_id != thread || time > call->start_ns + call->duration_ns) return std::nullopt;
  return static_cast<size_t>(after - calls.begin()) - 1;
}

// Kernel time per call, 0 where no kernel was launched inside it (a group launches at its end, a graph at
// replay).
std::vector<int64_t> kernelTimes(const ProfileFacts& facts, const Calls& calls) {
  std::vector<int64_t> times(calls.size(), 0);
  const KernelTable& kernels = facts.trace.kernels;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!facts.is_communication[kernels.name[i]] || !kernels.hasLaunch(i)) continue;
    if (const auto call = callAt(calls, kernels.thread[i], kernels.launch_start_ns[i])) {
      times[*call] += kernels.duration_ns[i];
    }
  }
  return times;
}

}  // namespace

CommunicationReport communication(const ProfileFacts& facts) {
  CommunicationReport result;
  const Calls calls = callsByThread(facts.trace);
  const std::vector<int64_t> times = kernelTimes(facts, calls);
  std::map<std::tuple<std::string, int64_t>, CollectiveReport> collectives;
  int64_t left_out = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    const auto size = ncclBytes(calls[i]->data_type);
    if (!size || times[i] == 0) {  // without a kernel there is no time to show, and 0 would be a lie
      ++left_out;
      continue;
    }
    CollectiveReport& entry = collectives[{calls[i]->op, calls[i]->count * *size}];
    entry.op = calls[i]->op;
    entry.bytes = calls[i]->count * *size;
    entry.total_ns += times[i];
    ++entry.count;
  }
  for (auto& [key, entry] : collectives) result.collectives.push_back(std::move(entry));
  const bool by_name = std::any_of(facts.devices.begin(), facts.devices.end(),
                                   [](const DeviceFacts& device) { return device.all.comm_count > 0; });
  result.source = !calls.empty() ? "counted:api" : by_name ? "modelled:kernel_name" : "none";
  if (left_out > 0) {
    result.why = fmt::format(
        "{} NCCL calls launched no kernel of their own (grouped or captured) and are not listed", left_out);
  } else if (calls.empty()) {
    result.why = by_name ? "no NCCL call was captured; communication is known by kernel names only"
                         : "no NCCL call and no communication kernel in the profile";
  }
  return result;
}

}  // namespace perfscope::build
