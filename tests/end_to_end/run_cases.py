#!/usr/bin/env python3
# Runs one end-to-end case, or all: run_cases.py --build BUILD [CASE...]; --list names them; --keep leaves the files.
import argparse
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import cases  # noqa: E402
import cases_counts  # noqa: E402,F401
import cases_counters  # noqa: E402,F401
import cases_endings  # noqa: E402,F401
import cases_misfortunes  # noqa: E402,F401
import cases_playback  # noqa: E402,F401
import cases_processes  # noqa: E402,F401
import cases_refusals  # noqa: E402,F401
import cases_reports  # noqa: E402,F401
import cases_starts  # noqa: E402,F401
import cases_windows  # noqa: E402,F401
from harness import SKIPPED, Bench, Skip  # noqa: E402


def run_one(name, build, keep):
    bench = Bench(build)
    failed = True
    try:
        cases.CASES[name](bench)
        failed = False
        print(f"ok {name}")
        return 0
    except Skip as reason:
        failed = False
        print(f"skipped {name}: {reason}")
        return SKIPPED
    except Exception as error:  # every failure is reported with what the program said
        print(f"FAILED {name}: {error}")
        if not isinstance(error, AssertionError):
            traceback.print_exc(file=sys.stdout)
        if bench.last is not None:
            print(bench.last.describe())
        return 1
    finally:
        bench.close(keep and failed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--build")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    if options.list:
        print("\n".join(sorted(cases.CASES)))
        return 0
    wanted = options.cases or sorted(cases.CASES)
    results = [run_one(name, options.build, options.keep) for name in wanted]
    bad = [name for name, result in zip(wanted, results) if result not in (0, SKIPPED)]
    if len(wanted) > 1:
        print(f"{len(wanted) - len(bad)} of {len(wanted)} cases hold; failed: {', '.join(bad) or 'none'}")
        return 1 if bad else 0
    return results[0]


if __name__ == "__main__":
    sys.exit(main())
