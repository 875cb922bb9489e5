"""A variant that fails: whether that stops the run, and what stands in its place if it does not."""

import argparse
import os

from .errors import FusionError

STAGES = ("compile", "load", "run", "verify", "time")


def add_arguments(parser: argparse.ArgumentParser, limit: str) -> None:
    """--on-failure and --limit. limit: compile_s or run_s, of the configuration's limits.

    Their defaults come from the environment, by which the pipeline passes them: they say how a
    failure is dealt with and not what is measured.
    """
    parser.add_argument(
        "--on-failure",
        choices=["stop", "record"],
        default=os.environ.get("FUSE_OR_NOT_ON_FAILURE", "stop"),
        help="a variant that fails ends the program, or is a row in the table",
    )
    parser.add_argument(
        "--limit",
        type=float,
        metavar="SECONDS",
        default=float(os.environ.get(f"FUSE_OR_NOT_{limit.upper()}", "900")),
        help="what takes longer is killed and has failed",
    )


def publish(config: dict) -> None:
    """Tell the programs of this run what the configuration says."""
    os.environ["FUSE_OR_NOT_ON_FAILURE"] = config["on_failure"]
    for key, value in config["limits"].items():
        os.environ[f"FUSE_OR_NOT_{key.upper()}"] = str(value)


def failed(stage: str, message: str) -> dict:
    """What a record says of a failure."""
    return {"stage": stage, "message": message.strip()}


def words(failure: dict) -> str:
    """A failure on one line, for tables."""
    text = " ".join(failure["message"].split())
    return text if len(text) <= 200 else text[:199] + "…"


def require_none(failures: dict[str, dict], on_failure: str) -> None:
    """Raise a FusionError if variants failed in an earlier stage and failures stop the run."""
    if failures and on_failure == "stop":
        name, failure = next(iter(failures.items()))
        raise FusionError(
            f"{name} failed in the {failure['stage']} stage, which a run with on_failure: record "
            "wrote down",
            found=words(failure),
            do="delete its record to try again, or set on_failure to record",
        )
