"""The process of a toolchain's peers, from the side of the program that measures."""

import contextlib
import json
import select
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from . import peers
from .cases import Case
from .errors import FusionError
from .inputs import numpy_dtype

SERVER = Path(__file__).parents[1] / "serve_peer.py"
# Seconds for a start or an answer. The longest known are under a minute: importing a framework from
# a cold disk and compiling every peer of it. A process that takes five has stopped working.
PATIENCE_S = 300.0


class PeerProcess:
    """A running serve_peer.py. `ready` waits for it and returns the toolchain's versions.

    patience: seconds to wait for its start and for each answer; beyond them it is killed, and a
    FusionError says so.
    """

    def __init__(
        self, toolchain: str, command: list[str], folder: Path, patience: float = PATIENCE_S
    ):
        self.toolchain, self._folder, self._patience = toolchain, folder, patience
        self._log = folder / f"{toolchain}.log"
        pipe = subprocess.PIPE
        with self._log.open("w") as errors:
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=errors, text=True, bufsize=1
            )
        self._versions: dict | None = None

    @property
    def pid(self) -> int:
        return self._process.pid

    def ready(self) -> dict:
        if self._versions is None:
            self._versions = self._read("to start")["ready"]
        return self._versions

    def ask(self, **request) -> dict:
        """The answer to a request of serve_peer.py, or a FusionError."""
        self.ready()
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
        except BrokenPipeError:
            raise self._broken(request["do"], self._ended()) from None
        return self._read(request["do"])

    def output(self, peer: str) -> np.ndarray:
        """What a call returns, with its own dtype."""
        path = self._folder / f"{peer}.npy"
        dtype = self.ask(do="output", peer=peer, file=str(path))["dtype"]
        array = np.load(path)
        path.unlink()
        return array.view(numpy_dtype(dtype)) if dtype == "bfloat16" else array

    def set_inputs(self, arrays: list[np.ndarray]) -> None:
        path = self._folder / f"{self.toolchain}.npz"
        plain = {f"a{n}": a.view(f"u{a.dtype.itemsize}") for n, a in enumerate(arrays)}
        np.savez(path, dtype=arrays[0].dtype.name, **plain)
        self.ask(do="inputs", arrays=str(path))
        path.unlink()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _read(self, what: str) -> dict:
        # An answer is one line and is asked for, so none waits in Python's own buffer.
        readable, _, _ = select.select([self._process.stdout], [], [], self._patience)
        if not readable:
            self._process.kill()
            raise self._broken(what, f"no answer within {self._patience:g} s")
        line = self._process.stdout.readline()
        if not line:
            raise self._broken(what, self._ended())
        answer = json.loads(line)
        if "error" in answer:
            raise self._broken(what, answer["error"])
        return answer

    def _broken(self, what: str, why: str) -> FusionError:
        said = [line.strip() for line in self._log.read_text().splitlines() if line.strip()]
        started = self._versions is not None
        mend = f"{peers.INSTALL}toolchains.{self.toolchain} to its python3; or take the peers out"
        return FusionError(
            f"the peers of {self.toolchain} fail ({what})",
            expected=f"an answer of {self._process.args[0]} {SERVER.name}, process {self.pid}",
            found="; ".join([why, *said[-2:]]),
            do="run again; what is finished is kept" if started else mend,
        )

    def _ended(self) -> str:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "its output has ended"
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return f"its process has ended ({how})"


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
            words = command(toolchain, own, case, arch, seed, low, high)
            process = PeerProcess(toolchain, words, folder)
            stack.callback(process.close)
            processes |= dict.fromkeys(own, process)
        yield processes


def as_record(serving: dict[str, PeerProcess]) -> dict[str, dict]:
    """What a record says of each peer: its toolchain's versions and, as "how", what is done."""
    return {
        name: {**process.ready(), "how": peers.PEERS[name].summary}
        for name, process in serving.items()
    }


def command(
    toolchain: str, names: list[str], case: Case, arch: str, seed: int, low: float, high: float
) -> list[str]:
    """The words that start serve_peer.py for these peers."""
    words = [peers.interpreter(toolchain), str(SERVER), *case.arguments(), "--peers", *names]
    words += ["--device", "cpu" if arch == "llvm" else "cuda"]
    return [*words, "--seed", str(seed), "--low", str(low), "--high", str(high)]
