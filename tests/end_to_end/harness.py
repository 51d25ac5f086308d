# Runs perfscope on a victim with the stand-in libraries and asks the profile. Every run has a deadline: a hang fails.
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DEADLINE_S = 40  # far beyond any case on a busy machine of two cores
SKIPPED = 77
# What must not leak from the developer's shell into a case.
FOREIGN = ("PERFSCOPE_", "STANDIN_", "CUDA_", "NVTX_", "NCCL_", "LD_PRELOAD", "RANK", "WORLD_SIZE", "LOCAL_RANK")


class Skip(Exception):
    """This machine cannot run the case; the text says why."""


class Outcome:
    def __init__(self, status, stdout, stderr, seconds, profile):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.seconds, self.profile = seconds, profile

    def describe(self):
        return f"status {self.status} after {self.seconds:.1f} s\n--- stdout\n{self.text()}\n--- stderr\n{self.errors()}"

    def text(self):
        return self.stdout.decode("utf-8", "replace")

    def errors(self):
        return self.stderr.decode("utf-8", "replace")


class Bench:
    """A temporary folder, the built programs, and the checks. One per case."""

    def __init__(self, build):
        self.build = Path(build).resolve()
        self.perfscope = self.build / "bin" / "perfscope"
        self.standins = self.build / "lib" / "standins"
        self.folder = Path(tempfile.mkdtemp(prefix="perfscope-e2e-"))
        self.profile = self.folder / "run.perfscope"
        self.log = self.folder / "cupti-calls"
        self.last = None
        self.children = []
        if not self.perfscope.exists():
            raise RuntimeError(f"{self.perfscope} is not built")

    def close(self, keep):
        for child in self.children:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        if keep:
            print(f"kept: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def victim(self, name):
        return str(self.build / "bin" / "victims" / name)

    def environment(self, extra=None):
        env = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
        env["LD_LIBRARY_PATH"] = str(self.standins)
        env["PERFSCOPE_CUPTI"] = str(self.standins / "libcupti.so.13")
        env["STANDIN_CUPTI_LOG"] = str(self.log)
        for key, value in (extra or {}).items():
            if value is None:
                env.pop(key, None)
            else:
                env[key] = str(value).replace("{standins}", str(self.standins)).replace("{folder}", str(self.folder))
        return env

    def command(self, victim, options=(), profile=None):
        target = [self.victim(victim[0])] + [str(part) for part in victim[1:]] if isinstance(victim, (list, tuple)) \
            else ([self.victim(victim.split()[0])] + victim.split()[1:])
        return self.run_command(target, options, profile)

    def run_command(self, target, options=(), profile=None):
        return [str(self.perfscope), "run", "-o", str(profile or self.profile), "--nvml", "off", *options, "--", *target]

    def start(self, command, env=None, **popen):
        """Starts in a process group of its own, so that a deadline can end everything below."""
        child = subprocess.Popen(command, env=self.environment(env), cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, start_new_session=True, **popen)
        self.children.append(child)
        return child

    def finish(self, child, stdin=None, deadline=DEADLINE_S):
        begin = time.monotonic()
        try:
            stdout, stderr = child.communicate(stdin, timeout=deadline)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            stdout, stderr = child.communicate()
            self.last = Outcome("hang", stdout, stderr, deadline, self.profile)
            raise AssertionError(f"no end within {deadline} s")
        self.last = Outcome(child.returncode, stdout, stderr, time.monotonic() - begin, self.profile)
        return self.last

    def call(self, command, env=None, stdin=None, deadline=DEADLINE_S, **popen):
        child = self.start(command, env, stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL, **popen)
        return self.finish(child, stdin, deadline)

    def run(self, victim, options=(), env=None, **more):
        return self.call(self.command(victim, options), env, **more)

    def tool(self, *arguments, **more):
        return self.call([str(self.perfscope), *[str(part) for part in arguments]], **more)

    def query(self, sql, profile=None):
        """Rows; a single column and row comes back bare."""
        connection = sqlite3.connect(f"file:{profile or self.profile}?mode=ro", uri=True)
        try:
            rows = connection.execute(sql).fetchall()
        finally:
            connection.close()
        if len(rows) == 1:
            return rows[0][0] if len(rows[0]) == 1 else rows[0]
        return rows

    def cupti_calls(self):
        if not self.log.exists():
            return []
        return [line.split()[1] for line in self.log.read_text().splitlines()]


def equal(got, wanted, what):
    assert got == wanted, f"{what}: got {got!r}, expected {wanted!r}"


def at_least(got, wanted, what):
    assert got is not None and got >= wanted, f"{what}: got {got!r}, expected at least {wanted!r}"


def contains(text, part, where):
    assert part.lower() in text.lower(), f"{where} lacks {part!r}:\n{text}"


def wait_for(condition, what, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"waited {seconds} s in vain for {what}")


def child_of(pid):
    """First child process of a process, by /proc."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        if children:
            return int(children[0])
    return None


def fail(bench, name, error):
    print(f"FAILED {name}: {error}")
    if bench is not None and bench.last is not None:
        print(bench.last.describe())
    sys.exit(1)
