"""What the programs of the profile stage share. Needs no TVM."""

import argparse
import tempfile
from pathlib import Path

from . import inputs, ncu


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--record, --warmup-calls and what the inputs are drawn by, for ready.get_ready."""
    parser.add_argument("--record", required=True, type=Path, help="record.json of the compile")
    add_call_arguments(parser)


def add_call_arguments(parser: argparse.ArgumentParser) -> None:
    """--warmup-calls and what the inputs are drawn by, of a variant's call or a peer's."""
    parser.add_argument("--warmup-calls", required=True, type=int, help="calls before")
    inputs.add_arguments(parser)


def words(args: argparse.Namespace) -> list[str]:
    """The same arguments as words, for a program that this one starts."""
    keys = ("record", "warmup_calls", "seed", "low", "high")
    return [
        word for key in keys for word in (f"--{key.replace('_', '-')}", str(getattr(args, key)))
    ]


def count(program: list[str]) -> dict:
    """{"counters": as ncu.count gives them for this program}, or why they were not."""
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


def report(name: str, found: dict) -> None:
    """Print what a profile has and what was not run."""
    traced, counted = found["trace"], found["counters"]
    words = []
    for what, part in (("trace", traced), ("counters", counted)):
        if "not_run" in part:
            print(f"{name}: {what} not run: {part['not_run']}")
    if "not_run" not in traced:
        words.append(
            f"kernels {traced['kernels_us']:.2f} µs, gaps {traced['gaps_us']:.2f} µs, "
            f"rest {traced['rest_us']:.2f} µs a call while traced"
        )
    if "not_run" not in counted:
        words.append(f"{len(counted['kernels'])} launches counted by {counted['tool']}")
    print(f"{name}: {'; '.join(words) or 'nothing could be profiled here'}")
