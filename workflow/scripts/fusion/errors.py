"""One kind of error for whatever a user can mend, and the one place that prints it."""

import difflib
import signal
import sys
from collections.abc import Callable, Iterable

from . import without_torch


class FusionError(Exception):
    """Something the user can mend: what is wrong, what was expected, what was found, what to do."""

    def __init__(self, problem: str, *, expected: str = "", found: str = "", do: str = ""):
        self.problem, self.expected, self.found, self.do = problem, expected, found, do
        lines = [problem]
        lines += [f"  expected: {expected}"] if expected else []
        lines += [f"  found:    {found}"] if found else []
        lines += [f"  to do:    {do}"] if do else []
        super().__init__("\n".join(lines))


def suggestion(word: str, known: Iterable[str]) -> str:
    """'did you mean X?' for the closest of the known words, or '' if none is close."""
    known = list(known)
    folded = {k.lower(): k for k in known}
    close = difflib.get_close_matches(str(word).lower(), folded, n=1, cutoff=0.5)
    return f"did you mean {folded[close[0]]!r}?" if close else ""


def choose(what: str, word: str, known: Iterable[str], of: str = "") -> None:
    """Raise a FusionError that lists the known words unless `word` is one of them."""
    known = list(known)
    if word not in known:
        raise FusionError(
            f"unknown {what} {word!r}{of}",
            expected=f"one of {', '.join(known)}",
            do=suggestion(word, known),
        )


def run_program(main: Callable[[], None]) -> None:
    """Run a program's main; what a user can mend becomes one message and exit code 1.

    SIGTERM ends it as Ctrl-C does, so that what it started ends and what it half wrote goes.
    """
    without_torch.install()
    signal.signal(signal.SIGTERM, _terminated)
    try:
        main()
    except KeyboardInterrupt:
        print("error: interrupted (SIGINT)", file=sys.stderr)
        sys.exit(130)
    except Exception as error:
        from . import disks  # which needs this module

        found = disks.explain(error)
        if found is None and isinstance(error, FusionError):
            found = error
        elif found is None and isinstance(error, OSError) and (error.filename or error.errno):
            where = f" ({error.filename})" if error.filename else ""
            found = f"{error.strerror or error}{where}"
        if found is None:
            raise
        sys.exit(f"error: {found}")


def _terminated(number: int, frame: object) -> None:
    print("error: terminated (SIGTERM)", file=sys.stderr)
    sys.exit(128 + number)
