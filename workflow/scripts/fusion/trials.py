"""The TVM processes of one trial, and what they serve under which name."""

import contextlib
from pathlib import Path

from .artifacts import Artifact
from .entries import toolchain_of, toolchains_of
from .errors import FusionError
from .pacing import Protocol
from .pairs import CONTROL
from .served import Failure, Server
from .served_timer import ServedTimer
from .tvm_process import started


class VariantFailure(FusionError):
    """A variant failed while it was timed. name, why: which, and its own words."""

    def __init__(self, name: str, why: str):
        super().__init__(
            f"{name} fails while it is timed",
            found=why,
            do="run again; what is finished is kept. With on_failure: record the others go on",
        )
        self.name, self.why = name, why


class Trial(contextlib.AbstractContextManager):
    """A context that has a process for each TVM of these variants.

    modules: the hashes of what was loaded, by name. environments: what each TVM says of itself.
    """

    def __init__(self, compiled: list[Artifact], arch: str, folder: Path, patience: float):
        self._compiled = {a.variant: a for a in compiled}
        self._where = (arch, folder, patience)
        self._stack = contextlib.ExitStack()
        self.modules: dict[str, dict] = {}
        self.environments: dict[str | None, dict] = {}

    def __enter__(self):
        names = toolchains_of(list(self._compiled))
        self._processes = self._stack.enter_context(started(names, *self._where))
        self._of = {name: self._processes[toolchain_of(name)] for name in self._compiled}
        return self

    def __exit__(self, *error):
        self._stack.close()

    @property
    def pids(self) -> set[int]:
        return {process.pid for process in self._processes.values()}

    def load(self, control: str | None, drawn_by: tuple[int, float, float]) -> None:
        """Load every variant, and the control a second time; then draw the inputs."""
        self.environments = {n: process.ready() for n, process in self._processes.items()}
        for name, artifact in self._compiled.items():
            with naming(name):
                self.modules[name] = self._of[name].load(name, artifact)
        if control:
            with naming(control):
                again = self._of[control].load(CONTROL, self._compiled[control])
            self.modules[CONTROL] = again
            self._of[CONTROL] = self._of[control]
        for process in self._processes.values():
            process.draw(*drawn_by)

    def copy(self, name: str) -> dict:
        """Let the first TVM serve the floor under this name; what the record says of it."""
        process = next(iter(self._processes.values()))
        self._of[name] = process
        return {"name": name, "bytes": process.ask(do="copy", name=name)["bytes"]}

    def timers(self, protocol: Protocol, peers: dict[str, Server]) -> dict[str, ServedTimer]:
        """A timer for everything that is served, in the order of the names."""
        own = {name: VariantTimer(p, name, protocol) for name, p in self._of.items()}
        return own | {name: ServedTimer(p, name, protocol) for name, p in peers.items()}


class VariantTimer(ServedTimer):
    """Of a variant: its failures are the variant's."""

    def call(self, times: int) -> None:
        with naming(self.name):
            super().call(times)

    def time(self, number: int, repeat: int) -> list[float]:
        with naming(self.name):
            return super().time(number, repeat)


@contextlib.contextmanager
def naming(name: str):
    """A server's failure as that of the variant that it was asked for."""
    try:
        yield
    except Failure as error:
        raise VariantFailure(name, error.why) from None
