"""Cases: how processes start and end for real: exits, signals, crashes, fork, exec, a killed recorder, refusals."""

import json
import os
import signal
import subprocess
import tempfile
import time

import harness
from cases import Checks, ProfiledRun, Skip, check_end, check_exact_run
from profile_db import Profile

MAY_LACK_NS = 500_000_000  # what a kill may cost at most


def ends(mode, status):
    def case(machine):
        checks, finished, _ = check_exact_run(machine, mode, machine.gpu_mix(mode), status)
        if mode == "exception":
            checks.true("the target's own words reach stderr", "not caught on purpose" in finished.stderr)
        return checks

    return case


class Spin:
    """`gpu_mix spin` (or segv) under perfscope, and what its progress lines promise."""

    def __init__(self, machine, name, checks, mode="spin", seconds=20, extra_environment=None):
        self.checks, self.mode = checks, mode
        self.run = ProfiledRun(machine, name, machine.gpu_mix(mode, str(seconds)))
        self.running = self.run.start(extra_environment)
        line = self.running.wait_for_line('{"gpu_mix_start"', 40)
        if not line:
            ended = self.running.finish(1)
            checks.true("the target started", False, ended.tail())
            self.running = None
            return
        start = json.loads(line)
        self.target_pid, self.batch = start["pid"], start["batch"]

    def progress(self):
        """[(kernels finished, Unix ns)] as printed so far"""
        found = []
        for line in list(self.running.out):
            parts = line.split()
            if len(parts) == 3 and parts[0] == "launched":
                found.append((int(parts[1]), int(parts[2])))
        return found

    def check_profile(self, killed_ns, may_lack_ns, path=None):
        """At least what had finished that long before the end; at most what was ever launched."""
        progress = self.progress()
        if path is None and not self.checks.true("profile exists", os.path.isfile(self.run.path)):
            return
        with Profile(path or self.run.path) as profile:
            kernels = profile.kernel_count()
            due = max((n for n, when in progress if when <= killed_ns - may_lack_ns), default=0)
            self.checks.true("kernels that must be there", kernels >= due, f"({kernels} of {due})")
            most = progress[-1][0] + self.batch
            self.checks.true("no kernel more than launched", kernels <= most, f"({kernels} of {most})")
            self.checks.note(f"{kernels} kernels, {progress[-1][0]} finished by the program's own count")


def signalled(name, number, whole_group, status, may_lack_ns=0):
    """The signal goes to perfscope (which forwards it) or, as a terminal does it, to the whole group."""

    def case(machine):
        checks = Checks()
        spin = Spin(machine, name, checks)
        if not spin.running:
            return checks
        time.sleep(1.5)
        killed_ns = time.time_ns()
        (os.killpg if whole_group else os.kill)(spin.running.process.pid, number)
        check_end(checks, spin.running.finish(30), status)
        spin.check_profile(killed_ns, may_lack_ns)
        return checks

    return case


def target_killed(machine):
    checks = Checks()
    spin = Spin(machine, "sigkill", checks)
    if not spin.running:
        return checks
    time.sleep(2.0)
    killed_ns = time.time_ns()
    os.kill(spin.target_pid, signal.SIGKILL)
    check_end(checks, spin.running.finish(30), 137)
    spin.check_profile(killed_ns, MAY_LACK_NS)
    if os.path.isfile(spin.run.path):
        with Profile(spin.run.path) as profile:
            states = [state for _, state, _ in profile.processes()]
            checks.true(
                "marked as unclosed or killed", not profile.closed() or "killed" in states, str(states)
            )
            last = profile.last_kernel_end_unix_ns() or 0
            checks.true(
                "the last kernel is at most 500 ms before the kill",
                last >= killed_ns - MAY_LACK_NS,
                f"({(killed_ns - last) / 1e6:.0f} ms)",
            )
    return checks


def segv(machine):
    checks = Checks()
    spin = Spin(machine, "segv", checks, "segv", 2)
    if spin.running:
        check_end(checks, spin.running.finish(40), 139)
        progress = spin.progress()
        spin.check_profile(progress[-1][1] if progress else 0, MAY_LACK_NS)
    return checks


def find_sessions(roots, since):
    """Session folders: those that hold a process folder with a control file, younger than `since`."""
    found = set()
    for root in roots:
        for folder, folders, names in os.walk(root):
            if "control" in names and os.path.getmtime(os.path.join(folder, "control")) >= since:
                found.add(os.path.dirname(folder))
            if folder.count(os.sep) - root.count(os.sep) > 4:
                folders.clear()
    return sorted(found)


