"""Reads a profile the way any reader without C++ would: SQLite and the tables of schemas/tables.h."""

import sqlite3

MEMCPY_KINDS = {1: "HtoD", 2: "DtoH", 8: "DtoD", 10: "PtoP"}
# Loss counters (schemas/loss_counters.h) whose severity is data loss or error: an exact run has none of them.
GRAVE_LOSSES = {
    "buffers_denied",
    "cupti_dropped",
    "zero_timestamp",
    "inverted_timestamp",
    "ring_overflow",
    "spool_full",
    "drain_behind",
    "background_error",
}


class Profile:
    """One profile, opened read-only. Use as a with block."""

    def __init__(self, path):
        self.connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.connection.close()

    def rows(self, sql, *values):
        return self.connection.execute(sql, values).fetchall()

    def value(self, sql, *values):
        row = self.connection.execute(sql, values).fetchone()
        return row[0] if row else None

    def closed(self):
        return self.value("select value from meta where key = 'closed'") == "1"

    def time_base_ns(self):
        return int(self.value("select value from meta where key = 'time_base_ns'"))

    def kernels_by_pid(self):
        return dict(
            self.rows("select p.pid, count(*) from kernel k join process p on p.id = k.process_id group by 1")
        )

    def kernel_count(self):
        return self.value("select count(*) from kernel")

    def graph_kernel_count(self):
        return self.value("select count(*) from kernel where graph_id is not null")

    def memcpys(self):
        """kind name -> (count, bytes)"""
        found = {name: (0, 0) for name in MEMCPY_KINDS.values()}
        for kind, count, size in self.rows(
            "select case when peer_device_id is not null then 10 else kind end, count(*), "
            "sum(bytes) from memcpy group by 1"
        ):
            found[MEMCPY_KINDS.get(kind, f"kind {kind}")] = (count, size)
        return found

    def memsets(self):
        return self.rows("select count(*), coalesce(sum(bytes), 0) from memset")[0]

    def graph_nodes(self):
        """(launches, nodes): node records of CUDA graphs share the correlation id of their launch."""
        return self.rows(
            """
            with node as (
              select process_id, correlation_id from kernel where graph_id is not null
              union all select process_id, correlation_id from memcpy where graph_id is not null
              union all select process_id, correlation_id from memset where graph_id is not null)
            select (select count(*) from (select distinct process_id, correlation_id from node)), count(*) from node"""
        )[0]

    def direct_kernels_per_stream(self):
        """Sorted counts of kernels outside graphs, one entry a stream that had any."""
        return sorted(
            count
            for (count,) in self.rows(
                "select count(*) from kernel where graph_id is null group by process_id, context, stream"
            )
        )

    def grave_losses(self):
        return {
            name: count
            for name, count in self.rows("select name, sum(count) from loss group by name")
            if name in GRAVE_LOSSES and count > 0
        }

    def ledger_errors(self):
        return [
            f"{name}: {text}"
            for name, text in self.rows(
                "select name, text from ledger where severity in ('error', 'data_loss')"
            )
        ]

    def last_kernel_end_unix_ns(self):
        last = self.value("select max(start_ns + duration_ns) from kernel")
        return None if last is None else last + self.time_base_ns()

    def processes(self):
        """(pid, state, exit status) in order of their start"""
        return self.rows("select pid, state, exit_status from process order by start_ns")

    def nvtx_count(self, text):
        return self.value(
            "select count(*) from nvtx_range r join string s on s.id = r.text_id where s.text = ?", text
        )

    def range_bounds(self, text):
        """(start, end) of each closed NVTX range of that text, in order"""
        return self.rows(
            "select r.start_ns, r.start_ns + r.duration_ns from nvtx_range r join string s "
            "on s.id = r.text_id where s.text = ? and r.duration_ns is not null order by 1",
            text,
        )

    def inside(self, bounds):
        """Counts and summed kernel durations of the GPU records that start within the bounds."""
        kernels, kernel_sum = self.rows(
            "select count(*), coalesce(sum(duration_ns), 0) from kernel " "where start_ns between ? and ?",
            *bounds,
        )[0]
        memcpys = self.value("select count(*) from memcpy where start_ns between ? and ?", *bounds)
        memsets = self.value("select count(*) from memset where start_ns between ? and ?", *bounds)
        return {"kernels": kernels, "kernel_sum_ns": kernel_sum, "memcpys": memcpys, "memsets": memsets}

    def gaps_inside(self, bounds, at_least_ns):
        """Idle intervals of the device within the bounds that are at least that long."""
        spans = self.rows(
            "select start_ns, start_ns + duration_ns from kernel where start_ns between ? and ? "
            "order by start_ns",
            *bounds,
        )
        count, busy_until = 0, None
        for start, end in spans:
            if busy_until is not None and start - busy_until >= at_least_ns:
                count += 1
            busy_until = end if busy_until is None else max(busy_until, end)
        return count
