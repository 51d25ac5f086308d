# CUPTI in trouble: whatever is lost or refused is counted and named, and the rest of the record is right.
from cases import Case, table
from cases_counts import KERNELS, LAUNCHES_SEEN

LOSSES = "select name, count from loss where count > 0 order by name"


def ledger(name):
    return f"select count(*) from ledger where name = '{name}'"


table(
    Case("lost_timestamps", "launch_storm 1000 1 1", env={"STANDIN_CUPTI_ZERO_EVERY": 10}, lossless=False,
         sql={KERNELS: 900, LOSSES: ("zero_timestamp", 100), "select count(*) from kernel where duration_ns <= 0": 0}),
    Case("inverted_timestamps", "launch_storm 1000 1 1", env={"STANDIN_CUPTI_INVERT_EVERY": 100}, lossless=False,
         sql={KERNELS: 990, LOSSES: ("inverted_timestamp", 10), "select count(*) from kernel where duration_ns < 0": 0}),
    Case("dropped_by_cupti", "launch_storm 1000 1 1", env={"STANDIN_CUPTI_DROP_EVERY": 50}, lossless=False,
         sql={KERNELS: 980, LOSSES: ("cupti_dropped", 20)}),
    Case("unknown_records", "launch_storm 1000 1 1", env={"STANDIN_CUPTI_UNKNOWN_EVERY": 100}, lossless=False,
         sql={KERNELS: 1000, LOSSES: ("unknown_record", 10)}),
    Case("kind_refused", "copies", env={"STANDIN_CUPTI_REFUSE_KINDS": "2,17,52"}, sql={  # MEMSET, OVERHEAD, JIT
        "select count(*) from jit_event": 0,
        "select count(*) from memcpy": 18, "select count(*) from memset": 0,
        "select group_concat(detail) from (select detail from ledger where name = 'kind_unavailable' order by detail)":
            "JIT,MEMSET,OVERHEAD"}),
    Case("background_error", "launch_storm 1000 1 1", env={"STANDIN_CUPTI_BACKGROUND_ERROR": 1}, lossless=False, sql={
        KERNELS: 1000, LOSSES: ("background_error", 1)}),
    # CUDA 12.0: smaller records, no selection of API calls, no second subscribe call.
    Case("cuda_12_0", "launch_storm 10000 4 4", env={"PERFSCOPE_CUPTI": "{standins}/cuda12/libcupti.so.12"}, sql={
        KERNELS: 10000, LAUNCHES_SEEN: 0, "select cupti_version from process": 18,
        "select count(*) from api_call a join api_name n on n.id = a.api_id where n.name like 'cudaGetDevice%'": 0}),
    Case("cuda_12_0_copies", "copies", env={"PERFSCOPE_CUPTI": "{standins}/cuda12/libcupti.so.12"}, sql={
        "select count(*) from memcpy": 18, "select count(*) from memset": 7, "select count(*) from memory_event": 2,
        "select name, sm_count from device": ("NVIDIA H200", 132),
        # The kind came with CUDA 12.8: not asked for, hence not refused.
        "select count(*) from jit_event": 0, "select count(*) from ledger where detail = 'JIT'": 0}),
    Case("cuda_12_0_graphs", "graph_storm 100 20", env={"PERFSCOPE_CUPTI": "{standins}/cuda12/libcupti.so.12"},
         sql={KERNELS: 2000, "select count(distinct graph_node_id) from kernel": 20}),
    Case("flush_fails", "launch_storm 1000 1 1", env={"STANDIN_CUPTI_FAIL": "cuptiActivityFlushAll"}, lossless=False,
         status=69, sql={ledger("cupti_call_failed"): 1}),
)