def recorder_killed(machine):
    """The target must not notice; `recover` finds everything."""
    checks, since = Checks(), time.time() - 1
    temporary = os.path.join(machine.folder, "recorder_killed", "tmp")
    os.makedirs(temporary, exist_ok=True)
    spin = Spin(machine, "recorder_killed", checks, seconds=4, extra_environment={"TMPDIR": temporary})
    if not spin.running:
        return checks
    time.sleep(1.5)
    os.kill(spin.running.process.pid, signal.SIGKILL)
    line = spin.running.wait_for_line('{"gpu_mix":"spin"', 30)
    spin.running.finish(5)
    if not checks.true("the target ran on to its end", line is not None):
        return checks
    expected = json.loads(line)["kernels"]
    own = [s for s in find_sessions([spin.run.folder], since)]
    sessions = own or find_sessions([tempfile.gettempdir(), "/dev/shm"], since)
    if not checks.true("a session folder was left", sessions):
        return checks
    recovered = os.path.join(spin.run.folder, "recovered.perfscope")
    if os.path.exists(recovered):
        os.remove(recovered)
    finished = harness.run([machine.perfscope, "recover", sessions[0], "-o", recovered], 60)
    check_end(checks, finished, 0)
    if checks.true("recover wrote a profile", os.path.isfile(recovered), finished.tail()):
        with Profile(recovered) as profile:
            checks.equal("kernels recovered", profile.kernel_count(), expected)
    return checks


def becomes_another(mode):
    """exec: both program images have the same pid and both are counted."""

    def case(machine):
        command = machine.gpu_mix(mode, machine.gpu_mix_path or "", "exit3")
        checks, finished, _ = check_exact_run(machine, mode, command, 3)
        checks.equal("program images that reported", len(finished.json_lines("gpu_mix")), 2)
        return checks

    return case


def workers(method):
    def case(machine):
        status = 3 if method == "os-exit" else 0
        checks, finished, _ = check_exact_run(
            machine,
            "mp-" + method,
            harness.workload("mp.py", "--method", method),
            status,
            seconds=150,
            truth_key="mp",
        )
        checks.equal(
            "processes that reported", len(finished.json_lines("mp")), 1 if method == "os-exit" else 3
        )
        return checks

    return case


def forkafter(machine):
    """Children of a CUDA-initialised parent; first bare, to know that the machine itself does not hang."""
    bare = harness.run(machine.gpu_mix("forkafter"), 60)
    if bare.status != 0:
        raise Skip(f"the bare program itself ends with {bare.status}: {bare.tail()}")
    return check_exact_run(machine, "forkafter", machine.gpu_mix("forkafter"))[0]


def no_cuda(machine):
    checks = Checks()
    refused = ProfiledRun(machine, "no_cuda", machine.gpu_mix("nogpu")).run(30)
    check_end(checks, refused, 69)
    checks.true("says why", len(refused.stderr.strip()) > 20, refused.stderr)
    allowed = ProfiledRun(machine, "no_cuda_allowed", machine.gpu_mix("nogpu"), ["--allow-empty"]).run(30)
    check_end(checks, allowed, 0)
    return checks


def output_refused(machine):
    checks = Checks()
    run = ProfiledRun(machine, "refused", machine.gpu_mix("storm"))
    with open(run.path, "wb") as file:
        file.write(b"already here")
    finished = run.run(30)
    check_end(checks, finished, 73)
    checks.true("says why", "refused.perfscope" in finished.stderr, finished.stderr)
    with open(run.path, "rb") as file:
        checks.equal("the existing file", file.read(), b"already here")
    run.command[run.command.index("-o") + 1] = "/proc/perfscope-cannot-write-here.perfscope"
    check_end(checks, run.run(30), 73)
    return checks


def disk_full(machine):
    """Spool and profile on a 6 MiB file system: the target must end as it would without us."""
    checks = Checks()
    folder = os.path.join(machine.folder, "disk_full", "small")
    os.makedirs(folder, exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        raise Skip("cannot mount a small tmpfs here: " + mounted.stderr.decode(errors="replace").strip())
    try:
        run = ProfiledRun(machine, "disk_full", machine.gpu_mix("spin", "4"))
        run.command[run.command.index("-o") + 1] = os.path.join(folder, "full.perfscope")
        finished = run.run(60, {"TMPDIR": folder})
        checks.true("ends in time", not finished.timed_out)
        checks.true("the target ran to its end", finished.json_lines("gpu_mix"), finished.tail())
        checks.true("status 0 or 73", finished.status in (0, 73), f"is {finished.status}: {finished.tail()}")
        checks.true("says so", len(finished.stderr.strip()) > 20, finished.stderr)
        checks.note(f"status {finished.status}")
    finally:
        subprocess.run(["umount", "-l", folder], check=False)
    return checks


CASES = {
    "exit3": ends("exit3", 3),
    "abort": ends("abort", 134),
    "exception": ends("exception", 134),
    "segv": segv,
    "sigterm": signalled("sigterm", signal.SIGTERM, False, 143),
    "sigint": signalled("sigint", signal.SIGINT, True, 130),
    "sigkill": target_killed,
    "recorder_killed": recorder_killed,
    "exec": becomes_another("exec"),
    "execclean": becomes_another("execclean"),
    "fork": ends("fork", 0),
    "forkafter": forkafter,
    "no_cuda": no_cuda,
    "output_refused": output_refused,
    "disk_full": disk_full,
    "mp_spawn": workers("spawn"),
    "mp_fork": workers("fork"),
    "mp_os_exit": workers("os-exit"),
}
