"""Tests the GPU scripts on a machine without a GPU: stand-ins for perfscope and gpu_mix, the real verify.py.

Usage: python3 tests/gpu/selftest.py. Every query of profile_db.py runs against tables made from schemas/tables_*.h, so
a renamed column is found here and not on borrowed device time. Status 1 when something does not hold.
"""

import os
import subprocess
import sys
import tempfile

import overhead
import tidy_recording

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = (
    "storm,graph,mix,roofline,p2p,secret,untouched,exit3,abort,exception,segv,sigterm,sigint,sigkill,exec,execclean,"
    "fork,no_cuda,output_refused"
)
MUST_PASS = [
    name for name in CASES.split(",") if name not in ("mix", "p2p")
]  # the stand-in has no NVTX, no 2nd GPU


def verify(folder, **extra):
    environment = {
        **os.environ,
        "PERFSCOPE": os.path.join(HERE, "standin", "perfscope.py"),
        "GPU_MIX": os.path.join(HERE, "standin", "gpu_mix.py"),
        **extra,
    }
    command = [
        sys.executable,
        os.path.join(HERE, "verify.py"),
        "--only",
        CASES,
        "--out",
        folder,
        "--jobs",
        "2",
    ]
    answer = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    words = [line.split() for line in answer.stdout.splitlines()]
    return (
        answer.returncode,
        {w[1]: w[0] for w in words if len(w) > 1 and w[0] in ("PASS", "FAIL", "SKIP")},
        answer.stdout,
    )


def check_verify(folder):
    """A perfect profile passes, one lost kernel fails every exact case."""
    problems = []
    _, results, text = verify(folder)
    problems += [
        f"a perfect run does not pass: {name}\n{text}" for name in MUST_PASS if results.get(name) != "PASS"
    ]
    if results.get("mix") != "FAIL" or results.get("p2p") != "SKIP":
        problems.append(f"mix must fail for its missing NVTX ranges and p2p be skipped, got {results}")
    status, results, _ = verify(folder, STANDIN_LOSE="1")
    exact = ["storm", "graph", "roofline", "exit3", "abort", "exec", "fork"]
    problems += [f"a lost kernel is not noticed by {name}" for name in exact if results.get(name) != "FAIL"]
    if status != 1:
        problems.append(f"status of verify.py with failures is {status}, expected 1")
    return problems


def check_overhead():
    """Ratios are those of the same round; the verdicts follow the limits."""
    rows = {
        "bare": [10.0, 20.0, 10.0, 10.0, 10.0],
        "perfscope": [10.1, 20.2, 10.1, None, 10.1],
        "kineto": [13.0, 26.0, 13.0, 13.0, 13.0],
        "nsys": [10.15] * 5,
    }
    summary = overhead.summarise(rows)
    problems = []
    if summary["perfscope"]["n"] != 4 or abs(summary["perfscope"]["median_ratio"] - 1.01) > 1e-9:
        problems.append(f"ratios of perfscope: {summary['perfscope']}")
    texts = overhead.verdicts({"train": summary}, 4)
    if [good for _, good in texts] != [
        True,
        True,
        False,
    ]:  # 1.01 <= 1.02; a third of Kineto's; more than half of nsys's
        problems.append(f"verdicts: {texts}")
    if overhead.verdicts({"train": summary}, 5) != [("train: only 4 pairs of perfscope, 5 wanted", False)]:
        problems.append("too few pairs must miss the target")
    return problems


def check_tidy():
    cases = {
        "python3 /opt/a/.venv/bin/python3 tests/gpu/x.py": "python3 python3 tests/gpu/x.py",
        "/usr/lib/libcupti.so.13": "libcupti.so.13",
        "A=/x/y:/z/w": "A=y:w",
        "12/5 GB/s": "12/5 GB/s",
    }
    return [
        f"tidied {text!r} to {tidy_recording.without_folders(text)!r}"
        for text, expected in cases.items()
        if tidy_recording.without_folders(text) != expected
    ]


def main():
    with tempfile.TemporaryDirectory() as folder:
        problems = check_verify(folder) + check_overhead() + check_tidy()
    for problem in problems:
        print("FAIL " + problem)
    print("selftest of tests/gpu: " + (f"{len(problems)} problems" if problems else "all good"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
