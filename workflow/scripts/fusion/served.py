"""A server in a process of its own, from the side of the program that asks (see serving.py)."""

import contextlib
import json
import select
import subprocess
from pathlib import Path

from . import disks
from .errors import FusionError
from .supervise import LAST_LINES, kill
from .toolchains import Toolchain


class Failure(FusionError):
    """A server's process has ended, answers nothing, or answers with an error; why says which."""

    def __init__(self, problem: str, why: str, **words):
        super().__init__(problem, **words)
        self.why = why


class Server:
    """A running server. `ready` waits for it and returns what it says of itself.

    patience: seconds to wait for its start and for each answer; beyond them it is killed.
    what: what it serves, for errors; mend: what to do if it does not start.
    """

    def __init__(
        self,
        toolchain: Toolchain,
        program: Path,
        words: list[str],
        folder: Path,
        patience: float,
        what: str,
        mend: str,
    ):
        self.toolchain, self.folder = toolchain.name, folder
        self._program, self._patience, self._what, self._mend = program, patience, what, mend
        self._log = folder / f"{toolchain.name}.log"
        pipe = subprocess.PIPE
        with self._log.open("w") as errors:
            self._process = subprocess.Popen(
                [toolchain.interpreter(), str(program), *words],
                stdin=pipe,
                stdout=pipe,
                stderr=errors,
                text=True,
                bufsize=1,
                env=toolchain.variables(),
                start_new_session=True,
            )
        self._about: dict | None = None

    @property
    def pid(self) -> int:
        return self._process.pid

    def ready(self) -> dict:
        if self._about is None:
            self._about = self._read("to start")["ready"]
        return self._about

    def ask(self, **request) -> dict:
        """The answer to a request, or a Failure."""
        self.ready()
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
        except BrokenPipeError:
            raise self._broken(request["do"], self._ended()) from None
        return self._read(request["do"])

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            kill(self._process)
        self._process.stdout.close()

    def _read(self, what: str) -> dict:
        # An answer is one line and is asked for, so none waits in Python's own buffer.
        readable, _, _ = select.select([self._process.stdout], [], [], self._patience)
        if not readable:
            kill(self._process)
            raise self._broken(what, f"no answer within {self._patience:g} s; killed")
        line = self._process.stdout.readline()
        if not line:
            raise self._broken(what, self._ended())
        answer = json.loads(line)
        if "error" in answer:
            raise self._broken(what, answer["error"], said=False)
        return answer

    def _broken(self, what: str, why: str, *, said: bool = True) -> Failure:
        lines = [line.strip() for line in self._log.read_text().splitlines() if line.strip()]
        why = "; ".join([why, *(lines[-LAST_LINES:] if said else [])])
        if disks.is_full(why):  # no failure of what is served
            raise disks.restated(why, self.folder)
        started = self._about is not None
        return Failure(
            f"{self._what} fails ({what})",
            why,
            expected=f"an answer of {self._process.args[0]} {self._program.name}, "
            f"process {self.pid}",
            found=why,
            do="run again; what is finished is kept" if started else self._mend,
        )

    def _ended(self) -> str:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "its output has ended"
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return f"its process has ended ({how})"
