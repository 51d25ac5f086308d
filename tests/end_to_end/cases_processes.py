# Trees of processes: each that used CUDA is in the profile with its own counts, the others cost nothing.
import sys
from pathlib import Path

from cases import Case, procedure, table
from cases_counts import KERNELS
from harness import at_least, contains, equal

PYTHON_PROGRAM = str(Path(__file__).resolve().parent / "victims" / "multiprocess.py")
PROCESSES = "select count(*) from process"
PER_PROCESS = "select n from (select count(*) n from kernel group by process_id) order by n"

table(
    Case("fork_before_cuda", "forks before 100", sql={KERNELS: 200, PROCESSES: 2, PER_PROCESS: [(100,), (100,)]}),
    Case("fork_after_cuda", "forks after 100", sql={KERNELS: 200, PROCESSES: 1}),
    Case("fork_after_cuda_child_tries", "forks after-cuda 100", sql={KERNELS: 200, PROCESSES: 1}),
    Case("fork_after_cuda_child_execs", "forks after-exec 100", sql={KERNELS: 250, PROCESSES: 2, PER_PROCESS: [(50,), (200,)]}),
    Case("fork_grandchildren", "forks grandchildren 100", sql={
        KERNELS: 300, PROCESSES: 3,
        "select count(*) from process a join process b on a.parent_pid = b.pid": 2}),
    Case("vfork_exec", "forks vfork-exec 100", sql={KERNELS: 250, PROCESSES: 2}),
    Case("exec", "forks exec 100", sql={
        KERNELS: 150, PER_PROCESS: [(50,), (100,)],
        "select count(*), count(distinct pid) from process": (2, 1),
        "select group_concat(state) from (select state from process order by start_ns)": "execed,closed"}),
    Case("exec_with_empty_environment", "forks exec-clean 100", sql={KERNELS: 150, PER_PROCESS: [(50,), (100,)]}),
    Case("exec_that_fails", "forks exec-fails 100", sql={
        KERNELS: 200, PROCESSES: 1, "select state from process": "closed"}),
    Case("spawn_with_empty_environment", "forks spawn 100", sql={KERNELS: 150, PROCESSES: 2}),
)


def python(bench, *arguments):
    return bench.call(bench.run_command([sys.executable, PYTHON_PROGRAM, *[str(part) for part in arguments]]))


def check_python(bench, arguments, kernels, processes, statuses):
    outcome = python(bench, *arguments)
    equal(outcome.status, 0, "exit status")
    equal(outcome.text(), f"statuses {statuses}\n", "stdout")
    equal(bench.query(KERNELS), kernels, KERNELS)
    equal(bench.query(PROCESSES), processes, PROCESSES)
    equal(bench.query("select name, count from loss where count > 0"), [], "losses")


@procedure
def python_fork(bench):
    check_python(bench, ("fork", 4, 200), 800, 4, [0, 0, 0, 0])


@procedure
def python_fork_parent_uses_cuda_later(bench):
    check_python(bench, ("fork", 2, 200, "parent-last"), 600, 3, [0, 0])


@procedure
def python_fork_after_cuda(bench):
    # Children of a process that has used CUDA cannot use it; they fail, do not hang, and the parent's record is whole.
    check_python(bench, ("fork", 2, 200, "parent-first", "parent-last"), 400, 1, [1, 1])
    contains(bench.last.errors(), "launch refused", "stderr")


@procedure
def python_spawn(bench):
    check_python(bench, ("spawn", 2, 200, "parent-first"), 600, 3, [0, 0])


@procedure
def ranks_of_a_launcher(bench):
    victim = bench.victim("launch_storm")
    script = " & ".join(f"RANK={rank} WORLD_SIZE=2 LOCAL_RANK={rank} {victim} {100 + rank} 1 1" for rank in (0, 1))
    outcome = bench.call(bench.run_command(["/bin/sh", "-c", script + " & wait; exit 9"]))
    equal(outcome.status, 9, "exit status of the shell")
    equal(bench.query("select rank, world_size, local_rank, count(*) from process p join kernel k on k.process_id = p.id "
                      "group by p.id order by rank"), [(0, 2, 0, 100), (1, 2, 1, 101)], "ranks")
    equal(bench.query(PROCESSES), 2, "the shell is no CUDA process")


@procedure
def only_some_ranks(bench):
    victim = bench.victim("launch_storm")
    script = " & ".join(f"RANK={rank} WORLD_SIZE=3 {victim} {100 + rank} 1 1" for rank in (0, 1, 2))
    outcome = bench.call(bench.run_command(["/bin/sh", "-c", script + " & wait"], ("--ranks", "0,2")))
    equal(outcome.status, 0, "exit status")
    equal(bench.query("select rank, count(*) from process p join kernel k on k.process_id = p.id group by p.id "
                      "order by rank"), [(0, 100), (2, 102)], "ranks")


@procedure
def program_that_forks_many_short_ones(bench):
    script = "i=0; while [ $i -lt 50 ]; do /bin/true; i=$((i+1)); done; exec " + bench.victim("launch_storm") + " 500 1 1"
    outcome = bench.call(bench.run_command(["/bin/sh", "-c", script]))
    equal(outcome.status, 0, "exit status")
    equal(bench.query(KERNELS), 500, KERNELS)
    at_least(1, bench.query(PROCESSES), PROCESSES)


@procedure
def process_that_outlives_the_target(bench):
    # A daemon keeps running when the target has ended: the run ends with the target, and says what it left behind.
    script = bench.victim("endless") + " 8 >/dev/null 2>&1 & sleep 1; exit 0"
    outcome = bench.call(bench.run_command(["/bin/sh", "-c", script]), deadline=7)
    equal(outcome.status, 0, "exit status")
    equal(bench.query("select state from process"), "running", "state of the daemon")
    at_least(bench.query(KERNELS), 300, KERNELS)
    contains(outcome.errors(), "1 process still runs: its records end here", "closing line")
