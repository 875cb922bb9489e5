"""Run variants once a draw, so that one that crashes or hangs takes no other with it."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import failures
from .artifacts import Artifact
from .entries import toolchain_of, toolchains_of
from .errors import FusionError
from .served import Failure
from .tvm_process import TvmProcess, started


@dataclass
class Ran:
    """outputs: by (seed, name). modules: the hashes of what ran, by name. failed: by name.
    environment: of the first TVM.
    """

    outputs: dict[tuple[int, str], list[np.ndarray]] = field(default_factory=dict)
    modules: dict[str, dict] = field(default_factory=dict)
    failed: dict[str, dict] = field(default_factory=dict)
    environment: dict = field(default_factory=dict)


def run_all(compiled: list[Artifact], arch: str, args: argparse.Namespace, folder: Path) -> Ran:
    """Every variant on every draw, toolchain after toolchain.

    args: seeds, low, high, limit and on_failure. A variant's failure ends its process, since a
    kernel's fault leaves a device's context unusable; the next goes on in a new one.
    """
    ran = Ran()
    for toolchain in toolchains_of([a.variant for a in compiled]):
        left = [a for a in compiled if toolchain_of(a.variant) == toolchain]
        while left:
            with started([toolchain], arch, folder, args.limit) as processes:
                process = processes[toolchain]
                ran.environment = ran.environment or process.ready()
                process.ready()
                left = _run_until_failure(process, left, args, ran)
    return ran


def _run_until_failure(
    process: TvmProcess, left: list[Artifact], args: argparse.Namespace, ran: Ran
) -> list[Artifact]:
    """What is left to run after a variant failed; [] once all have run."""
    for place, artifact in enumerate(left):
        name, stage, found = artifact.variant, "load", {}
        try:
            hashes = process.load(name, artifact)
            stage = "run"
            for seed in args.seeds:
                process.draw(seed, args.low, args.high)
                found[seed, name] = process.outputs(name)
        except Failure as error:
            if args.on_failure == "stop":
                raise FusionError(f"{name} fails ({stage})", found=error.why, do=error.do) from None
            ran.failed[name] = failures.failed(stage, error.why)
            return left[place + 1 :]
        ran.outputs |= found
        ran.modules[name] = hashes
    return []


def blame(wrong: list[dict], describe: Callable[[dict], str]) -> dict[str, dict]:
    """The variants that comparisons speak against: those that differ from the reference, and of
    two that differ only from each other, the first named.
    """
    failed: dict[str, dict] = {}
    for one in sorted(wrong, key=lambda f: f["against"] != "reference"):
        if one["variant"] not in failed and one["against"] not in failed:
            failed[one["variant"]] = failures.failed("verify", describe(one))
    return failed
