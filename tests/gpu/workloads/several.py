"""Several workloads in one process, so that a measurement pays for one start only. Prints one JSON line each."""

import argparse

import gpt
import timing

MAKERS = {
    "train": lambda: gpt.make_train_step(),
    "decode": lambda: gpt.make_decode_step(),
    "graph": lambda: gpt.make_decode_step(graph=True),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "plan", nargs="+", metavar="NAME:WARMUP:STEPS", help="train, decode or graph, in this order"
    )
    parser.add_argument("--bare", action="store_true", help="no profiler inside the program (the default)")
    parser.add_argument(
        "--kineto", metavar="OUT.json", help="as in train.py; %%n in the name becomes the workload"
    )
    arguments = parser.parse_args()
    for item in arguments.plan:
        name, warmup, steps = item.split(":")
        step, facts = MAKERS[name]()
        part = argparse.Namespace(warmup=int(warmup), steps=int(steps), kineto=arguments.kineto)
        timing.print_result(timing.measure(name, step, facts, part))


if __name__ == "__main__":
    main()
