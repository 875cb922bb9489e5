"""One run at a time on an experiment's results, also from another checkout.

Snakemake's own lock refuses a second run of the same files in one checkout; this one, taken before
it, waits for the first and says so, and it ends with its process, however that ends.
"""

import atexit
import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from . import disks

LOCKS = ".running"
# Snakemake's options that only look at files, and its own word for going without locks.
WITHOUT = {
    "--nolock",
    "--lint",
    "--report",
    "--summary",
    "--detailed-summary",
    "--list",
    "--list-rules",
    "--list-target-rules",
    "--dag",
    "--rulegraph",
    "--filegraph",
    "-l",
    "-S",
    "-D",
}


def is_wanted(words: Sequence[str]) -> bool:
    """Whether these words of Snakemake's command line may change results."""
    return not any(word.partition("=")[0] in WITHOUT for word in words)


def hold_until_exit(results: Path, folders: Sequence[str], purpose: str) -> None:
    """Hold these folders of the results until this process ends; wait while another run does.

    The locks lie in a folder of their own, so that a refused run leaves nothing behind. Where
    nothing can be written none is taken: whoever wants to change something there says so. A file
    system without locks gives a warning.
    """
    from . import locks  # a tenth of a second, which a dry run need not spend

    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    for folder in folders:
        try:
            (results / LOCKS).mkdir(parents=True, exist_ok=True)
            stack.enter_context(locks.hold([folder], results / LOCKS, purpose, _say(results)))
        except OSError as error:
            if error.errno not in (*disks.FULL, *disks.REFUSED):
                print(
                    f"warning: {results} cannot be locked ({error}); start no second run of it",
                    file=sys.stderr,
                    flush=True,
                )


def _say(results: Path) -> Callable[[str], None]:
    """Standard error, which leaves standard output to Snakemake's own reports."""

    def say(line: str) -> None:
        line = line.replace("waiting for ", f"waiting for {results}/", 1)
        print(f"fuse-or-not: {line}", file=sys.stderr, flush=True)

    return say
