# Hardware counters by PM sampling: what the stand-in counts (metric k: 1000 * (k + 1) a sample) reaches the profile, and
# every refusal leaves a full profile with one sentence.
from cases import Case, table
from cases_counts import KERNELS

STEPS = "nvtx_steps 20 5 40"  # about 0.8 s
SAMPLE = ("--counters", "sample", "--sample-interval", "1ms")
SAMPLES = "select coalesce(sum(sample_count), 0) from counter_block"


def sentence(name):
    return f"select count(*) from ledger where name = '{name}'"


def refused(name, call, code, ledger_name):
    return Case(name, STEPS, options=SAMPLE, env={"STANDIN_CUPTI_FAIL": call, "STANDIN_CUPTI_FAIL_CODE": code}, sql={
        KERNELS: 100, SAMPLES: 0, sentence(ledger_name): 1})


table(
    Case("counters_sampled", STEPS, options=SAMPLE, sql={
        KERNELS: 100,
        f"select ({SAMPLES}) between 300 and 1200": 1,
        "select chip, interval_ns from counter_set": ("GH100", 1_000_000),
        "select group_concat(role) from (select role from counter_metric order by position)":
            "dram_read_bytes,dram_write_bytes,tensor_active_cycles,l2_bytes,fma_instructions,sm_active_cycles,"
            "gpu_active_cycles,pcie_read_bytes,pcie_write_bytes",
        "select detail from ledger where name = 'counter_metrics_left_out'":
            "GH100: nvlink_received_bytes, nvlink_sent_bytes",
        # On the clock of the kernels, without a hole.
        "select max(end_ns) <= (select max(end_ns) from process) from counter_block": 1,
        "select sum(end_ns - start_ns) = max(end_ns) - min(start_ns) from counter_block": 1,
        sentence("counter_samples_lost"): 0, sentence("counter_cost"): 1}),
    Case("counters_by_name", STEPS,
         options=(*SAMPLE, "--metrics", "l2_bytes,dram__bytes_read.sum,no_such_metric,smsp__thread_inst_executed_pred_on.sum"),
         sql={KERNELS: 100,
              "select group_concat(role || ':' || metric) from (select * from counter_metric order by position)":
                  "l2_bytes:lts__t_bytes.sum,:dram__bytes_read.sum",
              "select detail from ledger where name = 'counter_metrics_left_out'":
                  "GH100: no_such_metric, smsp__thread_inst_executed_pred_on.sum"}),
    # An interval longer than the program: not one sample is complete.
    Case("counters_short_program", "launch_storm 10 1 1", options=("--counters", "sample", "--sample-interval", "1s"), sql={
        KERNELS: 10, SAMPLES: 0, "select detail from ledger where name = 'counters_unavailable'":
            "the program ended before the first sample"}),
    Case("counters_replay_of_nothing", STEPS, options=("--counters", "replay"), sql={
        KERNELS: 100, "select count(*) from replay": 0, "select count(*) from ledger where name like 'counter%'": 0}),
    Case("counters_off", STEPS, options=("--counters", "off"), sql={KERNELS: 100, SAMPLES: 0,
         "select count(*) from ledger where name like 'counter%'": 0}),
    # Sampling follows the window: nothing is sampled long after it.
    Case("counters_window", "nvtx_steps 30 5 40", options=(*SAMPLE, "--duration", "300ms"), lossless=False, sql={
        f"select ({SAMPLES}) between 1 and 800": 1}),
    refused("counters_not_permitted", "cuptiPmSamplingGetCounterAvailability", 35, "counters_no_permission"),
    refused("counters_busy", "cuptiPmSamplingEnable", 26, "counters_busy"),
    refused("counters_refused", "cuptiPmSamplingStart", 999, "counters_unavailable"),
    Case("counters_evaluation_fails", STEPS, options=SAMPLE,
         env={"STANDIN_CUPTI_FAIL": "cuptiProfilerHostEvaluateToGpuValues", "STANDIN_CUPTI_FAIL_CODE": 7},
         sql={KERNELS: 100, SAMPLES: 0, sentence("counters_unavailable"): 1}),
    # CUDA 12.0 has no PM sampling.
    Case("counters_cuda_12_0", STEPS, options=SAMPLE, env={"PERFSCOPE_CUPTI": "{standins}/cuda12/libcupti.so.12"},
         sql={KERNELS: 100, SAMPLES: 0, sentence("counters_unavailable"): 1}),
)
