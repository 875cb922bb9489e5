"""Profile one peer on its GPU: its kernels and gaps by CUPTI, counters by Nsight Compute.

As profile_variant.py, under the interpreter of the peer's toolchain; what cannot be had there (no
cupti-python, no ncu) stands in the record as not run. What the counters say became of the producer
stands there too: materialised, staged or recomputed.
"""

import argparse
from pathlib import Path

from fusion import peer_process, peers, producers, profiling, records, session
from fusion.cases import add_arguments, case_from
from fusion.errors import FusionError, choose, run_program


def main() -> None:
    args = parse()
    case = case_from(args)
    choose("peer", args.peer, peers.PEERS)
    if args.arch == "llvm":
        raise FusionError("there is nothing to profile on a CPU", expected="an architecture sm_XX")
    device = session.choose(args.arch, args.gpu)
    toolchain = peers.PEERS[args.peer].toolchain
    drawn_by = (args.seed, args.low, args.high)
    name = f"{case.name} {args.peer}"
    with session.hold(device, args, f"profile {name}") as held:
        with peer_process.serving([args.peer], case, args.arch, *drawn_by) as serving:
            process = serving[args.peer]
            versions = process.ready()
            traced = trace(process, args)
        words = peer_process.words([args.peer], case, args.arch, *drawn_by)
        command = peer_process.command(toolchain, [*words, "--once", str(args.warmup_calls)])
        counted = profiling.count(command)
        seconds = held.held()
    found = {"trace": traced, "environment": versions, **counted}
    records.write(
        args.out,
        "profile",
        {
            "case": case.as_record(),
            "variant": args.peer,
            "arch": args.arch,
            "device": held.as_record(),
            "code_sha256": None,
            "inputs": {"seed": args.seed, "low": args.low, "high": args.high},
            "warmup_calls": args.warmup_calls,
            **found,
            "producer": producers.judge(found, case),
            "held_s": round(seconds, 3),
        },
    )
    profiling.report(name, found)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    parser.add_argument("--peer", required=True, help=f"one of {', '.join(peers.PEERS)}")
    parser.add_argument("--arch", required=True, help="the GPU's, such as sm_90")
    parser.add_argument("--calls", required=True, type=int, help="calls to trace")
    profiling.add_call_arguments(parser)
    parser.add_argument("--out", required=True, type=Path, help="the record to write (JSON)")
    session.add_arguments(parser)
    return parser.parse_args()


def trace(process: peer_process.PeerProcess, args: argparse.Namespace) -> dict:
    """The trace of many calls, or why it was not run."""
    process.ask(do="call", name=args.peer, times=args.warmup_calls)
    try:
        return process.ask(do="trace", name=args.peer, calls=args.calls)["trace"]
    except FusionError as error:
        return {"not_run": f"CUPTI: {error.found}"}


if __name__ == "__main__":
    run_program(main)
