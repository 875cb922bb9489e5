"""The processes of the peers, from the side of the program that measures."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from . import arrays, peers, toolchains
from .cases import Case
from .served import Server

SERVER = Path(__file__).parents[1] / "serve_peer.py"
# Seconds for a start or an answer. The longest known are under a minute: importing a framework from
# a cold disk and compiling every peer of it. A process that takes five has stopped working.
PATIENCE_S = 300.0


class PeerProcess(Server):
    """A running serve_peer.py, which serves all peers of a toolchain."""

    def __init__(
        self, toolchain: str, words: list[str], folder: Path, patience: float = PATIENCE_S
    ):
        mend = f"{peers.INSTALL}toolchains.{toolchain} to its python3; or take the peers out"
        found = toolchains.find(toolchain)
        what = f"the process of the peers of {toolchain}"
        super().__init__(found, SERVER, words, folder, patience, what, mend)

    def outputs(self, peer: str) -> list[np.ndarray]:
        """What a call returns, with its own dtypes."""
        path = self.folder / f"{peer}.npz"
        self.ask(do="output", name=peer, file=str(path))
        found = arrays.load(path)
        path.unlink()
        return found

    def set_inputs(self, values: list[np.ndarray]) -> None:
        path = self.folder / f"{self.toolchain}.npz"
        arrays.save(path, values)
        self.ask(do="inputs", arrays=str(path))
        path.unlink()


@contextlib.contextmanager
def serving(
    names: list[str], case: Case, arch: str, seed: int, low: float, high: float
) -> Iterator[dict[str, PeerProcess]]:
    """Start the peers, all toolchains at once; yields each peer's process, not yet ready.

    They inherit this process's CUDA_VISIBLE_DEVICES, so that they see the same GPU.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fuse-or-not-")))
        processes = {}
        for toolchain, own in peers.by_toolchain(names).items():
            process = PeerProcess(toolchain, words(own, case, arch, seed, low, high), folder)
            stack.callback(process.close)
            processes |= dict.fromkeys(own, process)
        yield processes


def as_record(serving: dict[str, PeerProcess]) -> dict[str, dict]:
    """What a record says of each peer: its toolchain's versions and, as "how", what is done."""
    return {
        name: {**process.ready(), "how": peers.PEERS[name].summary}
        for name, process in serving.items()
    }


def command(toolchain: str, given: list[str]) -> list[str]:
    """The command that starts serve_peer.py with these words."""
    return [toolchains.find(toolchain).interpreter(), str(SERVER), *given]


def words(names: list[str], case: Case, arch: str, seed: int, low: float, high: float) -> list[str]:
    """The words by which serve_peer.py serves these peers."""
    device = "cpu" if arch == "llvm" else "cuda"
    given = [*case.arguments(), "--peers", *names, "--device", device]
    return [*given, "--seed", str(seed), "--low", str(low), "--high", str(high)]
