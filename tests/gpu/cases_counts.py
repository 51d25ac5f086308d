"""Cases: exact counts against gpu_mix, known idle gaps and durations, nothing secret in the file."""

import os
import secrets

from cases import Checks, ProfiledRun, check_end, check_exact_run
from profile_db import Profile


def counted(mode):
    def case(machine):
        checks, _, run = check_exact_run(machine, mode, machine.gpu_mix(mode))
        if mode == "mix" and os.path.isfile(run.path):
            with Profile(run.path) as profile:
                for text in ("step 0", "step 9"):
                    checks.equal(f"NVTX range '{text}'", profile.nvtx_count(text), 1)
                checks.equal("NVTX ranges 'compute'", profile.nvtx_count("compute"), 10)
        return checks

    return case


def sleepgap(machine):
    """Durations and gaps that the program chose itself: 500 us kernels, 2 ms of sleep between them."""
    checks, _, run = check_exact_run(machine, "sleepgap", machine.gpu_mix("sleepgap"))
    if not os.path.isfile(run.path):
        return checks
    with Profile(run.path) as profile:
        sleeps, queue = profile.range_bounds("host sleep 2 ms"), profile.range_bounds("long queue")
        if checks.true("the NVTX ranges were recorded", sleeps and queue):
            checks.equal("gaps >= 2 ms in the sleep range", profile.gaps_inside(sleeps[0], 2_000_000), 19)
            checks.equal("gaps >= 1 ms in the queue range", profile.gaps_inside(queue[0], 1_000_000), 0)
            inside = profile.inside(sleeps[0])
            checks.true(
                "20 kernels of 500 us take 10.0 to 11.0 ms together",
                9_950_000 <= inside["kernel_sum_ns"] <= 11_000_000,
                f"({inside['kernel_sum_ns']} ns)",
            )
    return checks


def secret(machine):
    """A value in the environment that is on no allow-list must be nowhere in what the run leaves."""
    token = "perfscope-secret-" + secrets.token_hex(12)
    checks, finished, run = check_exact_run(
        machine, "secret", machine.gpu_mix("storm"), extra_environment={"SECRET_TEST": token}
    )
    needle = token.encode()
    for folder, _, names in os.walk(run.folder):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                checks.true(f"no secret in {name}", needle not in file.read())
    checks.true("no secret on stdout or stderr", token not in finished.stdout + finished.stderr)
    return checks


def untouched_output(machine):
    """stdout of the target is the same bytes with and without perfscope; nothing is added to it by --quiet."""
    checks = Checks()
    run = ProfiledRun(
        machine, "untouched", ["sh", "-c", "printf 'a\\nb'; printf 'c' >&2; exit 5"], ["--allow-empty"]
    )
    finished = run.run(30)
    check_end(checks, finished, 5)
    checks.equal("stdout", finished.stdout, "a\nb")
    checks.true("stderr begins with the target's", "c" in finished.stderr)
    return checks


CASES = {
    "storm": counted("storm"),
    "graph": counted("graph"),
    "mix": counted("mix"),
    "roofline": counted("roofline"),
    "sleepgap": sleepgap,
    "p2p": counted("p2p"),
    "secret": secret,
    "untouched": untouched_output,
}
