# Recording only a part of the run. The pauses between the steps are longer than the collector's reaction.
from cases import Case, procedure, table
from cases_counts import KERNELS
from harness import at_least, equal

STEPS = "nvtx_steps 10 5 80"
OF_STEPS = ("select group_concat(text) from (select distinct s.text from kernel k join v_step s "
            "on k.launch_start_ns between s.start_ns and s.end_ns order by s.start_ns)")

# CUPTI's kinds go on and off one after the other: launches in between may be seen only in part, outside the window.
NO_DATA_LOSS = {"select name, count from loss where count > 0 and name <> 'unmatched_launch'": []}

table(
    Case("window_steps", STEPS, options=("--steps", "2:1:3:1"), lossless=False, sql={**NO_DATA_LOSS, KERNELS: 15, OF_STEPS: "step 3,step 4,step 5"}),
    Case("window_steps_repeated", STEPS, options=("--steps", "1:0:2:2"), lossless=False, sql={
        **NO_DATA_LOSS, KERNELS: 20, OF_STEPS: "step 1,step 2,step 4,step 5"}),
    Case("window_step_marker", STEPS, options=("--steps", "4:0:1:1", "--step-marker", "^forward$"), lossless=False, sql={**NO_DATA_LOSS, KERNELS: 5}),
    Case("window_nvtx", STEPS, options=("--capture", "nvtx:step 4"), lossless=False, sql={**NO_DATA_LOSS, KERNELS: 5, OF_STEPS: "step 4"}),
    Case("window_profiler_api", "profiler_api", options=("--capture", "cuda-profiler-api"), lossless=False, sql={**NO_DATA_LOSS, KERNELS: 7}),
    # Not one step came into the window: the profile is empty and says so.
    Case("window_never_opens", STEPS, options=("--steps", "100:0:1:1"), status=69, stderr=("--steps",), lossless=False, sql={**NO_DATA_LOSS, KERNELS: 0}),
)


@procedure
def window_delay(bench):
    outcome = bench.run("nvtx_steps 10 5 80", ("--delay", "400ms"))
    equal(outcome.status, 0, "exit status")
    first = bench.query("select min(k.start_ns) - (select min(start_ns) from process) from kernel k")
    at_least(first, 300_000_000, "time of the first kernel")
    at_least(bench.query(KERNELS), 5, KERNELS)
    at_least(45, bench.query(KERNELS), "kernels left out")


@procedure
def window_duration(bench):
    outcome = bench.run("nvtx_steps 10 5 80", ("--duration", "300ms"))
    equal(outcome.status, 0, "exit status")
    span = bench.query("select max(start_ns) - min(start_ns) from kernel")
    at_least(450_000_000, span, "time between the first and the last kernel")
    at_least(bench.query(KERNELS), 10, KERNELS)
    equal(bench.query("select collecting, reason from window order by time_ns limit 2"), [(1, "start"), (0, "duration")],
          "windows")
    # Outside the window CUPTI is told to stop, so that the rest of the run costs nothing.
    assert "cuptiActivityDisable" in bench.cupti_calls(), "the activity kinds stayed on"
