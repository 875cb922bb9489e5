"""Serve the peers of one toolchain to another program: run, time and trace them as it asks.

Runs under the toolchain's own interpreter. Requests are lines of JSON on standard input, answers
are lines of JSON on standard output; what the framework prints goes to standard error. It ends
with its input, so never later than the program that asks.

  {"do": "inputs", "arrays": FILE.npz}            other inputs, into the same place
  {"do": "call", "name": P, "times": N}           N calls, then wait
  {"do": "samples", "name": P, "number": N, "repeat": R, "min_repeat_ms": M}
  {"do": "output", "name": P, "file": FILE.npz}   what a call returns
  {"do": "trace", "name": P, "calls": N}          its kernels, by CUPTI
"""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # others use this GPU too

from fusion import arrays, inputs, peer_clock, serving
from fusion.cases import add_arguments, case_from
from fusion.errors import choose
from fusion.peers import PEERS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    parser.add_argument("--peers", nargs="+", required=True, help=f"of {', '.join(PEERS)}")
    parser.add_argument("--device", choices=["cuda", "cpu"], required=True)
    inputs.add_arguments(parser)
    parser.add_argument(
        "--once", type=int, metavar="CALLS", help="after CALLS calls one more, for a profiler; end"
    )
    args = parser.parse_args()
    answers = serving.Answers()
    try:
        runner = _runner(args)
        answers.say({"ready": runner.versions()})
        if args.once is not None:
            _call_once(runner, args.peers[0], args.once)
            return
    except Exception as error:
        answers.fail(error)
        sys.exit(1)
    for _ in serving.requests(answers, _handlers(runner)):
        pass


def _runner(args: argparse.Namespace):
    case = case_from(args)
    for name in args.peers:
        choose("peer", name, PEERS)
    if {PEERS[name].toolchain for name in args.peers} == {"torch"}:
        from fusion.peer_torch import Runner
    else:
        if args.device == "cpu":
            os.environ["JAX_PLATFORMS"] = "cpu"
        from fusion.peer_jax import Runner
    runner = Runner(case, args.peers, args.device)
    runner.set_inputs(inputs.draw(case.inputs, args.seed, args.low, args.high))
    runner.prepare()
    return runner


def _handlers(runner) -> dict:
    return {
        "inputs": lambda r: runner.set_inputs(arrays.load(Path(r["arrays"]))) or {},
        "call": lambda r: runner.call(r["name"], r["times"]) or {},
        "samples": lambda r: {"seconds": _samples(runner, r)},
        "output": lambda r: arrays.save(Path(r["file"]), runner.outputs(r["name"])) or {},
        "trace": lambda r: {"trace": _trace(runner, r["name"], r["calls"])},
    }


def _samples(runner, request: dict) -> list[float]:
    keys = ("name", "number", "repeat", "min_repeat_ms")
    return peer_clock.samples(runner, *(request[key] for key in keys))


def _trace(runner, peer: str, calls: int) -> dict:
    from fusion import tracing

    with tracing.kernels() as found:
        runner.call(peer, calls)
    return tracing.by_call(found, calls)


def _call_once(runner, peer: str, calls: int) -> None:
    """One call between cuProfilerStart and cuProfilerStop, through the driver itself."""
    import ctypes

    runner.call(peer, calls)
    driver = ctypes.CDLL("libcuda.so.1")
    # The frameworks work in the primary context; JAX leaves none current in this thread, and
    # without one cuProfilerStart does nothing.
    context = ctypes.c_void_p()
    for status in (
        driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
        driver.cuCtxSetCurrent(context),
        driver.cuProfilerStart(),
    ):
        if status:
            raise RuntimeError(f"the CUDA driver answers {status} to the start of a profile")
    runner.call(peer, 1)
    driver.cuProfilerStop()


if __name__ == "__main__":
    main()
