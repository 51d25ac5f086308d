"""GPT training, bf16 autocast, AdamW: NVTX `step n` around forward, backward and optimizer. Prints one JSON line."""

import argparse

import gpt
import timing


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    timing.add_arguments(parser, steps=10, warmup=5)
    parser.add_argument("--batch", type=int, default=8, help="sequences of 1024 tokens a step")
    arguments = parser.parse_args()
    step, facts = gpt.make_train_step(arguments.batch)
    timing.print_result(timing.measure("train", step, facts, arguments))


if __name__ == "__main__":
    main()
