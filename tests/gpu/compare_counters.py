"""Compares the counters of a sampled profile with those of a replayed one of the same program, kernel by kernel.

Usage: PERFSCOPE=/path/to/perfscope python3 tests/gpu/compare_counters.py SAMPLED.perfscope REPLAYED.perfscope
Kernels with at least 2 % of the GPU time. Replayed launches of one name and launch shape stand for all of them, which is
wrong where a shape hides different work (matrix products of different depth).
"""

import collections
import json
import os
import sqlite3
import subprocess
import sys

PERFSCOPE = os.environ.get("PERFSCOPE", "perfscope")


def replay(path):
    c = sqlite3.connect(path)
    out = collections.defaultdict(lambda: collections.defaultdict(list))
    q = """select n.demangled, s.grid_x,s.grid_y,s.grid_z,s.block_x, v.role, v.value, r.id from replay r join kernel_name n on n.id=r.name_id join launch_shape s on s.id=r.shape_id join replay_value v on v.replay_id=r.id"""
    for n, gx, gy, gz, bx, role, val, rid in c.execute(q):
        out[(n, gx, gy, gz, bx)][role].append(val)
    return {
        k: {r: sum(v) / len(v) for r, v in d.items() if r != "tensor_ops"}
        | {"tensor": sum(d.get("tensor_ops", [0])) / max(1, len(d.get("dram_read_bytes", [1])))}
        for k, d in out.items()
    }


def launches(path):
    c = sqlite3.connect(path)
    out = collections.Counter()
    t = collections.Counter()
    for n, gx, gy, gz, bx, k, d in c.execute(
        "select n.demangled,s.grid_x,s.grid_y,s.grid_z,s.block_x,count(*),sum(k.duration_ns) from kernel k join kernel_name n on n.id=k.name_id join launch_shape s on s.id=k.shape_id group by 1,2,3,4,5"
    ):
        out[(n, gx, gy, gz, bx)] = k
        t[n] += d
    return out, t


def main(sampled, replayed):
    ex = replay(replayed)
    L, T = launches(sampled)
    tot = sum(T.values())
    d = json.loads(
        subprocess.run(
            [PERFSCOPE, "report", sampled, "--format", "json", "--top", "1000"],
            capture_output=True,
            text=True,
        ).stdout
    )
    okr = nr = okw = nw = cov = ncov = okt = nt = 0
    for k in d["kernels"]:
        n = k["name"]
        keys = [x for x in L if x[0] == n]
        share = T[n] / tot
        if share < 0.02:
            continue
        miss = [x for x in keys if x not in ex]
        mt = sum(L[x] for x in miss)
        if miss:
            print(f"{n[:60]:60s} {share:.3f} replay lacks {mt} of {sum(L[x] for x in keys)} launches")
            continue
        e = {
            ro: sum(L[x] * ex[x].get(ro, 0) for x in keys)
            for ro in ("dram_read_bytes", "dram_write_bytes", "l2_bytes", "tensor")
        }
        b = k["bytes"].get("dram") or {}
        rd, wr = b.get("read"), b.get("write")
        fl = (k["flops"].get("executed") or {}).get("value")
        f = lambda a, b: "none" if a is None else f"{a/b:.3f}" if b else "-"
        tot_e = e["dram_read_bytes"] + e["dram_write_bytes"]
        c = "-"
        if b.get("low") is not None:
            ncov += 1
            c = b["low"] <= tot_e <= b["high"]
            cov += c
        if rd is not None:
            nr += 1
            okr += abs(rd / e["dram_read_bytes"] - 1) <= 0.05
        if wr is not None:
            nw += 1
            okw += abs(wr / e["dram_write_bytes"] - 1) <= 0.10
        if fl is not None and e["tensor"]:
            nt += 1
            okt += abs(fl / e["tensor"] - 1) <= 0.05
        print(
            f'{n[:60]:60s} {share:.3f} read {f(rd,e["dram_read_bytes"])} write {f(wr,e["dram_write_bytes"])} l2 {f((k["bytes"].get("l2") or {}).get("value"),e["l2_bytes"])} tensor {f(fl,e["tensor"])} per launch exact {e["dram_read_bytes"]/max(1,sum(L[x] for x in keys))/1e6:.2f}/{e["dram_write_bytes"]/max(1,sum(L[x] for x in keys))/1e6:.2f} MB cover {c}'
        )
    print(
        f"read within 5%: {okr}/{nr}; write within 10%: {okw}/{nw}; interval covers read+write {cov}/{ncov}; tensor within 5% {okt}/{nt}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:3])
