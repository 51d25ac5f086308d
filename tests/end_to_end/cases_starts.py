# The first moments of a run: interrupted at any of them, and several runs that begin together.
import os
import shutil
import signal
import time

from cases import procedure
from cases_counts import KERNELS
from harness import contains, equal

TRIES = 40
LATEST_S = 0.060  # by then the target runs, on a slow machine too


def left_over(bench):
    return sorted(path.name for path in bench.folder.iterdir() if path != bench.log)


def is_complete(bench):
    return left_over(bench) == ["run.perfscope"] and bench.query("select value from meta where key = 'closed'") == "1"


def interrupt_starts(bench, signals, tries=TRIES):
    """Ends a run after 0..60 ms; the caller looks at each end before the folder is emptied for the next."""
    for i in range(tries):
        number = signals[i % len(signals)]
        child = bench.start(bench.command("endless 20"))
        time.sleep(LATEST_S * i / (tries - 1))
        if number == signal.SIGKILL:
            os.killpg(child.pid, number)  # with the target, which would live on for long
        else:
            child.send_signal(number)
        outcome = bench.finish(child, deadline=15)
        yield number, outcome
        for name in left_over(bench):
            path = bench.folder / name
            assert path.is_file(), f"after try {i}: {name} is left"
            path.unlink()


@procedure
def interrupted_at_the_start(bench):
    for number, outcome in interrupt_starts(bench, (signal.SIGINT, signal.SIGTERM)):
        # Before the dispositions are ours the signal simply ends us (-2, -15), and nothing has been made.
        assert outcome.status in (-number, 128 + number), outcome.status
        left = left_over(bench)
        assert not left or is_complete(bench), f"left over: {left}"
        assert left or outcome.status == -number or "nothing was written" in outcome.errors(), outcome.errors()


@procedure
def killed_at_the_start_can_be_recovered(bench):
    for _, _ in interrupt_starts(bench, (signal.SIGKILL,)):
        session = bench.folder / "run.perfscope.session"
        if not session.exists():
            continue
        if bench.profile.exists():
            told = bench.tool("report", bench.profile)
            contains(told.text() + told.errors(), "perfscope recover", "report on what was left")
        outcome = bench.tool("recover", session)
        equal(outcome.status, 0, f"recover; left over: {left_over(bench)}; {outcome.errors()}")
        equal(bench.query("select value from meta where key = 'closed'"), "1", "the recovered profile is complete")
        shutil.rmtree(session, ignore_errors=True)


@procedure
def a_short_program_has_a_clock_sample(bench):
    # The stand-in NVML takes 150 ms to start: the program is over by then.
    command = [str(bench.perfscope), "run", "-o", str(bench.profile), "--", bench.victim("launch_storm"), "100", "1", "1"]
    equal(bench.call(command).status, 0, "exit status")
    equal(bench.query("select min(sm_clock_mhz), min(power_mw), min(temperature_c) from machine_sample"),
          (1980, 412500, 45), "clock, power and temperature")


@procedure
def four_runs_in_the_same_second(bench):
    command = [str(bench.perfscope), "run", "--nvml", "off", "--", bench.victim("launch_storm"), "100", "1", "1"]
    # Right after a second begins, so that all four get the same time into their names.
    time.sleep(1 - time.time() % 1)
    children = [bench.start(command) for _ in range(4)]
    for child in children:
        outcome = bench.finish(child)
        equal(outcome.status, 0, "exit status")
        contains(outcome.errors(), "wrote", "stderr")
    profiles = sorted(bench.folder.glob("launch_storm-*.perfscope"))
    equal(len(profiles), 4, "profiles")
    equal([bench.query(KERNELS, profile) for profile in profiles], [100] * 4, "kernels")
    equal(list(bench.folder.glob("*.session")), [], "session folders")
