"""Serve another program's requests: lines of JSON on standard input, answers on standard output.

What the served framework prints goes to standard error. A server ends with its input, so never
later than the program that asks.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator

from . import supervise
from .errors import FusionError


class Answers:
    """The stream of answers; to be made before anything is imported that may print."""

    def __init__(self):
        supervise.end_with_parent()
        self._stream = os.fdopen(os.dup(1), "w", buffering=1)
        os.dup2(2, 1)

    def say(self, answer: dict) -> None:
        self._stream.write(json.dumps(answer) + "\n")

    def fail(self, error: Exception) -> None:
        """An answer that the program that asked makes a FusionError of."""
        self.say({"error": _words(error)})


def requests(answers: Answers, handlers: dict[str, Callable[[dict], dict]]) -> Iterator[str]:
    """Answer request after request by its key "do"; yields each when it is answered."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] not in handlers:
                raise FusionError(f"unknown request {request['do']!r}")
            answer = handlers[request["do"]](request)
        except Exception as error:
            answers.fail(error)
        else:
            answers.say(answer)
        yield request["do"]


def _words(error: Exception) -> str:
    """One line, in which a FusionError speaks for itself."""
    text = str(error) or type(error).__name__
    if isinstance(error, FusionError):
        found = f" ({error.found})" if error.found else ""
        return " ".join(f"{error.problem}{found}".split())[:1000]
    return f"{type(error).__name__}: " + " ".join(text.split())[-1000:]
