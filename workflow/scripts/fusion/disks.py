"""File systems that are full or cannot be written to: which one it is, and what to do.

A full disk says nothing about the variant that was compiled or run when it filled up, so it is
never recorded as that variant's failure.
"""

import contextlib
import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .errors import FusionError

NO_SPACE = os.strerror(errno.ENOSPC)
FULL = (errno.ENOSPC, errno.EDQUOT)
REFUSED = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR)
PROBED = 16_384  # bytes without which no job can so much as start
_noted: list[FusionError] = []  # what a compiler's own error has been put around


@contextlib.contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Inside, an OSError of a full or read-only file system becomes a FusionError."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            _noted.append(full(path))
        elif error.errno in REFUSED:
            _noted.append(_refused(error, error.filename or path))
        else:
            raise
        raise _noted[-1] from None


def explain(error: Exception) -> FusionError | None:
    """What to say of an error that a full or read-only file system has led to; else None."""
    if isinstance(error, FusionError) and "the file system at " in str(error):
        return error
    if _noted:
        return _noted[0]
    if isinstance(error, OSError) and error.errno in REFUSED and error.filename:
        return _refused(error, error.filename)
    if getattr(error, "errno", None) in FULL or is_full(str(error)):
        return full(getattr(error, "filename", None) or _fullest())
    return None


def is_full(words: str) -> bool:
    """Whether a program's last words speak of a full disk."""
    return NO_SPACE in words


def full(path: Path | str) -> FusionError:
    """The error of a path for which there was no room."""
    mount = _mount(path)
    there = os.statvfs(mount)
    free, size = (n * there.f_frsize / 2**20 for n in (there.f_bavail, there.f_blocks))
    return FusionError(
        f"the file system at {mount} is full ({NO_SPACE})",
        expected=f"room for {path}",
        found=f"{free:.1f} MiB of {size:.1f} MiB free",
        do="make room there, or set results (for temporary files TMPDIR) to another file system; "
        "then run the same command again: what is finished is kept",
    )


def restated(words: str, path: Path | str) -> FusionError:
    """The error of another process that had no room: its own, or, of one that broke, for a path."""
    return FusionError(words) if "the file system at " in words else full(path)


def require_writable(what: str, folder: Path | str, instead: str) -> None:
    """Raise a FusionError unless this folder, to be made or there, can be written to.

    what: its key or name; instead: how to take another one.
    """
    there = _existing(folder)
    try:
        with tempfile.TemporaryFile(dir=there) as probe:
            probe.write(bytes(PROBED))
    except OSError as error:
        if error.errno in FULL:
            raise full(folder) from None
        raise FusionError(
            f"{what}: nothing can be written to {there}",
            expected=f"a folder that holds {folder}, or can",
            found=str(error.strerror),
            do=f"{instead}, or let this one be written to",
        ) from None


def _refused(error: OSError, path: Path | str) -> FusionError:
    return FusionError(
        f"{path} cannot be written",
        found=str(error.strerror),
        do="let it be written to, or set results to another folder; what is finished is kept",
    )


def _existing(path: Path | str) -> Path:
    path = Path(path).absolute()
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


def _mount(path: Path | str) -> Path:
    path = _existing(path)
    while not path.is_mount():
        path = path.parent
    return path


def _fullest() -> Path:
    """Where the least is free, of what this program was told of and of temporary files."""
    words = [word.removeprefix("@") for word in sys.argv[1:] if "/" in word]
    known = {_mount(word) for word in (*words, tempfile.gettempdir())}
    return min(known, key=lambda mount: os.statvfs(mount).f_bavail)
