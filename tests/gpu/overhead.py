"""What profiling costs: the same program bare, under perfscope, under PyTorch's profiler and under nsys, in rounds.

Usage: python3 tests/gpu/overhead.py [--workloads train,decode] [--rounds 5] [--budget 480] [--out FOLDER] [--check]
Each round runs every tool once in a fresh process, in an order that rotates; the program times its own steps (device
synchronised at both ends of each) and gives the median. A tool's figure is the median over the rounds of its ratio to
the bare run of the same round. --check ends with status 1 when the targets are missed (training <= 1.02 under
perfscope; decode: less than half of the extra time of Kineto and of nsys). Writes overhead.json.
"""

import argparse
import json
import os
import statistics
import sys
import time

import harness

STEPS = {"train": "train:5:25", "decode": "decode:30:300", "graph": "graph:30:300"}  # name:warm-up:measured
RUN_SECONDS = 150


def tool_commands(folder, plan, extra_nsys):
    """Tool name -> command of one run."""
    program = harness.workload("several.py", *plan)
    commands = {
        "bare": program,
        "perfscope": [
            harness.find_perfscope(),
            "run",
            "--quiet",
            "--force",
            "-o",
            os.path.join(folder, "overhead.perfscope"),
            "--",
            *program,
        ],
        "kineto": harness.workload("several.py", "--kineto", "-", *plan),
    }
    nsys = harness.find_nsys()
    if nsys:
        commands["nsys"] = [
            nsys,
            "profile",
            "--trace=cuda,nvtx",
            *extra_nsys,
            "--force-overwrite",
            "true",
            "-o",
            os.path.join(folder, "overhead_nsys"),
            *program,
        ]
    return commands


def run_tool(command, tool, names):
    """One run. nsys needs minutes for its report after the program has ended; the program's own times are all there
    by then, so its group is ended as soon as the last workload has printed its line."""
    running = harness.Running(command)
    if tool == "nsys":
        deadline = time.monotonic() + RUN_SECONDS
        while time.monotonic() < deadline and running.process.poll() is None:
            if sum(line.startswith("{") for line in list(running.out)) >= len(names):
                time.sleep(1)
                running.kill_group()
            time.sleep(0.1)
    return running.finish(RUN_SECONDS)


def run_round(commands, order, names, raw, failures):
    """One run of every tool; appends each workload's median (ms) to raw[workload][tool]. A failed run appends None."""
    for tool in order:
        finished = run_tool(commands[tool], tool, names)
        medians = {line["workload"]: line["median_ms"] for line in finished.json_lines("workload")}
        for name in names:
            raw[name][tool].append(medians.get(name))
        # nsys may fail after the program has ended (its report step); the times are the program's own all the same
        if len(medians) < len(names) or (finished.status != 0 and tool != "nsys"):
            failures.append(
                f"{tool}: status {finished.status}{' (deadline)' if finished.timed_out else ''}: "
                f"{finished.tail(3)}"
            )
        print(
            "  "
            + f"{tool:10s}"
            + "  ".join(f"{n} {medians[n]:.4f} ms" if n in medians else f"{n} failed" for n in names)
            + f"   ({finished.seconds:.0f} s)",
            flush=True,
        )


def summarise(by_tool):
    """Ratios to the bare run of the same round, and their median, per tool."""
    summary = {}
    for tool, values in by_tool.items():
        pairs = [(value, bare) for value, bare in zip(values, by_tool["bare"]) if value and bare]
        ratios = [value / bare for value, bare in pairs]
        extra = [value - bare for value, bare in pairs]
        summary[tool] = {
            "n": len(pairs),
            "median_ms": statistics.median(v for v, _ in pairs) if pairs else None,
            "median_ratio": statistics.median(ratios) if pairs else None,
            "median_extra_ms": statistics.median(extra) if pairs else None,
            "ratios": [round(ratio, 5) for ratio in ratios],
            "median_ms_by_round": values,
        }
    return summary


