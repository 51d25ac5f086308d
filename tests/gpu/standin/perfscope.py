#!/usr/bin/env python3
"""Stand-in for `perfscope run`: passes everything through and writes the profile that a perfect run would have left,
from what the stand-in program printed. $STANDIN_LOSE=1 loses one kernel, which verify.py must notice."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "schemas")


def tables():
    """table name -> column names, read from the one definition in schemas/tables_*.h"""
    found = {}
    for header in ("tables_machine.h", "tables_gpu.h", "tables_calls.h"):
        with open(os.path.join(SCHEMAS, header), encoding="utf-8") as file:
            for part in re.split(r"(?=kName = \")", file.read())[1:]:
                found[re.match(r'kName = "(\w+)"', part)[1]] = re.findall(r'column\(\s*"(\w+)"', part)
    return found


def insert(connection, table, count=1, **values):
    names = ", ".join(values)
    places = ", ".join("?" for _ in values)
    connection.executemany(
        f"insert into {table} ({names}) values ({places})", [tuple(values.values())] * count
    )


def add_image(connection, index, line):
    """Rows for one program image that reported its counts."""
    insert(connection, "process", id=index, pid=line["pid"], start_ns=index, state="closed")
    in_graphs, lost = line["graph_kernels"], int(os.environ.get("STANDIN_LOSE", "0"))
    insert(
        connection,
        "kernel",
        line["kernels"] - in_graphs - lost,
        process_id=index,
        context=1,
        stream=7,
        start_ns=index,
        duration_ns=1,
        correlation_id=0,
    )
    for launch in range(line["graph_launches"]):
        node = {
            "process_id": index,
            "correlation_id": launch + 1,
            "graph_id": 3,
            "start_ns": index,
            "duration_ns": 1,
        }
        insert(connection, "kernel", 18, **node)
        insert(connection, "memcpy", kind=8, bytes=16, **node)
        insert(connection, "memset", bytes=16, **node)
    for kind, name in ((1, "HtoD"), (2, "DtoH")):
        count, size = line["memcpy"][name]["count"], line["memcpy"][name]["bytes"]
        insert(connection, "memcpy", count, process_id=index, kind=kind, bytes=size // max(count, 1))


def write_profile(path, lines, killed):
    connection = sqlite3.connect(path)
    for table, columns in tables().items():
        connection.execute(f"create table {table} ({', '.join(columns)})")
    insert(connection, "meta", key="closed", value="0" if killed else "1")
    insert(connection, "meta", key="time_base_ns", value="0")
    reports = [json.loads(line) for line in lines if line.startswith('{"gpu_mix":')]
    progress = [line.split() for line in lines if line.startswith("launched ")]
    if not reports and progress:
        insert(connection, "process", id=1, state="killed")
        insert(
            connection,
            "kernel",
            int(progress[-1][1]),
            process_id=1,
            start_ns=int(progress[-1][2]),
            duration_ns=1,
        )
    for index, line in enumerate(reports, 1):
        if "skipped" not in line:
            add_image(connection, index, line)
    connection.commit()
    connection.close()
    return bool(reports or progress)


def main():
    options, command = sys.argv[2 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]
    path = options[options.index("-o") + 1]
    if os.path.exists(path) or not os.access(os.path.dirname(path), os.W_OK) or path.startswith("/proc"):
        sys.stderr.write(f"perfscope: {path} cannot be written or exists; use --force\n")
        return 73
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda n, _: child.send_signal(n))
    lines = []

    def forward():
        while text := os.read(child.stdout.fileno(), 65536):
            os.write(1, text)
            lines.append(text.decode())

    reader = threading.Thread(target=forward)
    reader.start()
    status = child.wait()
    reader.join()
    found = write_profile(path, "".join(lines).splitlines(), status < 0)
    if not found and "--allow-empty" not in options and status == 0:
        sys.stderr.write("perfscope: no GPU record was seen: the program made no CUDA call\n")
        return 69
    return 128 - status if status < 0 else status


if __name__ == "__main__":
    sys.exit(main())
