"""Serve the compiled variants of one TVM to another program: run and time them as it asks.

Runs under the toolchain's own interpreter. Requests (see runner_tvm.py) are lines of JSON with the
key "do": load, draw, copy, output, call, samples.
"""

import argparse
import sys

from fusion import serving, without_torch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", required=True, help="what the variants were compiled for")
    args = parser.parse_args()
    answers = serving.Answers()
    without_torch.install()
    try:
        from fusion.runner_tvm import Runner

        runner = Runner(args.arch)
        answers.say({"ready": runner.about()})
    except Exception as error:
        answers.fail(error)
        sys.exit(1)
    names = ("load", "draw", "copy", "output", "call", "samples")
    for _ in serving.requests(answers, {name: getattr(runner, name) for name in names}):
        pass


if __name__ == "__main__":
    main()
