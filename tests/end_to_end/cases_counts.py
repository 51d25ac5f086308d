# Counts that must be exact, because the victim knows them.
from cases import Case, table

KERNELS = "select count(*) from kernel"
LAUNCHES_SEEN = "select count(*) from kernel where launch_start_ns is null or launch_thread_id is null"
API_CALLS = "select count(*) from api_call a join api_name n on n.id = a.api_id where n.name like '{}%'"

table(
    # 10,000 launches over 4 threads and streams; each launch call is folded into its kernel, device queries are not kept.
    Case("launch_storm", "launch_storm 10000 4 4", stdout="launched 10000\n", sql={
        KERNELS: 10000,
        LAUNCHES_SEEN: 0,
        "select count(*), min(n), max(n) from (select count(*) n from kernel group by stream)": (4, 2500, 2500),
        "select count(*), min(n), max(n) from (select count(*) n from kernel group by launch_thread_id)": (4, 2500, 2500),
        "select short_name, count(*) from v_kernel group by 1 order by 1": [("scale", 5000), ("vectorAdd", 5000)],
        API_CALLS.format("cudaLaunchKernel"): 0,
        API_CALLS.format("cudaGetDevice"): 0,
        "select count(*) from kernel where start_ns < launch_start_ns": 0,
        "select count(distinct correlation_id) from kernel": 10000,
        "select distinct duration_ns from kernel k join kernel_name n on n.id = k.name_id where short_name = 'scale'": 2000,
        "select grid_x, grid_y, block_x, registers_per_thread, static_shared_bytes, dynamic_shared_bytes from launch_shape "
        "where block_x = 128": (64, 2, 128, 16, 1024, 4096),
        "select count(*), state, exit_status from process": (1, "closed", 0),
        "select name, cc_major, sm_count, l2_bytes, memory_bandwidth_bytes_per_s from device":
            ("NVIDIA H200", 9, 132, 62914560, 4916000000000),
    }),
    Case("launch_storm_driver_calls", "launch_storm 3000 2 2 driver", sql={KERNELS: 3000, LAUNCHES_SEEN: 0}),
    Case("launch_storm_64_threads", "launch_storm 64000 64 8", sql={
        KERNELS: 64000, LAUNCHES_SEEN: 0, "select count(distinct launch_thread_id) from kernel": 64}),
    Case("launch_storm_api_none", "launch_storm 1000 1 1", options=("--api", "none"), lossless=False, sql={
        KERNELS: 1000, "select count(*) from api_call": 0, "select count(*) from kernel where launch_start_ns is not null": 0}),
    Case("launch_storm_api_all", "launch_storm 1000 1 1", options=("--api", "all"), sql={
        KERNELS: 1000, LAUNCHES_SEEN: 0, API_CALLS.format("cudaGetDevice"): 1000}),
    # GPU records arrive latest first, launch calls after their kernels.
    Case("records_out_of_order", "launch_storm 5000 4 4", env={"STANDIN_CUPTI_REVERSE": 1},
         sql={KERNELS: 5000, LAUNCHES_SEEN: 0}),
    # 1,000 graph launches of 20 nodes: one call, twenty kernels each, and the nodes are told apart.
    Case("graph_storm", "graph_storm 1000 20", sql={
        KERNELS: 20000,
        "select count(distinct correlation_id) from kernel": 1000,
        "select count(distinct graph_node_id), min(n), max(n) from "
        "(select graph_node_id, count(*) n from kernel group by graph_node_id)": (20, 1000, 1000),
        "select count(*) from kernel where launch_start_ns is not null": 0,
        API_CALLS.format("cudaGraphLaunch"): 1000,
        "select count(*) from kernel k join api_call a using (process_id, correlation_id)": 20000,
        "select count(distinct graph_id) from kernel": 1,
    }),
    Case("graph_storm_whole", "graph_storm 200 20", options=("--graphs", "graph"), sql={
        KERNELS: 0,
        "select count(*) from graph_launch": 200,
        "select count(*) from ledger where name = 'graph_level_tracing'": 1,
    }),
    Case("many_names", "many_names 3000", sql={
        KERNELS: 3000,
        "select count(distinct n.mangled), max(length(n.mangled)) from kernel k join kernel_name n on n.id = k.name_id": (3000, 5011),
        # Every kernel kept its own name and its own launch shape.
        "select count(*) from v_kernel where name not glob 'kernel_' || (grid_x - 1) || '*'": 0,
        "select count(*) from launch_shape": 3000,
    }),
    # More names than any table of the collector holds: written again when needed, never mixed up.
    Case("more_names_than_room", "many_names 58000", lossless=False, sql={
        KERNELS: 58000,
        "select count(distinct n.mangled) from kernel k join kernel_name n on n.id = k.name_id": 58000,
        "select count(*) from v_kernel where name not glob 'kernel_' || (grid_x - 1) || '*'": 0,
    }),
    # A program of half a second: its runtime library is asked for its version. Without one it is not known.
    Case("runtime_version", "endings return 10 500", env={"LD_PRELOAD": "{standins}/libcudart.so.13"}, status=7,
         sql={"select runtime_version from process": 13000}),
    Case("runtime_version_not_known", "endings return 10 500", status=7, sql={"select runtime_version from process": None}),
    Case("copies", "copies", sql={
        "select kind, count(*), sum(bytes) from memcpy group by kind order by kind":
            [(1, 10, 10 << 20), (2, 5, 5 * 4096), (8, 3, 3 << 24)],
        "select count(*) from memcpy where asynchronous = 0": 5,
        "select count(*), sum(bytes) from memset": (7, 7 << 16),
        "select count(*) from memcpy where launch_start_ns is null": 0,
        # Waits are seen as API calls; CUPTI's own wait records cost too much to be on by default.
        API_CALLS.format("cudaStreamSynchronize"): 1,
        API_CALLS.format("cudaDeviceSynchronize"): 1,
        "select count(*) from synchronization": 0,
        "select operation, entry, duration_ns, cache_bytes from v_jit order by start_ns":
            [("compile", "ptx_to_cubin", 2_000_000, 1 << 20), ("cache_store", "ptx_to_cubin", 500_000, 1 << 20)],
        API_CALLS.format("cuModuleLoadData"): 1,
        "select operation, count(*), max(bytes) from memory_event group by operation order by operation":
            [(1, 1, 1 << 20), (2, 1, 0)],
    }),
    Case("copies_api_all", "copies", options=("--api", "all"), sql={
        "select type, count(*) from synchronization group by type order by type": [(3, 1), (4, 1)]}),
    Case("peer_copy", "copies 1", env={"STANDIN_CUDA_DEVICES": 2}, sql={
        "select count(*) from device": 2,
        "select m.bytes, d.ordinal from memcpy m join device d on d.id = m.peer_device_id": (1 << 22, 1),
        "select d.ordinal, count(*) from kernel k join device d on d.id = k.device_id group by 1": (1, 2),
    }),
    Case("nvtx", "nvtx_steps 10 5", sql={
        KERNELS: 50,
        "select count(*) from v_nvtx_range where text glob 'step *' and kind = 'push_pop' and domain is null and depth = 0": 10,
        "select count(*), min(category), max(category), min(payload), max(payload) from nvtx_range r "
        "join string t on t.id = r.text_id join string d on d.id = r.domain_id "
        "where t.text = 'forward' and d.text = 'victim'": (10, 7, 7, 0, 9),
        "select count(*) from v_nvtx_range where kind = 'mark' and text = 'after forward' and duration_ns = 0": 10,
        "select count(*) from v_nvtx_range where kind = 'start_end' and text = 'whole run' and duration_ns > 0": 1,
        "select count(*) from v_nvtx_range where text = 'never ended' and duration_ns is null": 1,
        "select count(*) from thread where name = 'main loop'": 1,
        # Every kernel was launched inside the step that its thread was in.
        "select count(*) from kernel k join v_step s on k.launch_start_ns between s.start_ns and s.end_ns": 50,
    }),
    Case("library_calls", "library_calls", sql={
        KERNELS: 19,
        "select api, m, n, k, batch, transpose_a, transpose_b, reads_c, count(*) from gemm_call "
        "where m in (4096, 512) group by m order by m desc":
            [("GemmEx", 4096, 2048, 1024, 1, 1, 0, 0, 3), ("GemmEx", 512, 256, 128, 1, 0, 0, 1, 1)],
        "select m, n, k, transpose_b, a_type, reads_c from gemm_call where m = 100": (100, 200, 300, 1, 0, 0),
        "select m, n, k, a_type from gemm_call where m = 10": (10, 20, 30, 1),
        "select m, n, k, batch from gemm_call where m = 64": (64, 64, 32, 16),
        # beta lives on the device: unknown, not 0
        "select count(*) from gemm_call where m = 8 and reads_c is null": 1,
        "select m, n, k, batch, transpose_a, transpose_b, a_type, d_type, epilogue from gemm_call where api = 'LtMatmul'":
            (3072, 8192, 768, 4, 1, 0, 14, 14, 1),
        "select count(*) from gemm_call": 9,
        # the launch lies inside the library call that made it, on the same thread
        "select count(*) from gemm_call g join kernel k on k.launch_thread_id = g.thread_id and "
        "k.launch_start_ns between g.start_ns and g.start_ns + g.duration_ns": 9,
        "select op, count, data_type, reduction, rank, ranks, count(*) from nccl_call where op = 'AllReduce'":
            ("AllReduce", 1000000, 7, 0, 3, 8, 5),
        "select group_concat(op) from (select op from nccl_call where op <> 'AllReduce' order by start_ns)":
            "Broadcast,AllGather,ReduceScatter,GroupStart,Send,Recv,GroupEnd",
        "select peer from nccl_call where op in ('Send', 'Recv') order by start_ns": [(4,), (2,)],
    }),
    Case("library_calls_in_local_scope", "local_scope", sql={
        KERNELS: 8, "select count(*) from gemm_call where m = 32 and n = 16 and k = 8": 4,
        "select count(*) from nccl_call where rank = 1 and ranks = 2": 4}),
    Case("library_calls_off", "library_calls", options=("--no-gemm", "--no-nccl"), sql={
        KERNELS: 19, "select count(*) from gemm_call": 0, "select count(*) from nccl_call": 0}),
)
