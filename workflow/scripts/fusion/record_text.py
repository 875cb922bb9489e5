"""The text in a record from elsewhere: names that tables and figures can show as they are.

No program of the pipeline writes markup into a record, so whoever finds some has another's file.
"""

import re

MARKUP = re.compile(r"[\x00-\x1f\x7f<>|`$\\]")
KERNELS = re.compile(r"[\x00-\x1f\x7f|`$\\]")  # the names of C++ templates have angle brackets
# What a compiler or the system says, and paths: shown in escaped form, or not at all.
FREE = {"message", "target", "path", "interpreter", "pip_freeze", "why", "not_run"}


def wrong_in(record: dict, kind: str) -> str | None:
    """What a record of this kind may not hold, in words; None where all is well."""
    unwanted = KERNELS if kind == "profile" else MARKUP
    return None if kind == "toolchain" else _markup(record, unwanted, "")


def _markup(value, unwanted: re.Pattern, where: str) -> str | None:
    if isinstance(value, str):
        return f"{where} {value[:80]!r}" if unwanted.search(value) else None
    pairs = value.items() if isinstance(value, dict) else ()
    pairs = ((where, inner) for inner in value) if isinstance(value, list) else pairs
    for key, inner in pairs:
        if unwanted.search(key):
            return f"the key {key[:80]!r}"
        found = None if key in FREE else _markup(inner, unwanted, key)
        if found:
            return found
    return None
