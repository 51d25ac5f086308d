"""Decode at batch 1 with bf16 weights and no KV cache, eager or as a CUDA graph. Prints one JSON line."""

import argparse

import gpt
import timing


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    timing.add_arguments(parser, steps=30, warmup=10)
    parser.add_argument("--graph", action="store_true", help="replay the step as a CUDA graph")
    arguments = parser.parse_args()
    step, facts = gpt.make_decode_step(arguments.graph)
    timing.print_result(timing.measure("graph" if arguments.graph else "decode", step, facts, arguments))


if __name__ == "__main__":
    main()
