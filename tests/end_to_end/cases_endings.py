# Every way a process can end: the record is complete (or lacks at most the last 500 ms), the status is the target's own,
# and nothing hangs.
import os
import signal
import time

from cases import Case, procedure, table
from cases_counts import KERNELS
from harness import at_least, child_of, contains, equal, wait_for

STATE = "select state, exit_status from process"
MAX_LOSS_NS = 500_000_000

table(
    Case("end_return", "endings return 1000", status=7, sql={KERNELS: 1000, STATE: ("closed", 7)}),
    Case("end_exit", "endings exit 1000", status=5, sql={KERNELS: 1000, STATE: ("closed", 5)}),
    Case("end_os_exit", "endings _exit 1000", status=3, sql={KERNELS: 1000, STATE: ("closed", 3)}),
    Case("end_Exit", "endings _Exit 1000", status=4, sql={KERNELS: 1000}),
    Case("end_quick_exit", "endings quick_exit 1000", status=6, sql={KERNELS: 1000}),
    Case("end_abort", "endings abort 1000", status=134, sql={KERNELS: 1000}),
    Case("end_exception", "endings exception 1000", status=134, sql={KERNELS: 1000}, stderr=("nobody catches this",)),
    # No handler is installed for a segmentation fault: what the last periodic flush brought is there.
    Case("end_segv", "endings segv 1000 600", status=139, sql={KERNELS: 1000, STATE: ("killed", 139)}),
    Case("end_raise_term", "endings raise-term 1000", status=143, sql={KERNELS: 1000}),
    Case("end_ignore_term", "endings ignore-term 1000", status=11, sql={KERNELS: 1000, STATE: ("closed", 11)}),
    # Threads go on launching while the process ends: no crash, no hang, and every kernel that was recorded is whole.
    Case("end_while_threads_launch", "exit_race 4 50", lossless=False, sql={
        "select state, exit_status from process": ("closed", 0),
        "select count(*) > 1000 from kernel": 1, "select count(*) from kernel where duration_ns <> 3000": 0}),
    # A kernel that still runs is handed over without an end: counted as lost, never as a kernel of length 0.
    Case("end_while_kernel_runs", "endings running-kernel 1000", lossless=False, sql={
        KERNELS: 1000, "select name, count from loss where count > 0": ("zero_timestamp", 1)}),
)


def start_ready(bench, ending):
    child = bench.start(bench.command(f"endings {ending} 1000"))
    equal(child.stdout.readline(), b"ready\n", "first line of the target")
    return child


@procedure
def signal_term_to_perfscope(bench):
    child = start_ready(bench, "wait")
    child.send_signal(signal.SIGTERM)
    outcome = bench.finish(child)
    equal(outcome.status, 143, "exit status")
    equal(bench.query(KERNELS), 1000, KERNELS)
    equal(bench.query("select exit_status from process"), 143, "status in the profile")


@procedure
def signal_term_to_target(bench):
    child = start_ready(bench, "wait")
    os.kill(child_of(child.pid), signal.SIGTERM)
    equal(bench.finish(child).status, 143, "exit status")
    equal(bench.query(KERNELS), 1000, KERNELS)


@procedure
def signal_term_own_handler(bench):
    child = start_ready(bench, "own-handler")
    child.send_signal(signal.SIGTERM)
    outcome = bench.finish(child)
    equal(outcome.status, 42, "exit status")
    equal(outcome.text(), "own handler\n", "the handler of the target ran once")
    equal(bench.query(KERNELS), 1000, KERNELS)


@procedure
def signal_int_from_terminal(bench):
    child = start_ready(bench, "wait")
    os.killpg(child.pid, signal.SIGINT)  # a terminal signals the whole group
    equal(bench.finish(child).status, 130, "exit status")
    equal(bench.query(KERNELS), 1000, KERNELS)


def launched_until(text, time_ns):
    """Launches the endless victim had reported by that moment."""
    counts = [int(line.split()[0]) for line in text.splitlines() if len(line.split()) == 2 and int(line.split()[1]) <= time_ns]
    return counts[-1] if counts else 0


@procedure
def sigkill_target(bench):
    child = bench.start(bench.command("endless 30"))
    time.sleep(1.5)
    os.kill(wait_for(lambda: child_of(child.pid), "the target"), signal.SIGKILL)
    killed_ns = time.time_ns()
    outcome = bench.finish(child)
    equal(outcome.status, 137, "exit status")
    wanted = launched_until(outcome.text(), killed_ns - MAX_LOSS_NS)
    at_least(wanted, 500, "launches before the last 500 ms")
    at_least(bench.query(KERNELS), wanted, "kernels in the profile")
    equal(bench.query("select state, exit_status, end_ns from process"), ("killed", 137, None), "process")
    report = bench.tool("report", bench.profile)
    equal(report.status, 0, "report on the profile of a killed target")
    contains(report.text(), "killed", "report")


@procedure
def sigkill_inside_a_range(bench):
    child = bench.start(bench.command("nvtx_steps 1000 5 20"))
    time.sleep(1.2)
    os.kill(wait_for(lambda: child_of(child.pid), "the target"), signal.SIGKILL)
    bench.finish(child)
    open_ranges = "select s.text, r.kind from nvtx_range r join string s on s.id = r.text_id where r.duration_ns is null"
    equal(bench.query(open_ranges), ("whole run", "start_end"), "the range that was open")
    at_least(bench.query("select count(*) from nvtx_range where duration_ns is not null"), 20, "ended ranges")


def is_running(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@procedure
def sigkill_perfscope_then_recover(bench):
    child = bench.start(bench.command("endless 3"))
    time.sleep(1.2)
    target = wait_for(lambda: child_of(child.pid), "the target")
    child.send_signal(signal.SIGKILL)
    child.wait()
    # The target lives on: its last line comes when its three seconds are over.
    output = bench.finish(child).text()
    wait_for(lambda: not is_running(target), "the end of the target")
    launched = int(output.splitlines()[-1].split()[0])
    session = bench.folder / "run.perfscope.session"
    assert session.is_dir(), "the session folder is gone"
    recovered = bench.folder / "recovered.perfscope"
    outcome = bench.tool("recover", session, "-o", recovered)
    equal(outcome.status, 0, "recover")
    at_least(bench.query(KERNELS, recovered), launched, "recovered kernels")
    equal(bench.query("select state from process", recovered), "closed", "state of the target")
    equal(bench.query("select name from loss where count > 0", recovered), [], "losses")
    equal(bench.query("select value from meta where key = 'closed'", recovered), "1", "recovered profile is complete")
