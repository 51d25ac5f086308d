// Reading of copies, fills, API calls, waits, matrix products and ranges.
#include "analysis/trace/load_events.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace perfscope {
namespace {

// Calls visit(statement) for every row of the query.
template <class Visit>
Status forEachResult(const TraceReader& reader, std::string_view sql, Visit&& visit) {
  auto statement = reader.database().prepare(sql);
  if (!statement) return tl::unexpected(TraceReader::asDamage(statement.error()));
  for (;;) {
    const auto more = statement->step();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return {};
    visit(static_cast<const Statement&>(*statement));
  }
}

struct ApiPattern {
  std::string_view fragment;
  ApiKind kind;
};
// First match wins; compared with the lower-case function name.
constexpr std::array<ApiPattern, 13> kApiPatterns = {{
    {"graphlaunch", ApiKind::GraphLaunch},
    {"launchkernel", ApiKind::Launch},
    {"launchcooperative", ApiKind::Launch},
    {"malloc", ApiKind::Allocation},
    {"memalloc", ApiKind::Allocation},
    {"hostalloc", ApiKind::Allocation},
    {"free", ApiKind::Allocation},
    {"hostregister", ApiKind::Allocation},
    {"memcreate", ApiKind::Allocation},
    {"synchronize", ApiKind::Synchronization},
    {"streamwaitevent", ApiKind::StreamWait},
    {"moduleload", ApiKind::ModuleLoad},
    {"libraryload", ApiKind::ModuleLoad},
}};

// What a synchronising function waits for.
WaitType waitType(std::string_view function) {
  if (function.find("Event") != std::string_view::npos) return WaitType::Event;
  return function.find("Stream") != std::string_view::npos ? WaitType::Stream : WaitType::Context;
}

bool readOp(const Statement& row, const RowMaps& maps, GpuOp& op) {
  const uint32_t process = maps.process.find(row.int64(0));
  const uint32_t device = maps.device.find(row.int64(1));
  op.start_ns = row.int64(2);
  op.duration_ns = row.int64(3);
  if (process == IdMap::kMissing || device == IdMap::kMissing || !validTime(op.start_ns, op.duration_ns)) {
    return false;
  }
  op.process = static_cast<uint16_t>(process);
  op.device = static_cast<uint16_t>(device);
  op.bytes = row.int64(4);
  op.stream = static_cast<uint32_t>(row.int64(5));
  op.correlation = static_cast<uint32_t>(row.int64(6));
  if (!row.isNull(7)) {
    op.launch_start_ns = row.int64(7);
    op.launch_duration_ns = row.int64(8);
  }
  op.thread = static_cast<uint32_t>(row.int64(9));
  op.graph_node = row.int64(10);
  return true;
}

constexpr std::string_view kOpColumns =
    "process_id, device_id, start_ns, duration_ns, bytes, stream, correlation_id, launch_start_ns,"
    " launch_duration_ns, launch_thread_id, graph_node_id";

void dropNestedCalls(std::vector<GemmCall>& calls) {
  std::sort(calls.begin(), calls.end(), [](const GemmCall& a, const GemmCall& b) {
    return std::tuple(a.thread, a.start_ns, -a.end_ns) < std::tuple(b.thread, b.start_ns, -b.end_ns);
  });
  std::vector<GemmCall> outer;
  outer.reserve(calls.size());
  for (const GemmCall& call : calls) {
    const bool nested =
        !outer.empty() && outer.back().thread == call.thread && call.end_ns <= outer.back().end_ns;
    if (!nested) outer.push_back(call);
  }
  calls = std::move(outer);
}

}  // namespace

ApiKind apiKind(std::string_view function) {
  std::string folded(function);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& pattern : kApiPatterns) {
    if (folded.find(pattern.fragment) != std::string::npos) return pattern.kind;
  }
  return ApiKind::Other;
}

Status loadOps(const TraceReader& reader, const RowMaps& maps, Trace& trace) {
  const auto add = [&](const Statement& row, GpuOp op) {
    if (readOp(row, maps, op)) {
      trace.ops.push_back(op);
    } else {
      ++trace.rejected_records;
    }
  };
  const std::string copies =
      "SELECT " + std::string(kOpColumns) + ", kind, src_kind, dst_kind, asynchronous FROM memcpy";
  auto status = forEachResult(reader, copies, [&](const Statement& row) {
    GpuOp op;
    op.kind = static_cast<uint8_t>(row.int64(11));
    op.src_kind = static_cast<uint8_t>(row.int64(12));
    op.dst_kind = static_cast<uint8_t>(row.int64(13));
    op.asynchronous = row.int64(14) != 0;
    add(row, op);
  });
  if (!status) return status;
  const std::string fills = "SELECT " + std::string(kOpColumns) + " FROM memset";
  return forEachResult(reader, fills, [&](const Statement& row) {
    GpuOp op;
    op.is_fill = true;
    add(row, op);
  });
}

Status loadWaits(const TraceReader& reader, const RowMaps& maps, Trace& trace) {
  return forEachResult(
      reader, "SELECT process_id, type, stream, start_ns, duration_ns FROM synchronization",
      [&](const Statement& row) {
        const uint32_t process = maps.process.find(row.int64(0));
        if (process == IdMap::kMissing || !validTime(row.int64(3), row.int64(4))) return;
        const int64_t type = row.int64(1);
        trace.waits.push_back({row.int64(3), row.int64(4),
                               row.isNull(2) ? kAnyStream : static_cast<uint32_t>(row.int64(2)), 0,
                               static_cast<uint16_t>(process),
                               type >= 1 && type <= 4 ? static_cast<WaitType>(type) : WaitType::Unknown});
      });
}

