-- Friendly views over the raw tables, for readers without C++. Times are ns since meta.time_base_ns.

-- Kernels with their names, launch shape and launch call. launch_latency_ns = start on the device - entry of the call.
CREATE VIEW v_kernel AS
SELECT k.id, p.pid, p.rank, k.device_id, d.name AS device, k.context, k.stream, n.short_name, n.demangled AS name,
       s.grid_x, s.grid_y, s.grid_z, s.block_x, s.block_y, s.block_z, s.registers_per_thread,
       s.static_shared_bytes + s.dynamic_shared_bytes AS shared_bytes,
       k.start_ns, k.start_ns + k.duration_ns AS end_ns, k.duration_ns, k.correlation_id,
       k.launch_start_ns, k.launch_duration_ns, k.start_ns - k.launch_start_ns AS launch_latency_ns,
       k.graph_id, k.graph_node_id
FROM kernel k
JOIN process p ON p.id = k.process_id
JOIN device d ON d.id = k.device_id
JOIN kernel_name n ON n.id = k.name_id
JOIN launch_shape s ON s.id = k.shape_id;

-- One row per kernel name and device.
CREATE VIEW v_kernel_summary AS
SELECT k.device_id, n.short_name, count(*) AS count, sum(k.duration_ns) AS total_sum_ns,
       min(k.duration_ns) AS min_ns, avg(k.duration_ns) AS mean_ns, max(k.duration_ns) AS max_ns
FROM kernel k JOIN kernel_name n ON n.id = k.name_id
GROUP BY k.device_id, k.name_id ORDER BY total_sum_ns DESC;

-- Every GPU record (kernel, memcpy, memset) with one set of columns.
CREATE VIEW v_gpu_record AS
SELECT 'kernel' AS type, id, process_id, device_id, context, stream, start_ns, duration_ns, NULL AS bytes, correlation_id FROM kernel
UNION ALL SELECT 'memcpy', id, process_id, device_id, context, stream, start_ns, duration_ns, bytes, correlation_id FROM memcpy
UNION ALL SELECT 'memset', id, process_id, device_id, context, stream, start_ns, duration_ns, bytes, correlation_id FROM memset;

-- Maximal idle intervals of each device (causes are in the report; this is the interval arithmetic alone).
CREATE VIEW v_gap AS
SELECT device_id, busy_until_ns AS start_ns, start_ns AS end_ns, start_ns - busy_until_ns AS duration_ns
FROM (SELECT device_id, start_ns,
             max(start_ns + duration_ns) OVER (PARTITION BY device_id ORDER BY start_ns
               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS busy_until_ns
      FROM v_gpu_record WHERE duration_ns > 0)
WHERE busy_until_ns < start_ns;

-- NVTX ranges with their texts.
CREATE VIEW v_nvtx_range AS
SELECT r.id, p.pid, p.rank, t.tid, r.kind, x.text, dx.text AS domain, r.category, r.depth, r.start_ns,
       r.start_ns + r.duration_ns AS end_ns, r.duration_ns
FROM nvtx_range r
JOIN process p ON p.id = r.process_id
JOIN thread t ON t.id = r.thread_id
JOIN string x ON x.id = r.text_id
LEFT JOIN string dx ON dx.id = r.domain_id;

-- Steps as marked by the program: NVTX "step n" or "ProfilerStep#n".
CREATE VIEW v_step AS
SELECT p.pid, p.rank, x.text, r.start_ns, r.start_ns + r.duration_ns AS end_ns, r.duration_ns
FROM nvtx_range r JOIN string x ON x.id = r.text_id JOIN process p ON p.id = r.process_id
WHERE r.duration_ns IS NOT NULL AND (x.text GLOB 'step [0-9]*' OR x.text GLOB 'ProfilerStep#[0-9]*');

-- API calls with their names, those folded into the kernel, copy or fill they launched included.
CREATE VIEW v_api_call AS
SELECT a.process_id, a.thread_id, n.name, a.start_ns, a.duration_ns, a.correlation_id, a.return_code
FROM api_call a JOIN api_name n ON n.id = a.api_id
UNION ALL SELECT process_id, launch_thread_id, 'kernel launch', launch_start_ns, launch_duration_ns, correlation_id, 0 FROM kernel WHERE launch_start_ns IS NOT NULL
UNION ALL SELECT process_id, launch_thread_id, 'memcpy', launch_start_ns, launch_duration_ns, correlation_id, 0 FROM memcpy WHERE launch_start_ns IS NOT NULL
UNION ALL SELECT process_id, launch_thread_id, 'memset', launch_start_ns, launch_duration_ns, correlation_id, 0 FROM memset WHERE launch_start_ns IS NOT NULL;

-- Losses with the process they happened in.
CREATE VIEW v_loss AS
SELECT p.pid, p.rank, l.name, l.count FROM loss l JOIN process p ON p.id = l.process_id WHERE l.count > 0;

-- GPU code compiled at run time, with the process that waited for it.
CREATE VIEW v_jit AS
SELECT p.pid, p.rank, j.thread AS tid, j.operation, j.entry, j.start_ns, j.start_ns + j.duration_ns AS end_ns,
       j.duration_ns, j.jit_id, j.cache_bytes
FROM jit_event j JOIN process p ON p.id = j.process_id;
