"""A configuration is plain data, of a size that a person writes: what its schema cannot say.

YAML also reads what is not (objects that hold themselves, numbers that are none, text that no file
system takes); here each is an error that names the key.
"""

import math
from pathlib import PurePosixPath

from .errors import FusionError

DEEPEST = 8  # levels of lists and objects
MOST_VALUES = 20_000
LONGEST = 4000  # characters of a text
LONGEST_KEY = 200
LONGEST_NAME = 255  # bytes of one part of a path, on every file system in use
MEANT_BY_SNAKEMAKE = "{}<>"  # wildcards and path variables
MEANT_BY_PROGRAMS = ("-", "@")  # at the start: an option, a file of words


def require_plain(config: dict) -> None:
    """Raise a FusionError that names the first key whose value is not plain data."""
    count = 0

    def visit(value, where: str, level: int) -> None:
        nonlocal count
        count += 1
        if level > DEEPEST:
            raise _wrong(where, f"at most {DEEPEST} levels of lists and objects", "more")
        if count > MOST_VALUES:
            raise _wrong(where, f"at most {MOST_VALUES} values in all", "more")
        if isinstance(value, dict):
            for key, inner in value.items():
                if not isinstance(key, str) or not key.isprintable():
                    raise _wrong(_join(where, key), "a key that is text (in quotes)", _words(key))
                if len(key) > LONGEST_KEY:
                    found = f"one of {len(key)}"
                    raise _wrong(_join(where, key), f"a key of {LONGEST_KEY} characters", found)
                visit(inner, _join(where, key), level + 1)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                visit(inner, _join(where, index), level + 1)
        else:
            _require_scalar(value, where)

    visit(config, "", 0)


def _require_scalar(value, where: str) -> None:
    if isinstance(value, str):
        if not value.isprintable():  # control characters, line ends, halves of surrogate pairs
            raise _wrong(where, "text on one line, of printable characters", ascii(value[:80]))
        if len(value) > LONGEST:
            found = f"{value[:40]!r}… of {len(value)}"
            raise _wrong(where, f"at most {LONGEST} characters", found)
    elif isinstance(value, float) and not math.isfinite(value):
        raise _wrong(where, "a finite number", repr(value))
    elif isinstance(value, int) and abs(value) >= 2**63:
        raise _wrong(where, "a number of 64 bits", _words(value))
    elif not isinstance(value, str | int | float | type(None)):
        found = f"{_words(value)} (a {type(value).__name__}; text needs quotes)"
        raise _wrong(where, "text, a number, a list or an object", found)


def require_paths(config: dict) -> None:
    """Raise a FusionError that names the first key whose path Snakemake or a program would misread.

    Spaces, quotes, dollars and any letters are all right.
    """
    named = {"results": config["results"], "rates": config["rates"]}
    named["gpu.lock_folder"] = config["gpu"]["lock_folder"]
    for section, start in ((config, ""), (config["llvm"], "llvm.")):
        named |= _workloads(section.get("workload", []), f"{start}workload")
        cases = section.get("cases", {})
        for product in cases if isinstance(cases, list) else [cases]:
            named |= _workloads(product.get("workload", []), f"{start}cases.workload")
    for name, given in config["toolchains"].items():
        words = {"": given} if isinstance(given, str) else given
        for key in ("", "python", "requirements"):
            if key in words:
                named[f"toolchains.{name}.{key}".rstrip(".")] = words[key]
    named |= {f"compare.{i}": folder for i, folder in enumerate(config["compare"])}
    for key, path in named.items():
        _require_path(key, path)


def _workloads(given: str | list[str], key: str) -> dict[str, str]:
    return (
        {key: given} if isinstance(given, str) else {f"{key}.{i}": w for i, w in enumerate(given)}
    )


def _require_path(key: str, path: str) -> None:
    for sign in MEANT_BY_SNAKEMAKE:
        if sign in path:
            raise _wrong(key, f"a path without {' '.join(MEANT_BY_SNAKEMAKE)}", repr(path))
    if path.startswith(MEANT_BY_PROGRAMS):
        raise _wrong(key, "a path that starts with neither - nor @", repr(path), "put ./ before it")
    for part in PurePosixPath(path).parts:
        if len(part.encode()) > LONGEST_NAME:
            found = f"{part[:40]!r}… of {len(part.encode())}"
            raise _wrong(key, f"at most {LONGEST_NAME} bytes between two slashes", found)


def _words(value) -> str:
    """In at most 80 characters; Python puts no whole number of over 4300 digits into words."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a number of {value.bit_length()} bits"
    return repr(value)[:80]


def _join(where: str, key) -> str:
    word = repr(key)[1:-1] if isinstance(key, str) else _words(key)
    return f"{where}.{word[:80]}" if where else word[:80]


def _wrong(where: str, expected: str, found: str, do: str = "") -> FusionError:
    return FusionError(
        f"the value of {where!r} in the configuration is not understood",
        expected=expected,
        found=found,
        do=do,
    )
