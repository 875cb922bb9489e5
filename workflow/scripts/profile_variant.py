"""Profile one variant on its GPU: kernels and gaps by CUPTI, counters by Nsight Compute.

Each is done by a program of its own while this one holds the GPU's lock. What cannot be had here
(no cupti-python, no ncu, no right to read counters) is said, stands in the record as not run, and
is no error.
"""

import argparse
import json
import os
import subprocess
from pathlib import Path

from fusion import artifacts, failures, producers, profiling, records, session, toolchains
from fusion.errors import FusionError, run_program

HERE = Path(__file__).parent


def main() -> None:
    args = parse()
    compiled = artifacts.read_artifacts([args.record])
    record = compiled[0].record
    failure = failed(compiled[0], args.verified)
    if failure:
        write_failed(record, failure, args)
        return
    artifacts.require_whole(compiled[0])
    if record["arch"] == "llvm":
        raise FusionError(
            "there is nothing to profile on a CPU",
            expected="a variant that was compiled for a GPU",
            found=str(args.record),
        )
    device = session.choose(record["arch"], args.gpu)
    name = f"{record['case']['name']} {record['variant']}"
    chain = toolchains.find(args.toolchain)
    os.environ |= chain.environment
    with session.hold(device, args, f"profile {name}") as held:
        traced = trace(chain.interpreter(), args)
        counted = profiling.count(
            [chain.interpreter(), str(HERE / "call_once.py"), *profiling.words(args)]
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
    parser.add_argument("--verified", type=Path, help="the case's verify record")
    parser.add_argument("--toolchain", help="the TVM's name in the configuration; else this one's")
    session.add_arguments(parser)
    return parser.parse_args()


def failed(artifact: artifacts.Artifact, verified: Path | None) -> dict | None:
    """Why a variant cannot be profiled: it failed to compile, to run or to verify."""
    record = records.read(verified, "verify") if verified else {}
    return artifact.failed or record.get("failed", {}).get(artifact.variant)


def write_failed(record: dict, failure: dict, args: argparse.Namespace) -> None:
    words = f"{record['variant']} failed ({failure['stage']}): {failures.words(failure)}"
    body = {key: record[key] for key in ("case", "variant", "arch")}
    not_run = {"not_run": words}
    body |= {"failed": failure, "trace": not_run, "counters": not_run, "environment": None}
    body["producer"] = {"verdict": "unknown", "why": words}
    records.write(args.out, "profile", body)
    print(f"{record['case']['name']}: {words}; not profiled")


def trace(python: str, args: argparse.Namespace) -> dict:
    """{"trace": ..., "environment": ...} as trace_calls.py prints it, or why it was not run."""
    words = [python, str(HERE / "trace_calls.py"), *profiling.words(args)]
    done = subprocess.run([*words, "--calls", str(args.calls)], capture_output=True, text=True)
    if done.returncode:
        return {
            "trace": {"not_run": f"CUPTI: {profiling.reason(done.stderr)}"},
            "environment": None,
        }
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    run_program(main)
