"""Timing of steps from inside the program, and the same marked section under PyTorch's profiler."""

import json
import os
import statistics
import time

import torch

from gpt import range_of

EDGE_SECONDS = (
    0.02  # idle time at both ends of the marked section: no clock error can move a kernel across its edge
)


def add_arguments(parser, steps, warmup):
    parser.add_argument("--steps", type=int, default=steps, help="measured steps")
    parser.add_argument("--warmup", type=int, default=warmup, help="steps before the measured section")
    parser.add_argument("--bare", action="store_true", help="no profiler inside the program (the default)")
    parser.add_argument(
        "--kineto",
        metavar="OUT.json",
        help="run the section under torch.profiler and export there; " "'-' = no export and no counts",
    )


def timed_steps(step, count):
    """Milliseconds of each step, the device synchronised at both ends of each."""
    times_ms = []
    for index in range(count):
        begin = time.perf_counter()
        with range_of(f"step {index}"):
            step()
            torch.cuda.synchronize()
        times_ms.append((time.perf_counter() - begin) * 1e3)
    return times_ms


def marked_section(step, count):
    torch.cuda.synchronize()
    time.sleep(EDGE_SECONDS)
    with range_of("profiled_section"):
        time.sleep(EDGE_SECONDS)
        times_ms = timed_steps(step, count)
        time.sleep(EDGE_SECONDS)
    time.sleep(EDGE_SECONDS)
    return times_ms


def kineto_counts(path):
    """Counts and summed durations of the GPU records in an exported trace. Times there are microseconds."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    result = {"kernels": 0, "kernel_sum_ns": 0, "memcpys": 0, "memsets": 0}
    for event in events:
        category = event.get("cat", "")
        if event.get("ph") != "X":
            continue
        if category == "kernel":
            result["kernels"] += 1
            result["kernel_sum_ns"] += round(float(event["dur"]) * 1000)
        elif category in ("gpu_memcpy", "gpu_memset"):
            result[category[4:] + "s"] += 1
    return result


def measure(name, step, facts, arguments):
    """Warm-up, then the marked section; the result as a dictionary ready for JSON."""
    for _ in range(arguments.warmup):
        step()
    torch.cuda.synchronize()
    mode = "kineto" if arguments.kineto else "bare"
    result = {"workload": name, "mode": mode, "pid": os.getpid(), "steps": arguments.steps, **facts}
    if arguments.kineto:
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=activities) as profiler:
            times_ms = marked_section(step, arguments.steps)
        if arguments.kineto != "-":
            path = arguments.kineto.replace("%n", name)
            profiler.export_chrome_trace(path)
            result["kineto"] = kineto_counts(path)
    else:
        times_ms = marked_section(step, arguments.steps)
    median_ms = statistics.median(times_ms)
    result.update(
        median_ms=median_ms,
        step_ms=[round(value, 4) for value in times_ms],
        flop_per_s=facts["flop_per_step"] / (median_ms * 1e-3),
    )
    return result


def print_result(result):
    """One line, one write: other processes may print at the same time."""
    os.write(1, (json.dumps(result) + "\n").encode())
