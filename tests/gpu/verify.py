"""Checks perfscope for real on a GPU: exact counts, ends of processes, agreement with PyTorch's profiler.

Usage: python3 tests/gpu/verify.py [--only a,b] [--skip c] [--out FOLDER] [--jobs 4] [--budget 480] [--list]
Prints PASS, FAIL or SKIP a case and writes verify.json; status 1 when a case failed or was not reached in time.
perfscope: $PERFSCOPE, else build/portable/bin/perfscope. Results: --out, else $PERFSCOPE_TEST_OUTPUT, else build/gpu.
"""

import argparse
import concurrent.futures
import json
import os
import sys
import time
import traceback

import cases_calibrate
import cases_counts
import cases_process
import cases_torch
import harness
from cases import Machine, Skip

# Counts and exits do not depend on timing, so those cases share the GPU; the others run alone, after them.
TOGETHER = {**cases_counts.CASES, **cases_process.CASES}
ALONE = {**cases_torch.CASES, **cases_calibrate.CASES}


class Session:
    def __init__(self, machine, budget_s):
        self.machine, self.begin, self.budget_s = machine, time.monotonic(), budget_s
        self.results = {}

    def run_case(self, name, case):
        begin = time.monotonic()
        result = {"case": name, "result": "PASS", "problems": [], "notes": []}
        if begin - self.begin > self.budget_s:
            result.update(result="NOT RUN", problems=[f"the budget of {self.budget_s} s was used up"])
        else:
            try:
                checks = case(self.machine)
                result.update(problems=checks.problems, notes=checks.notes, checked=checks.checked)
                if checks.problems or checks.checked == 0:
                    result["result"] = "FAIL"
            except Skip as reason:
                result.update(result="SKIP", notes=[str(reason)])
            except Exception:  # a broken profile must not hide the other cases
                result.update(result="FAIL", problems=[traceback.format_exc(limit=-3)])
        result["seconds"] = round(time.monotonic() - begin, 1)
        self.results[name] = result
        print_result(result)


def print_result(result):
    lines = [
        f"{result['result']:7s} {result['case']:16s} {result['seconds']:6.1f} s  {'; '.join(result['notes'])}"
    ]
    lines += ["          - " + problem.replace("\n", "\n            ") for problem in result["problems"]]
    sys.stdout.write("\n".join(lines) + "\n")  # one write: cases end on several threads
    sys.stdout.flush()


def chosen(arguments):
    names = [*TOGETHER, *ALONE]
    only = [name for name in arguments.only.split(",") if name]
    skip = arguments.skip.split(",")
    unknown = [name for name in only if name not in names]
    if unknown:
        sys.exit(f"no such case: {', '.join(unknown)}; there are {', '.join(names)}")
    return [name for name in names if (not only or name in only) and name not in skip]


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="cases, comma between them")
    parser.add_argument("--skip", default="", help="cases to leave out")
    parser.add_argument("--out", help="folder for profiles and verify.json")
    parser.add_argument(
        "--jobs", type=int, default=4, help="cases at once (those that do not depend on timing)"
    )
    parser.add_argument(
        "--budget", type=float, default=480, help="seconds after which no further case begins"
    )
    parser.add_argument("--list", action="store_true", help="print the names of the cases and end")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    names = chosen(arguments)
    if arguments.list:
        print("\n".join(names))
        return 0
    folder = harness.output_folder(arguments.out, "verify")
    machine = Machine(folder)
    session = Session(machine, arguments.budget)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(
            pool.map(lambda name: session.run_case(name, TOGETHER[name]), [n for n in names if n in TOGETHER])
        )
    for name in names:
        if name in ALONE:
            session.run_case(name, ALONE[name])
    results = [session.results[name] for name in names]
    with open(os.path.join(folder, "verify.json"), "w", encoding="utf-8") as file:
        json.dump({"environment": harness.environment_facts(), "results": results}, file, indent=1)
    counts = {kind: sum(r["result"] == kind for r in results) for kind in ("PASS", "FAIL", "SKIP", "NOT RUN")}
    print(
        ", ".join(f"{count} {kind}" for kind, count in counts.items()),
        f"in {time.monotonic() - session.begin:.0f} s",
    )
    return 1 if counts["FAIL"] or counts["NOT RUN"] else 0


if __name__ == "__main__":
    sys.exit(main())
