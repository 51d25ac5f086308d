#!/usr/bin/env python3
"""Stand-in for gpu_mix on a machine without a GPU: prints the same kinds of lines, ends the same ways, runs nothing."""

import json
import os
import signal
import sys
import time


def say(text):
    os.write(1, (text + "\n").encode())


def report(mode, kernels, graph_launches=0):
    in_graphs = graph_launches * 18
    empty = {"count": 0, "bytes": 0}
    copies = {
        "HtoD": {"count": 2, "bytes": 200},
        "DtoH": empty,
        "PtoP": empty,
        "DtoD": {"count": graph_launches, "bytes": graph_launches * 16},
    }
    say(
        json.dumps(
            {
                "gpu_mix": mode,
                "pid": os.getpid(),
                "kernels": kernels + in_graphs,
                "graph_kernels": in_graphs,
                "memcpy": copies,
                "memset": {"count": graph_launches, "bytes": graph_launches * 16},
                "graph_launches": graph_launches,
                "graph_nodes": graph_launches * 20,
                "streams": [{"kernels": kernels, "memcpys": 2, "memsets": 0}],
            },
            separators=(",", ":"),
        )
    )


def spin(seconds):
    say(json.dumps({"gpu_mix_start": "spin", "pid": os.getpid(), "batch": 200}, separators=(",", ":")))
    launched, end = 0, time.time() + seconds
    while time.time() < end:
        launched += 200
        say(f"launched {launched} {time.time_ns()}")
        time.sleep(0.02)
    report("spin", launched)


def main(mode, *rest):
    if mode in ("spin", "segv"):
        spin(float(rest[0]))
        if mode == "segv":
            os.kill(os.getpid(), signal.SIGSEGV)
    elif mode in ("exec", "execclean"):
        report(mode, 300)
        os.execv(rest[0], rest)
    elif mode == "fork":
        child = os.fork()
        report(mode, 1000 if child == 0 else 2000)
        if child:
            os.waitpid(child, 0)
    elif mode == "p2p":
        say(json.dumps({"gpu_mix": mode, "pid": os.getpid(), "skipped": "needs 2 GPUs, found 0"}))
    elif mode != "nogpu":
        report(mode, 10, 5 if mode == "graph" else 0)
    if mode == "exception":
        os.write(2, b"gpu_mix: this exception is not caught on purpose\n")
    if mode in ("abort", "exception"):
        os.abort()
    return 3 if mode == "exit3" else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
