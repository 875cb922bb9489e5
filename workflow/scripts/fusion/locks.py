"""Locks with a note beside them that says who holds them, for those who wait.

A lock is the kernel's (flock through the filelock package), so it ends with its process however
that ends, and an orphan of a killed run keeps it until it is done.
"""

import contextlib
import getpass
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

NOTE_WITHIN = 0.5  # seconds in which a process that took the lock has left its note
REPORT_EVERY = 60.0  # seconds between two lines of a process that waits
POLL = 0.2  # seconds between two looks at locks that others hold


@dataclass(frozen=True)
class Held:
    """Which of the names is held, and for how many seconds it was waited for."""

    name: str
    waited: float


@dataclass(frozen=True)
class _Lock:
    name: str
    file: FileLock
    note: Path


def say_aloud(line: str) -> None:
    """To standard output, at once."""
    print(line, flush=True)


@contextlib.contextmanager
def hold(
    names: Sequence[str], folder: Path, purpose: str, say: Callable[[str], None] = say_aloud
) -> Iterator[Held]:
    """Hold the first of these names that is free; an OSError where the folder cannot be used.

    purpose: what the note says this process does. say: prints a line for those who watch it wait.
    """
    locks = [_lock(name, folder) for name in names]
    start = time.monotonic()
    taken = _free(locks)
    if taken is None:
        taken = _wait(locks, start, say)
        waited = time.monotonic() - start
    else:
        waited = 0.0
    try:
        _write_note(taken.note, purpose)
        yield Held(taken.name, waited)
    finally:
        with contextlib.suppress(OSError):
            taken.note.unlink()
        taken.file.release()


def holder(note: Path) -> str:
    """Who holds the lock, in words, as far as the note tells."""
    try:
        who = json.loads(note.read_text())
        minutes = (time.time() - who["since"]) / 60
        return f"process {who['pid']} of {who['user']} ({who['purpose']}, for {minutes:.1f} min)"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process (it left no note yet)"


def _lock(name: str, folder: Path) -> _Lock:
    file = re.sub(r"[^\w.-]", "_", name)
    return _Lock(name, FileLock(folder / f"{file}.lock", mode=0o666), folder / f"{file}.json")


def _free(locks: list[_Lock]) -> _Lock | None:
    """The first that nobody holds, now taken; None where all are held."""
    for lock in locks:
        try:
            lock.file.acquire(timeout=0)
        except Timeout:
            continue
        except NotImplementedError as error:  # filelock's word for a file system without flock
            raise OSError(str(error)) from None
        return lock
    return None


def _wait(locks: list[_Lock], start: float, say: Callable[[str], None]) -> _Lock:
    _await_note(locks[0].note)
    while True:
        held = "; ".join(f"{lock.name}, held by {holder(lock.note)}" for lock in locks)
        one_of = "one of " if len(locks) > 1 else ""
        say(f"waiting for {one_of}{held}; {time.monotonic() - start:.0f} s so far")
        until = time.monotonic() + REPORT_EVERY
        while time.monotonic() < until:
            time.sleep(POLL)
            taken = _free(locks)
            if taken:
                return taken


def _await_note(note: Path) -> None:
    """Whoever has just taken the lock leaves the note a moment later."""
    end = time.monotonic() + NOTE_WITHIN
    while not note.exists() and time.monotonic() < end:
        time.sleep(0.01)


def _write_note(note: Path, purpose: str) -> None:
    who = {"pid": os.getpid(), "user": _user(), "purpose": purpose, "since": time.time()}
    beside = note.with_name(f".{note.name}.{os.getpid()}")
    beside.write_text(json.dumps(who))
    beside.chmod(0o666)
    beside.replace(note)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return f"user {os.getuid()}"