Status loadCalls(const TraceReader& reader, const RowMaps& maps, Trace& trace) {
  struct Named {
    ApiKind kind = ApiKind::Other;
    WaitType wait = WaitType::Unknown;
  };
  std::map<int64_t, Named> names;
  auto status = loadWaits(reader, maps, trace);
  if (!status) return status;
  const bool has_wait_records = !trace.waits.empty();
  status = reader.forEach<ApiNameRow>({}, [&](const ApiNameRow& row) {
    const ApiKind kind = apiKind(row.name);
    names[row.id] = {kind, kind == ApiKind::StreamWait ? WaitType::StreamWaitEvent : waitType(row.name)};
  });
  if (!status) return status;
  status = forEachResult(
      reader, "SELECT process_id, thread_id, api_id, start_ns, duration_ns, correlation_id FROM api_call",
      [&](const Statement& row) {
        const uint32_t process = maps.process.find(row.int64(0));
        if (process == IdMap::kMissing || !validTime(row.int64(3), row.int64(4))) return;
        const auto found = names.find(row.int64(2));
        const Named named = found == names.end() ? Named{} : found->second;
        const auto thread = static_cast<uint32_t>(row.int64(1));
        trace.api_calls.push_back({row.int64(3), row.int64(4), thread, static_cast<uint32_t>(row.int64(5)),
                                   static_cast<uint16_t>(process), named.kind});
        if (has_wait_records) return;
        if (named.kind == ApiKind::Synchronization || named.kind == ApiKind::StreamWait) {
          trace.waits.push_back(
              {row.int64(3), row.int64(4), kAnyStream, thread, static_cast<uint16_t>(process), named.wait});
        }
      });
  if (!status) return status;
  std::sort(trace.api_calls.begin(), trace.api_calls.end(),
            [](const ApiCall& a, const ApiCall& b) { return a.start_ns < b.start_ns; });
  return {};
}

Status loadGemmCalls(const TraceReader& reader, const RowMaps& maps, Trace& trace) {
  auto status = forEachResult(
      reader,
      "SELECT process_id, thread_id, start_ns, duration_ns, m, n, k, batch, a_type, b_type, c_type, d_type,"
      " compute_type, reads_c FROM gemm_call",
      [&](const Statement& row) {
        const uint32_t process = maps.process.find(row.int64(0));
        if (process == IdMap::kMissing || !validTime(row.int64(2), row.int64(3))) return;
        GemmCall call;
        call.process = static_cast<uint16_t>(process);
        call.thread = static_cast<uint32_t>(row.int64(1));
        call.start_ns = row.int64(2);
        call.end_ns = call.start_ns + row.int64(3);
        call.m = row.int64(4);
        call.n = row.int64(5);
        call.k = row.int64(6);
        call.batch = row.int64(7);
        call.a_type = static_cast<int16_t>(row.int64(8));
        call.b_type = static_cast<int16_t>(row.int64(9));
        call.c_type = static_cast<int16_t>(row.int64(10));
        call.d_type = static_cast<int16_t>(row.int64(11));
        call.compute_type = static_cast<int16_t>(row.int64(12));
        call.reads_c = static_cast<int8_t>(row.isNull(13) ? -1 : row.int64(13) != 0 ? 1 : 0);
        trace.gemm_calls.push_back(call);
      });
  dropNestedCalls(trace.gemm_calls);
  return status;
}

Status loadRanges(const TraceReader& reader, const RowMaps& maps, const StepMatcher& steps, Trace& trace) {
  enum class Use : uint8_t { None, Step, Input };
  std::map<int64_t, uint32_t> index;
  std::vector<Use> uses;
  auto status = reader.forEach<StringRow>({}, [&](const StringRow& row) {
    index[row.id] = static_cast<uint32_t>(trace.texts.size());
    trace.texts.push_back(row.text);
    uses.push_back(steps.matches(row.text) ? Use::Step : isDataLoading(row.text) ? Use::Input : Use::None);
  });
  if (!status) return status;
  status = forEachResult(
      reader,
      "SELECT process_id, thread_id, text_id, start_ns, duration_ns FROM nvtx_range WHERE kind <> 'mark'",
      [&](const Statement& row) {
        const auto text = index.find(row.int64(2));
        const uint32_t process = maps.process.find(row.int64(0));
        if (text == index.end() || process == IdMap::kMissing || uses[text->second] == Use::None) return;
        const int64_t duration = row.isNull(4) ? kUnknownTime : row.int64(4);
        if (duration != kUnknownTime && !validTime(row.int64(3), duration)) return;
        const NamedRange range{row.int64(3), duration, text->second, static_cast<uint32_t>(row.int64(1)),
                               static_cast<uint16_t>(process)};
        (uses[text->second] == Use::Step ? trace.step_ranges : trace.input_ranges).push_back(range);
      });
  const auto earlier = [](const NamedRange& a, const NamedRange& b) { return a.start_ns < b.start_ns; };
  std::stable_sort(trace.step_ranges.begin(), trace.step_ranges.end(), earlier);
  std::stable_sort(trace.input_ranges.begin(), trace.input_ranges.end(), earlier);
  return status;
}

}  // namespace perfscope
