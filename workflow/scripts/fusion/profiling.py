"""What the programs of the profile stage share on their command lines. Needs no TVM."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--record, --warmup-calls and what the inputs are drawn by, for ready.get_ready."""
    parser.add_argument("--record", required=True, type=Path, help="record.json of the compile")
    parser.add_argument("--warmup-calls", required=True, type=int, help="calls before")
    parser.add_argument("--seed", required=True, type=int, help="seed of the inputs")
    parser.add_argument("--low", type=float, required=True, help="inputs' least value")
    parser.add_argument("--high", type=float, required=True, help="inputs' bound above")


def words(args: argparse.Namespace) -> list[str]:
    """The same arguments as words, for a program that this one starts."""
    keys = ("record", "warmup_calls", "seed", "low", "high")
    return [
        word for key in keys for word in (f"--{key.replace('_', '-')}", str(getattr(args, key)))
    ]
