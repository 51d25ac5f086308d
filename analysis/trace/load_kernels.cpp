// Parallel scan: every thread owns a connection and a slice of the preallocated columns, so nothing is copied
// together afterwards; holes (ids that are missing, rejected rows) are closed by moving rows down.
#include "analysis/trace/load_kernels.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "analysis/trace/helper_threads.h"
#include "analysis/trace/trace.h"
#include "schemas/trace_reader.h"

namespace perfscope {
namespace {

constexpr std::string_view kSelect =
    "SELECT process_id, device_id, name_id, shape_id, start_ns, duration_ns, stream, correlation_id,"
    " launch_start_ns, launch_duration_ns, launch_thread_id, graph_node_id FROM kernel";

// No row of the table takes less room in the file: the bound keeps a forged row id from asking for terabytes.
constexpr int64_t kLeastBytesPerRow = 12;
constexpr int64_t kRowsWorthAThread = 200'000;

struct Slice {
  int64_t first_id = 0, last_id = 0;
  size_t begin = 0, written = 0;
  int64_t rejected = 0;
  std::vector<int64_t> graph_node;  // of the written rows; stays empty until the first graph node turns up
  std::optional<Error> error;
};

// Reads the current row into place; false = rejected.
bool readRow(const Statement& row, const KernelReferences& references, KernelTable& table, Slice& slice) {
  const size_t at = slice.begin + slice.written;
  const uint32_t process = references.process.find(row.int64(0));
  const uint32_t device = references.device.find(row.int64(1));
  const uint32_t name = references.name.find(row.int64(2));
  const uint32_t shape = references.shape.find(row.int64(3));
  const int64_t start = row.int64(4);
  const int64_t duration = row.int64(5);
  if (process == IdMap::kMissing || device == IdMap::kMissing || name == IdMap::kMissing ||
      shape == IdMap::kMissing || !validTime(start, duration)) {
    return false;
  }
  table.process[at] = static_cast<uint16_t>(process);
  table.device[at] = static_cast<uint16_t>(device);
  table.name[at] = name;
  table.shape[at] = shape;
  table.start_ns[at] = start;
  table.duration_ns[at] = duration;
  table.stream[at] = static_cast<uint32_t>(row.int64(6));
  table.correlation[at] = static_cast<uint32_t>(row.int64(7));
  const bool launched = !row.isNull(8);
  table.launch_start_ns[at] = launched ? row.int64(8) : kUnknownTime;
  table.launch_duration_ns[at] = launched ? row.int64(9) : kUnknownTime;
  table.thread[at] = static_cast<uint32_t>(row.int64(10));  // NULL reads as 0
  const int64_t node = row.int64(11);
  if (node != 0 && slice.graph_node.empty()) slice.graph_node.resize(slice.written, 0);
  if (node != 0 || !slice.graph_node.empty()) slice.graph_node.push_back(node);
  return true;
}

Status scan(const std::string& path, const KernelReferences& references, KernelTable& table, Slice& slice,
            size_t capacity) {
  auto reader = TraceReader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  auto statement = reader->database().prepare(std::string(kSelect) + " WHERE id BETWEEN ? AND ?");
  if (!statement) return tl::unexpected(TraceReader::asDamage(statement.error()));
  statement->bind(1, slice.first_id);
  statement->bind(2, slice.last_id);
  for (;;) {
    const auto more = statement->step();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return {};
    if (slice.written == capacity)
      return {};  // a live profile grew: what came later belongs to the next look
    if (readRow(*statement, references, table, slice)) {
      ++slice.written;
    } else {
      ++slice.rejected;
    }
  }
}

Result<std::optional<int64_t>> integer(const Database& db, std::string_view sql) {
  auto statement = db.prepare(sql);
  if (!statement) return tl::unexpected(TraceReader::asDamage(statement.error()));
  const auto row = statement->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row || statement->isNull(0)) return std::optional<int64_t>();
  return std::optional<int64_t>(statement->int64(0));
}

struct Extent {
  int64_t first_id = 0, last_id = -1;
  size_t rows = 0;        // capacity needed
  bool one_slice = true;  // ids have holes: rows of a part cannot be told from ids
};

Result<Extent> measure(const std::string& path) {
  auto reader = TraceReader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  const Database& db = reader->database();
  const auto first = integer(db, "SELECT min(id) FROM kernel");
  const auto last = integer(db, "SELECT max(id) FROM kernel");
  if (!first) return tl::unexpected(first.error());
  if (!last) return tl::unexpected(last.error());
  Extent extent;
  if (!*first || !*last) return extent;
  extent.first_id = **first;
  extent.last_id = **last;
  std::error_code unknown;
  const auto file_bytes = std::filesystem::file_size(path, unknown);
  const int64_t limit = unknown ? 0 : static_cast<int64_t>(file_bytes) / kLeastBytesPerRow;
  int64_t span = 0;
  extent.one_slice = __builtin_sub_overflow(extent.last_id, extent.first_id, &span) || span >= limit;
  if (extent.one_slice) {
    const auto count = integer(db, "SELECT count(*) FROM kernel");
    if (!count) return tl::unexpected(count.error());
    extent.rows = static_cast<size_t>(count->value_or(0));
  } else {
    extent.rows = static_cast<size_t>(span) + 1;
  }
  return extent;
}

// The node column exists only when some slice met a graph node (a scan just to find out would cost a second).
void joinGraphNodes(std::vector<Slice>& parts, size_t total, KernelTable& table) {
  const auto has_nodes = [](const Slice& slice) { return !slice.graph_node.empty(); };
  if (std::none_of(parts.begin(), parts.end(), has_nodes)) return;
  table.graph_node.reserve(total);
  for (Slice& slice : parts) {
    slice.graph_node.resize(slice.written, 0);
    table.graph_node.insert(table.graph_node.end(), slice.graph_node.begin(), slice.graph_node.end());
    std::vector<int64_t>().swap(slice.graph_node);
  }
}

std::vector<Slice> slices(const Extent& extent, int threads) {
  const auto rows = static_cast<int64_t>(extent.rows);
  const int64_t wanted = std::clamp<int64_t>(rows / kRowsWorthAThread, 1, threads);
  const int64_t parts = extent.one_slice ? 1 : wanted;
  std::vector<Slice> result(static_cast<size_t>(parts));
  for (int64_t part = 0; part < parts; ++part) {
    Slice& slice = result[static_cast<size_t>(part)];
    const int64_t begin = rows * part / parts;
    slice.begin = static_cast<size_t>(begin);
    slice.first_id = part == 0 ? extent.first_id : extent.first_id + begin;
    slice.last_id = part + 1 == parts ? extent.last_id : extent.first_id + rows * (part + 1) / parts - 1;
  }
  return result;
}

}  // namespace

Result<LoadedKernels> loadKernels(const std::string& path, const KernelReferences& references, int threads) {
  const auto extent = measure(path);
  if (!extent) return tl::unexpected(extent.error());
  LoadedKernels loaded;
  if (extent->rows == 0) return loaded;
  KernelTable& table = loaded.table;
  table.resize(extent->rows);
  auto parts = slices(*extent, std::max(1, threads));
  const auto work = [&](size_t index) {
    Slice& slice = parts[index];
    const size_t end = index + 1 < parts.size() ? parts[index + 1].begin : extent->rows;
    if (const auto status = scan(path, references, table, slice, end - slice.begin); !status) {
      slice.error = status.error();
    }
  };
  HelperThreads helpers;
  for (size_t index = 1; index < parts.size(); ++index) helpers.run([&work, index] { work(index); });
  work(0);
  helpers.join();
  size_t total = 0;
  for (const Slice& slice : parts) {
    if (slice.error) return tl::unexpected(*slice.error);
    table.moveDown(slice.begin, slice.written, total);
    total += slice.written;
    loaded.rejected += slice.rejected;
  }
  table.resize(total);
  joinGraphNodes(parts, total, table);
  return loaded;
}

}  // namespace perfscope
