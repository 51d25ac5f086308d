#!/usr/bin/env python3
"""Writes the seed corpus of spool_reader_fuzzer: a few records of each kind, and heads of the two files."""
import pathlib
import struct

OUT = pathlib.Path(__file__).parent / "corpus" / "spool_reader"
BASE = 1_700_000_000_000_000_000


def record(kind, body=b"", flags=0, thread=7):
    return (struct.pack("<HHI", kind, flags, thread) + body).ljust(64, b"\0")[:64]


def write(name, selector, data):
    (OUT / name).write_bytes(bytes([selector]) + data)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    text = record(1, struct.pack("<IHH", 1, 0, 12) + b"_Z3fooILi4EE", flags=1)
    shape = record(2, struct.pack("<IIII", 1, 2, 3, 4))
    times = struct.pack("<QQ", BASE + 10, BASE + 20)
    kernel = record(3, times + struct.pack("<IIII", 5, 7, 1, 1))
    api = record(7, times + struct.pack("<II", 5, 211))
    write("join", 1, text + shape + kernel + api)
    write("kernel_first", 1, kernel + api + text + shape)
    for first in range(1, 25, 6):
        write(f"kinds_{first}", 1, b"".join(record(kind, times * 3) for kind in range(first, first + 6)))
    write("segment_head", 0, struct.pack("<QIIQIIII", 0x3130474553535046, 1, 64, BASE, 42, 1, 3, 1))
    write("control_head", 0, struct.pack("<QIIII", 0x3130435053535046, 1, 16384, 42, 1).ljust(12400, b"A"))
    write("name", 2, b"void a::b<c<1>, (d)2>(int)::{lambda()#1}::operator()() const [clone .x]")
    write("broken_name", 2, b"operator<<(<{[\xff\xc3\0 ")


if __name__ == "__main__":
    main()
