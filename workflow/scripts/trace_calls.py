"""Trace the kernels of many calls of one variant with CUPTI, and print the trace as JSON.

The calls are made by the evaluator that the time stage uses, so that they follow each other as
they do there. The lock of the GPU is the caller's affair (see profile_variant.py).
"""

import argparse
import json

from fusion import artifacts, profiling, session, tracing
from fusion.errors import FusionError, run_program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    profiling.add_arguments(parser)
    parser.add_argument("--calls", required=True, type=int, help="calls to trace")
    session.add_arguments(parser)
    args = parser.parse_args()
    tracing.load()  # before CUDA starts, and before time is spent
    arch = artifacts.arch_of(artifacts.read_artifacts([args.record]))
    session.show_only(session.choose(arch, args.gpu).gpu)

    from fusion import provenance
    from fusion.ready import get_ready

    ready = get_ready(args)
    with tracing.kernels() as found:
        evaluator = ready.vm.time_evaluator(
            "invoke_stateful", ready.device, number=args.calls, repeat=1
        )
        mean = evaluator("main").mean
    try:
        trace = tracing.by_call(found, args.calls + 1)  # the evaluator's own first call is one more
    except ValueError as error:
        raise FusionError("the trace does not show equal calls", found=str(error)) from None
    trace["evaluator_us"] = round(mean * 1e6, 3)
    print(json.dumps({"trace": trace, "environment": provenance.environment()}))


if __name__ == "__main__":
    run_program(main)
