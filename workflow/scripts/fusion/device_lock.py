"""One process at a time on a device of this machine, whoever started it."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import locks
from .errors import FusionError


@contextlib.contextmanager
def hold(devices: Sequence[str], folder: Path, purpose: str) -> Iterator[locks.Held]:
    """Hold the first free one of these devices (GPUs' UUIDs, or 'cpu'), or wait until one is.

    folder: where every user of this machine finds the locks; made if it is not there.
    purpose: what the note says this process does.
    """
    folder = Path(folder)
    with contextlib.ExitStack() as stack:
        try:
            if not folder.is_dir():
                folder.mkdir(parents=True, exist_ok=True)
                folder.chmod(0o777)
            held = stack.enter_context(locks.hold(devices, folder, purpose))
        except OSError as error:
            raise FusionError(
                f"the lock of {' or '.join(devices)} cannot be taken in {folder}",
                expected="a folder that every user of this machine can write to",
                found=str(error),
                do="set gpu.lock_folder to such a folder, the same for all users",
            ) from None
        yield held
