"""One process at a time on a device of this machine, whoever started it.

The lock is the kernel's (flock through the filelock package), so it ends with its process however
that ends, and an orphan of a killed run keeps it until it is done. Beside it lies a note that says
who holds it, for those who wait.
"""

import contextlib
import getpass
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from .errors import FusionError

NOTE_WITHIN = 0.5  # seconds in which a process that took the lock has left its note
REPORT_EVERY = 60.0  # seconds between two lines of a waiting job


@contextlib.contextmanager
def hold(device: str, folder: Path, purpose: str) -> Iterator[float]:
    """Hold the lock of a device (a GPU's UUID, or 'cpu'); yields the seconds that were waited.

    folder: where every user of this machine finds the locks; made if it is not there.
    purpose: what the note says this process does.
    """
    folder = Path(folder)
    name = re.sub(r"[^\w.-]", "_", device)
    note = folder / f"{name}.json"
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o777)
        lock = FileLock(folder / f"{name}.lock", mode=0o666)
        waited = _acquire(lock, device, note)
    except OSError as error:
        raise FusionError(
            f"the lock of {device} cannot be taken in {folder}",
            expected="a folder that every user of this machine can write to",
            found=str(error),
            do="set gpu.lock_folder to such a folder, the same for all users",
        ) from None
    try:
        _write_note(note, purpose)
        yield waited
    finally:
        with contextlib.suppress(OSError):
            note.unlink()
        lock.release()


def holder(note: Path) -> str:
    """Who holds the lock, in words, as far as the note tells."""
    try:
        who = json.loads(note.read_text())
        minutes = (time.time() - who["since"]) / 60
        return f"process {who['pid']} of {who['user']} ({who['purpose']}, for {minutes:.1f} min)"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process (it left no note yet)"


def _acquire(lock: FileLock, device: str, note: Path) -> float:
    start = time.monotonic()
    try:
        lock.acquire(timeout=0)
        return 0.0
    except Timeout:
        _await(note)
    while True:
        waited = time.monotonic() - start
        print(f"waiting for {device}, held by {holder(note)}; {waited:.0f} s so far", flush=True)
        try:
            lock.acquire(timeout=REPORT_EVERY, poll_interval=0.2)
            return time.monotonic() - start
        except Timeout:
            continue


def _await(note: Path) -> None:
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
