"""Worker processes (multiprocessing spawn or fork) that each launch a known number of kernels, counted by pid.

Worker i launches (i + 1) x KERNELS kernels, the parent KERNELS more after its workers have ended. `add_` on a float
tensor is exactly one kernel and `torch.empty` none. Each process prints one JSON line.
`--method os-exit` has no workers: it launches KERNELS kernels and ends by os._exit(3).
"""

import argparse
import json
import multiprocessing
import os
import sys

import torch

JOIN_SECONDS = 90


def launch(kernels, role):
    data = torch.empty(1024, device="cuda")
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_push(f"{role} work")
    for _ in range(kernels):
        data.add_(1.0)
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_pop()
    line = {"mp": role, "pid": os.getpid(), "parent_pid": os.getppid(), "kernels": kernels}
    os.write(1, (json.dumps(line) + "\n").encode())


def run_workers(method, workers, kernels):
    context = multiprocessing.get_context(method)
    processes = [
        context.Process(target=launch, args=((i + 1) * kernels, f"worker {i}")) for i in range(workers)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(JOIN_SECONDS)
        if process.exitcode is None:
            process.kill()
            sys.exit(f"mp.py: worker {process.pid} did not end within {JOIN_SECONDS} s")
        if process.exitcode != 0:
            sys.exit(f"mp.py: worker {process.pid} ended with status {process.exitcode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", choices=["spawn", "fork", "os-exit"], default="spawn")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kernels", type=int, default=1000)
    arguments = parser.parse_args()
    if arguments.method != "os-exit":
        run_workers(arguments.method, arguments.workers, arguments.kernels)  # before the parent touches CUDA
    launch(arguments.kernels, "parent")
    if arguments.method == "os-exit":
        os._exit(3)


if __name__ == "__main__":
    main()
