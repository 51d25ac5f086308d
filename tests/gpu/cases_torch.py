"""Cases: real PyTorch programs, compared with PyTorch's own profiler on the same marked section."""

import os
import statistics

import harness
from cases import Checks, ProfiledRun, Skip, check_end

PLAN = ["train:4:4", "decode:10:30", "graph:10:30"]  # name:warm-up:measured, one process
NAMES = [item.split(":")[0] for item in PLAN]
PAIRS = 3
SUM_TOLERANCE = 0.01


def needs_torch():
    if harness.run(["python3", "-c", "import torch; assert torch.cuda.is_available()"], 90).status != 0:
        raise Skip("no PyTorch with CUDA here")


def kineto_counts(folder):
    """One run under torch.profiler: workload -> counts, or the reason as text."""
    finished = harness.run(
        harness.workload("several.py", "--kineto", os.path.join(folder, "kineto_%n.json"), *PLAN), 150
    )
    found = {line["workload"]: line["kineto"] for line in finished.json_lines("kineto")}
    return found if len(found) == len(PLAN) else finished.tail()


def perfscope_counts(machine, checks, index):
    """One run under perfscope: workload -> counts of its `profiled_section`."""
    run = ProfiledRun(machine, f"kineto_pair{index}", harness.workload("several.py", *PLAN))
    check_end(checks, run.run(150), 0)
    profile = run.profile(checks)
    if not profile:
        return {}
    with profile:
        checks.equal("grave losses", profile.grave_losses(), {})
        sections = profile.range_bounds("profiled_section")
        if not checks.equal("marked sections", len(sections), len(PLAN)):
            return {}
        return {name: profile.inside(bounds) for name, bounds in zip(NAMES, sections)}


def compare(checks, name, ours, theirs):
    """Counts equal in every run; medians of the summed durations within the tolerance."""
    for what in ("kernels", "memcpys", "memsets"):
        all_ours, all_theirs = {run[what] for run in ours}, {run[what] for run in theirs}
        checks.equal(f"{name}: {what} (perfscope, Kineto)", (all_ours, all_theirs), (all_theirs, all_theirs))
        checks.equal(f"{name}: {what} the same in every Kineto run", len(all_theirs), 1)
    our_sum = statistics.median(run["kernel_sum_ns"] for run in ours)
    their_sum = statistics.median(run["kernel_sum_ns"] for run in theirs)
    ratio = our_sum / their_sum if their_sum else float("nan")
    checks.true(
        f"{name}: sum of durations within 1 %", abs(ratio - 1) <= SUM_TOLERANCE, f"(ratio {ratio:.4f})"
    )
    checks.note(f"{name}: {ours[0]['kernels']} kernels, duration ratio {ratio:.4f}")


def against_kineto(machine):
    needs_torch()
    checks = Checks()
    folder = os.path.join(machine.folder, "kineto")
    os.makedirs(folder, exist_ok=True)
    ours, theirs = [], []
    for index in range(PAIRS):
        counts = kineto_counts(folder)
        if not checks.true("Kineto run", isinstance(counts, dict), str(counts)):
            return checks
        theirs.append(counts)
        ours.append(perfscope_counts(machine, checks, index))
        if not ours[-1]:
            return checks
    for name in NAMES:
        compare(checks, name, [run[name] for run in ours], [run[name] for run in theirs])
    return checks


def train_facts(machine):
    """The profile of a training run holds its steps, nested ranges, library calls and machine samples."""
    needs_torch()
    checks = Checks()
    run = ProfiledRun(machine, "train", harness.workload("train.py", "--steps", "5", "--warmup", "2"))
    finished = run.run(150)
    check_end(checks, finished, 0)
    profile = run.profile(checks)
    if not profile:
        return checks
    with profile:
        for index in range(5):
            checks.equal(f"NVTX range 'step {index}'", profile.nvtx_count(f"step {index}"), 1)
        for text in ("forward", "backward", "optimizer"):
            checks.equal(f"NVTX ranges '{text}'", profile.nvtx_count(text), 7)  # 2 + 5 steps
        calls, flops = profile.rows(
            "select count(*), coalesce(sum(2 * m * n * k * batch), 0) from gemm_call"
        )[0]
        expected = finished.json_lines("workload")[0]["flop_per_step"] * 7
        checks.true(
            "cuBLAS calls hold 6 P T FLOPs a step",
            abs(flops / expected - 1) < 0.001,
            f"({flops / expected:.4f} of it in {calls} calls)",
        )
        checks.true("GPU named", profile.value("select name from device"))
        checks.note(f"{profile.value('select count(*) from machine_sample')} NVML samples")
        unlinked = profile.value(
            "select count(*) from kernel where launch_start_ns is null and graph_id is null"
        )
        checks.true(
            "kernels know their launch call",
            unlinked <= 0.01 * profile.kernel_count(),
            f"({unlinked} do not)",
        )
    return checks


def windows(machine):
    """A window that opens in mid-run records whole steps, with their launch calls and the GPU's description."""
    needs_torch()
    checks = Checks()
    command = harness.workload("decode.py", "--warmup", "3", "--steps", "30")
    per_step = None
    windows_of = {"window_nvtx": ["--capture", "nvtx:profiled_section"], "window_steps": ["--steps", "2:1:5"]}
    for name, options in windows_of.items():
        run = ProfiledRun(machine, name, command, options)
        check_end(checks, run.run(120), 0)
        profile = run.profile(checks)
        if not profile:
            continue
        with profile:
            kernels = profile.kernel_count()
            per_step = per_step or kernels / 30
            whole = kernels > 0 and kernels % per_step == 0
            checks.true(f"{name}: whole steps of kernels", whole, f"({kernels} kernels, {per_step} a step)")
            unlinked = profile.value("select count(*) from kernel where launch_start_ns is null")
            checks.equal(f"{name}: kernels without launch call", unlinked, 0)
            checks.true(f"{name}: GPU named", profile.value("select name from device"))
            checks.note(f"{name}: {kernels} kernels")
    return checks


def other_profiler_inside(machine):
    """The target uses torch.profiler, which needs the same CUPTI slot: it must run on, and the ledger must say so."""
    needs_torch()
    checks = Checks()
    command = harness.workload("decode.py", "--kineto", "-", "--steps", "10")
    run = ProfiledRun(machine, "other_profiler", command, ["--allow-empty"])
    finished = run.run(150)
    check_end(checks, finished, 0)
    checks.true("the target's result", finished.json_lines("workload"), finished.tail())
    profile = run.profile(checks)
    if profile:
        with profile:
            said = profile.rows(
                "select name, text from ledger where text like '%profiler%' or text like '%CUPTI%'"
            )
            checks.true("the ledger says so", said)
            checks.note(f"ledger: {said[0][0] if said else 'nothing'}; {profile.kernel_count()} kernels")
    return checks


CASES = {"train": train_facts, "windows": windows, "other_profiler": other_profiler_inside, "kineto": against_kineto}
