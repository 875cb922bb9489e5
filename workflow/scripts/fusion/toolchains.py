"""Toolchains: the Python interpreters with the TVM releases, or peer frameworks, of an experiment.

Which interpreter that is says where something runs and not what is measured, so it travels to the
programs by the environment. Needs neither TVM nor a peer.
"""

import json
import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .errors import FusionError

PEER_TOOLCHAINS = ("torch", "jax")
OWN = "own"  # the TVM of the interpreter that runs the pipeline, where no other is named
VARIABLE = "FUSE_OR_NOT_TOOLCHAINS"


@dataclass(frozen=True)
class Toolchain:
    """python: the path or name of the interpreter. requirements: of the virtual environment that
    the pipeline makes, with that interpreter in it; else None. environment: variables on top.
    """

    name: str
    python: str
    requirements: str | None = None
    environment: dict[str, str] = field(default_factory=dict)

    def interpreter(self) -> str:
        """The path of the interpreter, or a FusionError."""
        found = shutil.which(self.python)
        if not found:
            raise FusionError(
                f"the interpreter of {self.name} is not there",
                found=self.python,
                do=f"set toolchains.{self.name} to the path of its python3, or to requirements",
            )
        return found

    def variables(self) -> dict[str, str]:
        """The environment of its processes."""
        return {**os.environ, **self.environment}


def from_config(name: str, given: str | dict, results: str) -> Toolchain:
    """A toolchain as the configuration names it (checked against its schema)."""
    if isinstance(given, str):
        return Toolchain(name, given)
    environment = {k: str(v) for k, v in given.get("environment", {}).items()}
    requirements = given.get("requirements")
    if requirements is None:
        return Toolchain(name, given["python"], None, environment)
    if not Path(requirements).is_file():
        raise FusionError(
            f"toolchains.{name}.requirements is not there",
            expected="a pip requirements file, such as envs/tvm-0.26.txt",
            found=requirements,
        )
    python = folder(name, results) / "bin" / "python3"
    return Toolchain(name, str(python), requirements, environment)


def folder(name: str, results: str) -> Path:
    """Where the pipeline makes a toolchain's virtual environment."""
    return Path(results).absolute() / "toolchains" / name


def tvms(toolchains: dict) -> list[str]:
    """The names of the configuration's TVM toolchains, in its order; [] for the own one alone."""
    return [name for name in toolchains if name not in PEER_TOOLCHAINS]


def publish(toolchains: list[Toolchain]) -> None:
    """Tell the programs of this run where the toolchains are."""
    os.environ[VARIABLE] = json.dumps(
        {t.name: {"python": t.python, "environment": t.environment} for t in toolchains}
    )


def find(name: str | None) -> Toolchain:
    """The toolchain of this name; None is the interpreter that runs this.

    Raises FusionError if no run has published it and it is no interpreter's path either.
    """
    if name is None:
        return Toolchain(OWN, sys.executable)
    known = json.loads(os.environ.get(VARIABLE) or "{}")
    if name in known:
        return Toolchain(name, known[name]["python"], None, known[name]["environment"])
    if name in PEER_TOOLCHAINS:
        return Toolchain(name, "python3")
    raise FusionError(
        f"nothing is known of the toolchain {name!r}",
        expected=f"its name in the JSON object of the environment variable {VARIABLE}",
        found=", ".join(known) or "none",
        do="run it through snakemake, or set the variable",
    )
