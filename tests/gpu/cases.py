"""The frame of verify.py: a case collects what it checked; a profiled run of a case has its own folder."""

import os

import harness
from profile_db import Profile


class Skip(Exception):
    """The case cannot run on this machine; the text says why."""


class Checks:
    """What one case found. Empty `problems` = passed."""

    def __init__(self):
        self.problems, self.notes, self.checked = [], [], 0

    def true(self, what, condition, detail=""):
        self.checked += 1
        if not condition:
            self.problems.append(f"{what} {detail}".strip())
        return bool(condition)

    def equal(self, what, got, expected):
        return self.true(what, got == expected, f"is {got!r}, expected {expected!r}")

    def note(self, text):
        self.notes.append(text)


class Machine:
    """The programs and folders of this run of verify.py. Shared by threads, never changed after the start."""

    def __init__(self, folder):
        self.folder = folder
        self.perfscope = harness.find_perfscope()
        self.gpu_mix_path = harness.build_gpu_mix(folder)

    def gpu_mix(self, *arguments):
        if self.gpu_mix_path is None:
            raise Skip("gpu_mix could not be built")
        return [self.gpu_mix_path, *arguments]


class ProfiledRun:
    """`perfscope run` of one command, with its files in a folder of its own."""

    def __init__(self, machine, name, command, options=()):
        self.folder = os.path.join(machine.folder, name)
        os.makedirs(self.folder, exist_ok=True)
        self.path = os.path.join(self.folder, name + ".perfscope")
        for left in os.listdir(self.folder):  # of an earlier run
            if left.startswith(name + ".perfscope") and os.path.isfile(os.path.join(self.folder, left)):
                os.remove(os.path.join(self.folder, left))
        self.command = [machine.perfscope, "run", "--quiet", "-o", self.path, *options, "--", *command]

    def run(self, seconds, extra_environment=None):
        return harness.run(self.command, seconds, extra_environment)

    def start(self, extra_environment=None):
        return harness.Running(self.command, extra_environment)

    def profile(self, checks):
        """The profile, or None with the problem noted."""
        if not checks.true("profile exists", os.path.isfile(self.path), self.path):
            return None
        return Profile(self.path)


def check_end(checks, finished, status):
    """The command ended in time and as expected; what it said last is added otherwise."""
    checks.true("ends in time", not finished.timed_out, f"(killed after {finished.seconds:.0f} s)")
    if finished.status != status:
        checks.true(
            "exit status", False, f"is {finished.status}, expected {status}; last words: {finished.tail()}"
        )
    else:
        checks.checked += 1


def total(truths, *keys):
    values = 0
    for truth in truths:
        part = truth
        for key in keys:
            part = part.get(key, 0) if isinstance(part, dict) else 0
        values += part
    return values


def check_counts(checks, profile, truths):
    """Every count of the profile against the lines that gpu_mix printed."""
    by_pid = {}
    for truth in truths:
        by_pid[truth["pid"]] = by_pid.get(truth["pid"], 0) + truth["kernels"]
    checks.equal("kernels by pid", profile.kernels_by_pid(), {pid: n for pid, n in by_pid.items() if n})
    checks.equal("kernels in graphs", profile.graph_kernel_count(), total(truths, "graph_kernels"))
    for kind, found in profile.memcpys().items():
        expected = (total(truths, "memcpy", kind, "count"), total(truths, "memcpy", kind, "bytes"))
        checks.equal(f"memcpy {kind} (count, bytes)", found, expected)
    checks.equal(
        "memset (count, bytes)",
        tuple(profile.memsets()),
        (total(truths, "memset", "count"), total(truths, "memset", "bytes")),
    )
    checks.equal(
        "graph (launches, nodes)",
        tuple(profile.graph_nodes()),
        (total(truths, "graph_launches"), total(truths, "graph_nodes")),
    )
    streams = sorted(s["kernels"] for truth in truths for s in truth.get("streams", []) if s["kernels"])
    checks.equal("kernels of each stream", profile.direct_kernels_per_stream(), streams)
    checks.equal("grave losses", profile.grave_losses(), {})


def check_exact_run(
    machine, name, command, status=0, options=(), seconds=60, truth_key="gpu_mix", extra_environment=None
):
    """Runs the command under perfscope and compares everything; returns (checks, finished, run)."""
    checks = Checks()
    run = ProfiledRun(machine, name, command, options)
    finished = run.run(seconds, extra_environment)
    check_end(checks, finished, status)
    truths = finished.json_lines(truth_key)
    skipped = [truth["skipped"] for truth in truths if "skipped" in truth]
    if skipped:
        raise Skip(skipped[0])
    if not checks.true("the program printed its counts", truths, finished.tail()):
        return checks, finished, run
    profile = run.profile(checks)
    if profile:
        with profile:
            (
                check_counts(checks, profile, truths)
                if truth_key == "gpu_mix"
                else check_workers(checks, profile, truths)
            )
            if status < 128:  # how a profile of a crashed target is marked is the recorder's choice
                checks.true("marked closed", profile.closed())
            checks.note(f"{profile.kernel_count()} kernels")
    return checks, finished, run


def check_workers(checks, profile, truths):
    checks.equal(
        "kernels by pid", profile.kernels_by_pid(), {truth["pid"]: truth["kernels"] for truth in truths}
    )
    checks.equal("grave losses", profile.grave_losses(), {})
