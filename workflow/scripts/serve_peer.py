"""Serve the peers of one toolchain to another program: run, time and trace them as it asks.

Runs under the toolchain's own interpreter. Requests are lines of JSON on standard input, answers
are lines of JSON on standard output; what the framework prints goes to standard error. It ends
with its input, so never later than the program that asks.

  {"do": "inputs", "arrays": FILE.npz}            other inputs, into the same place
  {"do": "call", "peer": P, "times": N}           N calls, then wait
  {"do": "samples", "peer": P, "number": N, "repeat": R, "min_repeat_ms": M}
  {"do": "output", "peer": P, "file": FILE.npy}   bfloat16 as uint16
  {"do": "trace", "peer": P, "calls": N}          its kernels, by CUPTI
"""

import argparse
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # others use this GPU too

import numpy as np

from fusion import inputs, peer_clock
from fusion.cases import add_arguments, case_from
from fusion.errors import FusionError, choose
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
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    try:
        runner = _runner(args)
        _say(answers, {"ready": runner.versions()})
        if args.once is not None:
            _call_once(runner, args.peers[0], args.once)
            return
    except Exception as error:
        _say(answers, {"error": _words(error)})
        sys.exit(1)
    for line in sys.stdin:
        try:
            answer = _answer(runner, json.loads(line))
        except Exception as error:
            answer = {"error": _words(error)}
        _say(answers, answer)


def _say(answers, answer: dict) -> None:
    answers.write(json.dumps(answer) + "\n")


def _words(error: Exception) -> str:
    """One line for the program that asked, which makes a FusionError of it."""
    text = str(error) or type(error).__name__
    kind = "" if isinstance(error, FusionError) else f"{type(error).__name__}: "
    return kind + " ".join(text.split())[:600]


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
    runner.set_inputs(inputs.draw(case, args.seed, args.low, args.high))
    runner.prepare()
    return runner


def _answer(runner, request: dict) -> dict:
    what, peer = request["do"], request.get("peer")
    if what == "inputs":
        runner.set_inputs(_loaded(Path(request["arrays"])))
        return {}
    if what == "call":
        runner.call(peer, request["times"])
        return {}
    if what == "samples":
        keys = ("number", "repeat", "min_repeat_ms")
        return {"seconds": peer_clock.samples(runner, peer, *(request[k] for k in keys))}
    if what == "output":
        array = runner.output(peer)
        plain = array.view(np.uint16) if array.dtype.name == "bfloat16" else array
        np.save(request["file"], plain)
        return {"dtype": array.dtype.name}
    if what == "trace":
        return {"trace": _trace(runner, peer, request["calls"])}
    raise FusionError(f"unknown request {what!r}")


def _loaded(path: Path) -> list[np.ndarray]:
    """Arrays that peer_process.save_arrays wrote."""
    with np.load(path) as found:
        dtype = inputs.numpy_dtype(str(found["dtype"]))
        return [found[f"a{n}"].view(dtype) for n in range(len(found.files) - 1)]


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
