"""Profile one variant on its GPU: kernels and gaps by CUPTI, counters by Nsight Compute.

Each is done by a program of its own while this one holds the GPU's lock. What cannot be had here
(no cupti-python, no ncu, no right to read counters) is said, stands in the record as not run, and
is no error.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from fusion import artifacts, producers, profiling, records, session
from fusion.errors import FusionError, run_program

HERE = Path(__file__).parent


def main() -> None:
    args = parse()
    compiled = artifacts.read_artifacts([args.record])
    artifacts.require_whole(compiled[0])
    record = compiled[0].record
    if record["arch"] == "llvm":
        raise FusionError(
            "there is nothing to profile on a CPU",
            expected="a variant that was compiled for a GPU",
            found=str(args.record),
        )
    device = session.choose(record["arch"], args.gpu)
    os.environ["FUSE_OR_NOT_GPU"] = device.gpu.uuid  # for the programs that this one starts
    name = f"{record['case']['name']} {record['variant']}"
    with session.hold(device, args, f"profile {name}") as held:
        traced = trace(args)
        counted = profiling.count(
            [sys.executable, str(HERE / "call_once.py"), *profiling.words(args)]
        )
        seconds = held.held()
    found = {**traced, **counted}
    records.write(
        args.out,
        "profile",
        {
            "case": record["case"],
            "variant": record["variant"],
            "arch": record["arch"],
            "device": held.as_record(),
            "code_sha256": record["code"]["sha256"],
            "inputs": {"seed": args.seed, "low": args.low, "high": args.high},
            "warmup_calls": args.warmup_calls,
            **found,
            "producer": producers.judge(found, artifacts.case_of(compiled)),
            "held_s": round(seconds, 3),
        },
    )
    profiling.report(name, found)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    profiling.add_arguments(parser)
    parser.add_argument("--calls", required=True, type=int, help="calls to trace")
    parser.add_argument("--out", required=True, type=Path, help="the record to write (JSON)")
    session.add_arguments(parser)
    return parser.parse_args()


def trace(args: argparse.Namespace) -> dict:
    """{"trace": ..., "environment": ...} as trace_calls.py prints it, or why it was not run."""
    words = [sys.executable, str(HERE / "trace_calls.py"), *profiling.words(args)]
    done = subprocess.run([*words, "--calls", str(args.calls)], capture_output=True, text=True)
    if done.returncode:
        return {
            "trace": {"not_run": f"CUPTI: {profiling.reason(done.stderr)}"},
            "environment": None,
        }
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    run_program(main)
