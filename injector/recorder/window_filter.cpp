// The cut at the edges of collection windows, in SQL at the end of a process.
#include "injector/recorder/window_filter.h"

#include <algorithm>

namespace perfscope {
namespace {

Result<std::vector<WindowEdge>> edgesOf(const Database& db, int64_t process_id) {
  auto statement = db.prepare("SELECT time_ns, collecting, reason FROM window WHERE process_id = " +
                              std::to_string(process_id) + " ORDER BY time_ns, id");
  if (!statement) return tl::unexpected(statement.error());
  std::vector<WindowEdge> edges;
  for (;;) {
    const auto row = statement->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return edges;
    edges.push_back({statement->int64(0), statement->int64(1) != 0, statement->text(2)});
  }
}

std::string during(const std::string& time, const std::vector<OffInterval>& intervals) {
  std::string sql;
  for (const auto& off : intervals) {
    std::string part = "1";
    if (off.begin_ns) part += " AND " + time + " >= " + std::to_string(*off.begin_ns);
    if (off.end_ns) part += " AND " + time + " < " + std::to_string(*off.end_ns);
    sql += (sql.empty() ? "(" : " OR (") + part + ")";
  }
  return "(" + sql + ")";
}

Result<int64_t> remove(const Database& db, const std::string& table, const std::string& where) {
  if (auto status = db.execute("DELETE FROM " + table + " WHERE " + where); !status)
    return tl::unexpected(status.error());
  const auto changes = db.scalar("SELECT changes()");
  if (!changes) return tl::unexpected(changes.error());
  return std::stoll(changes->value_or("0"));
}

}  // namespace

std::vector<OffInterval> offIntervals(const std::vector<WindowEdge>& edges, bool configured) {
  std::vector<OffInterval> intervals;
  // Before the first edge collection was off, unless that edge is the start of the session itself. The end of
  // the process is no edge: it stands alone where the beginning of the spool is lost.
  const auto first =
      std::find_if(edges.begin(), edges.end(), [](const auto& edge) { return edge.reason != "exit"; });
  const bool off_first = first == edges.end() ? configured : first->reason != "start";
  bool off = off_first;
  if (off) intervals.push_back({});
  for (const auto& edge : edges) {
    if (edge.reason == "exit" || edge.collecting != off) continue;
    if (edge.collecting) {
      intervals.back().end_ns = edge.time_ns;
    } else {
      intervals.push_back({edge.time_ns, std::nullopt});
    }
    off = !off;
  }
  return intervals;
}

Result<Dropped> dropOutsideWindows(const Database& db, int64_t process_id, bool configured) {
  const auto edges = edgesOf(db, process_id);
  if (!edges) return tl::unexpected(edges.error());
  const auto off = offIntervals(*edges, configured);
  if (off.empty()) return Dropped{};
  const std::string mine = "process_id = " + std::to_string(process_id) + " AND ";
  // Nodes of a graph launch have its call in api_call only.
  const std::string calls =
      "DROP TABLE IF EXISTS temp.call_time;"
      "CREATE TEMP TABLE call_time (correlation_id INTEGER PRIMARY KEY, start_ns INTEGER);"
      "INSERT OR IGNORE INTO call_time SELECT correlation_id, start_ns FROM api_call WHERE process_id = " +
      std::to_string(process_id) + " ORDER BY start_ns";
  if (auto status = db.execute(calls); !status) return tl::unexpected(status.error());
  const std::string by_call =
      "(SELECT c.start_ns FROM temp.call_time c WHERE c.correlation_id = T.correlation_id), T.start_ns)";
  Dropped dropped;
  const auto unmatched =
      db.scalar("SELECT count(*) FROM kernel AS T WHERE " + mine + during("T.start_ns", off) +
                " AND T.launch_start_ns IS NULL AND T.graph_node_id IS NULL AND NOT EXISTS (SELECT 1 FROM "
                "temp.call_time c WHERE c.correlation_id = T.correlation_id)");
  if (!unmatched) return tl::unexpected(unmatched.error());
  dropped.unmatched_kernels = std::stoll(unmatched->value_or("0"));
  for (const std::string table :
       {"kernel", "memcpy", "memset", "graph_launch", "synchronization", "api_call"}) {
    const bool carries_launch = table == "kernel" || table == "memcpy" || table == "memset";
    std::string time = "coalesce(" + std::string(carries_launch ? "T.launch_start_ns, " : "") + by_call;
    if (table == "api_call") time = "T.start_ns";
    const auto count = remove(db, table + " AS T", mine + during(time, off));
    if (!count) return tl::unexpected(count.error());
    if (carries_launch || table == "graph_launch") dropped.gpu_records += *count;
  }
  if (auto status = db.execute("DROP TABLE temp.call_time"); !status) return tl::unexpected(status.error());
  return dropped;
}

}  // namespace perfscope
