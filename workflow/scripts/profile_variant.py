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
import tempfile
from pathlib import Path

from fusion import artifacts, ncu, profiling, records, session
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
        counted = count(args)
        seconds = held.held()
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
            **traced,
            **counted,
            "held_s": round(seconds, 3),
        },
    )
    for what, found in (("trace", traced["trace"]), ("counters", counted["counters"])):
        if "not_run" in found:
            print(f"{name}: {what} not run: {found['not_run']}")
    print(f"{name}: {describe(traced['trace'], counted['counters'])}")


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
        return {"trace": {"not_run": f"CUPTI: {reason(done.stderr)}"}, "environment": None}
    return json.loads(done.stdout.splitlines()[-1])


def count(args: argparse.Namespace) -> dict:
    """{"counters": as ncu.count gives them}, or why they were not."""
    program = [sys.executable, str(HERE / "call_once.py"), *profiling.words(args)]
    with tempfile.TemporaryDirectory() as folder:
        try:
            return {"counters": ncu.count(program, Path(folder) / "ncu.log")}
        except ncu.NoCounters as why:
            return {"counters": {"not_run": str(why)}}


def reason(text: str) -> str:
    """What a failed program said, on one line: its error message, or the last line there is."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    start = next((i for i, line in enumerate(lines) if line.startswith("error: ")), None)
    return " ".join(lines[start:] if start is not None else lines[-1:]) or "no message"


def describe(traced: dict, counted: dict) -> str:
    words = []
    if "not_run" not in traced:
        words.append(
            f"kernels {traced['kernels_us']:.2f} µs, gaps {traced['gaps_us']:.2f} µs, "
            f"rest {traced['rest_us']:.2f} µs a call while traced"
        )
    if "not_run" not in counted:
        words.append(f"{len(counted['kernels'])} launches counted by {counted['tool']}")
    return "; ".join(words) or "nothing could be profiled here"


if __name__ == "__main__":
    run_program(main)
