"""Run a program of the pipeline in a process of its own, so that its crash or hang stays there."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from .toolchains import Toolchain

LAST_LINES = 6
EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Interrupt)\b.*")


def run(
    toolchain: Toolchain, program: Path, words: list[str], limit_s: float, stdout: int | None = None
) -> str | None:
    """Run it under the toolchain's interpreter; None, or why it failed, in its own last words.

    Its standard output goes where this process's goes, or to `stdout` as subprocess takes it, and
    its standard error where this process's goes. After
    limit_s seconds it is killed with all that it started.
    """
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [toolchain.interpreter(), str(program), *words],
            env=toolchain.variables(),
            stdout=stdout,
            stderr=said,
            start_new_session=True,
        )
        try:
            code = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            kill(process)
            return f"no end within {limit_s:g} s; killed"
        except BaseException:
            kill(process)
            raise
        said.seek(0)
        text = said.read()
    why = reason(code, text) if code else None
    if why is None or not text.startswith("error: "):
        sys.stderr.write(text)
    return why


def kill(process: subprocess.Popen) -> None:
    """Kill a process and all of its session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()
    process.wait()


def reason(code: int, said: str) -> str:
    """Why a process ended: its own error, or the signal or exit code and its last words."""
    start = said.rfind("error: ")
    if code == 1 and start >= 0 and (start == 0 or said[start - 1] == "\n"):
        return said[start + len("error: ") :].strip()
    how = f"exit code {code}"
    if code < 0:
        how = f"killed by signal {-code} ({signal.Signals(-code).name})"
    found = last_words(said)
    if code == 1 and found and EXCEPTION.match(found[0]):
        return "; ".join(found)
    return "; ".join([how, *found])


def last_words(said: str) -> list[str]:
    """Of an exception its own lines, without the trace; else the last lines that were printed."""
    lines = [line.rstrip() for line in said.splitlines() if line.strip()]
    if any(line.startswith("Traceback ") for line in lines):
        named = [i for i, line in enumerate(lines) if EXCEPTION.match(line)]
        if named:
            return [line.strip() for line in lines[named[-1] :][:LAST_LINES]]
    return [line.strip() for line in lines[-LAST_LINES:]]


def end_with_parent() -> None:
    """Let this process be killed when its parent is (Linux), so that a killed job leaves none."""
    if sys.platform == "linux":
        import ctypes

        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