def verdicts(summaries, least_pairs):
    """[(sentence, held)] for the targets of the specification; a tool without enough pairs fails its target."""
    found = []
    for name, tools in summaries.items():
        ours = tools.get("perfscope", {"n": 0})
        if ours["n"] < least_pairs:
            found.append((f"{name}: only {ours['n']} pairs of perfscope, {least_pairs} wanted", False))
            continue
        if name == "train":
            found.append((f"train: ratio {ours['median_ratio']:.4f} <= 1.02", ours["median_ratio"] <= 1.02))
        for other in ("kineto", "nsys"):
            if tools.get(other, {}).get("n", 0) < least_pairs:
                found.append((f"{name}: {other} was not measured {least_pairs} times", False))
                continue
            ratio = ours["median_extra_ms"] / tools[other]["median_extra_ms"]
            found.append(
                (
                    f"{name}: extra time {ratio:.2f} of {other}'s, < 0.5",
                    tools[other]["median_extra_ms"] > 0
                    and ours["median_extra_ms"] < 0.5 * tools[other]["median_extra_ms"],
                )
            )
    return found


def print_table(summaries):
    print(
        f"{'workload':10s}{'tool':11s}{'pairs':>6s}{'median ms':>11s}{'ratio':>9s}{'extra ms':>10s}   ratios of the rounds"
    )
    for name, tools in summaries.items():
        for tool, s in tools.items():
            if not s["n"]:
                print(f"{name:10s}{tool:11s}{0:6d}   not measured")
                continue
            print(
                f"{name:10s}{tool:11s}{s['n']:6d}{s['median_ms']:11.4f}{s['median_ratio']:9.4f}"
                f"{s['median_extra_ms']:10.4f}   {' '.join(f'{r:.4f}' for r in s['ratios'])}"
            )


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workloads", default="train,decode", help="of train, decode, graph")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--budget", type=float, default=480, help="seconds after which no round begins that may not fit"
    )
    parser.add_argument("--tools", default="bare,perfscope,kineto,nsys")
    parser.add_argument(
        "--nsys-args", default="", help="further options of nsys profile, spaces between them"
    )
    parser.add_argument("--out", help="folder for overhead.json and the profiles")
    parser.add_argument("--check", action="store_true", help="status 1 when a target is missed")
    return parser.parse_args()


def measure(arguments, commands, names):
    tools = [tool for tool in arguments.tools.split(",") if tool in commands]
    if "bare" not in tools:
        tools.insert(0, "bare")
    raw = {name: {tool: [] for tool in tools} for name in names}
    failures, begin, longest = [], time.monotonic(), 0.0
    harness.run(
        commands["bare"], RUN_SECONDS
    )  # fills the file caches, so that the first round is like the others
    for index in range(arguments.rounds):
        elapsed = time.monotonic() - begin
        if elapsed + longest > arguments.budget:
            print(f"budget used up after {index} rounds")
            break
        print(f"round {index + 1} of {arguments.rounds}", flush=True)
        shift = index % len(tools)
        run_round(commands, tools[shift:] + tools[:shift], names, raw, failures)
        longest = max(longest, time.monotonic() - begin - elapsed)
    return raw, failures


def main():
    arguments = parse_arguments()
    names = arguments.workloads.split(",")
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        sys.exit(f"no such workload: {', '.join(unknown)}; there are {', '.join(STEPS)}")
    folder = harness.output_folder(arguments.out, "overhead")
    commands = tool_commands(folder, [STEPS[name] for name in names], arguments.nsys_args.split())
    if "nsys" not in commands:
        print("no nsys on this machine: that column is missing")
    raw, failures = measure(arguments, commands, names)
    summaries = {name: summarise(raw[name]) for name in names}
    held = verdicts(summaries, min(5, arguments.rounds))
    print_table(summaries)
    for failure in failures:
        print("failed run: " + failure)
    for sentence, good in held:
        print(("held   " if good else "MISSED ") + sentence)
    with open(os.path.join(folder, "overhead.json"), "w", encoding="utf-8") as file:
        json.dump(
            {
                "environment": harness.environment_facts(),
                "steps": {n: STEPS[n] for n in names},
                "summary": summaries,
                "targets": [{"text": t, "held": h} for t, h in held],
                "failures": failures,
            },
            file,
            indent=1,
        )
    return 1 if arguments.check and not all(good for _, good in held) else 0


if __name__ == "__main__":
    sys.exit(main())
