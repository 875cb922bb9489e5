"""The processes of the TVMs, from the side of the program that verifies or times."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from . import arrays, toolchains
from .artifacts import Artifact
from .served import Server

SERVER = Path(__file__).parents[1] / "serve_variants.py"
INSTALL = "check that this interpreter has TVM: python3 -c 'import tvm'"


class TvmProcess(Server):
    """A running serve_variants.py. name: of the toolchain, or None for this interpreter's."""

    def __init__(self, name: str | None, arch: str, folder: Path, patience: float):
        found = toolchains.find(name)
        what = f"the process of {'TVM' if name is None else name}"
        super().__init__(found, SERVER, ["--arch", arch], folder, patience, what, INSTALL)

    def load(self, name: str, artifact: Artifact) -> dict[str, str]:
        """Load a variant under a name; the hashes of what was loaded."""
        return self.ask(do="load", name=name, record=str(artifact.folder / "record.json"))

    def draw(self, seed: int, low: float, high: float) -> None:
        self.ask(do="draw", seed=seed, low=low, high=high)

    def outputs(self, name: str) -> list[np.ndarray]:
        path = self.folder / f"{self.toolchain}-outputs.npz"
        self.ask(do="output", name=name, file=str(path))
        found = arrays.load(path)
        path.unlink()
        return found


@contextlib.contextmanager
def started(
    names: list[str | None], arch: str, folder: Path, patience: float
) -> Iterator[dict[str | None, TvmProcess]]:
    """A process for each of these toolchains, all at once, not yet ready."""
    with contextlib.ExitStack() as stack:
        found = {}
        for name in names:
            found[name] = TvmProcess(name, arch, folder, patience)
            stack.callback(found[name].close)
        yield found
