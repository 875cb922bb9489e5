"""A workload from a file: a user's own, or one of those that are built in.

The file is plain Python and imports nothing of the pipeline:

    "What it is, on one line."
    inputs = {"x": ("rows", "cols"), "bias": ("cols",)}
    defaults = {"rows": 1024, "cols": 1024, "dtype": "float16"}

    def name(xp, x, bias, **sizes): ...

`inputs` names the function's arguments in order, each with its shape: numbers and names of sizes.
Where that is not enough, an input is {"shape": ..., "dtype": ..., "low": ..., "high": ...}, and
`inputs` may be a function of the sizes that returns such a dictionary. Optional: `small` (what
stands in place of `defaults` on a CPU), `expected_calls` ({variant: number}, or a function of the
variant and the sizes) and `reused` (a function of the sizes).
"""

import hashlib
import inspect
import re
import types
from functools import cache
from pathlib import Path

from ..errors import FusionError
from ._base import DTYPES, FLOATS, Input, Workload

SEE = 'see "Your own workload" in config/README.md'


@cache
def read_file(path: str) -> Workload:
    """The workload that a file defines, named like the file. Raises FusionError."""
    where = Path(path)
    module = types.ModuleType(where.stem)
    module.__file__ = path
    try:
        exec(compile(where.read_text(), path, "exec"), module.__dict__)
    except OSError as error:
        raise FusionError(
            f"no workload at {path}",
            expected="a file; a relative path starts at the folder that Snakemake runs in",
            found=error.strerror or str(error),
        ) from None
    except (Exception, SystemExit) as error:  # whatever a user's file raises
        line = getattr(error, "lineno", None) or _line(error, path)
        raise FusionError(
            f"{path} cannot be read as a workload",
            found=f"line {line}: {type(error).__name__}: {error}",
            do=f"mend it; {SEE}",
        ) from None
    return from_module(where.stem, module, path)


def sha256_of(path: str) -> str:
    """Of the file's bytes; what a record says of a workload that is not built in."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def from_module(name: str, module: types.ModuleType, where: str) -> Workload:
    """The workload that a module of this form defines. where: for errors."""
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise _wrong(where, "its name", "a Python name, such as my_softmax.py", name)
    defaults = getattr(module, "defaults", None)
    if not isinstance(defaults, dict) or "dtype" not in defaults:
        found = "none" if defaults is None else repr(defaults)
        raise _wrong(where, "defaults", '{"rows": 1024, ..., "dtype": "float16"}', found)
    declared = getattr(module, "inputs", None)
    if not callable(declared) and not (isinstance(declared, dict) and declared):
        found = "none" if declared is None else repr(declared)
        raise _wrong(where, "inputs", '{"x": ("rows", "cols"), ...}', found)
    _check_sizes(where, "defaults", defaults)
    small = getattr(module, "small", {})
    _check_sizes(where, "small", small)
    for key in small:
        if key not in defaults:
            raise _wrong(where, f"small[{key!r}]", f"one of {', '.join(defaults)}", repr(key))
    reused = getattr(module, "reused", None)
    made = Workload(
        name=name,
        summary=(module.__doc__ or name).strip().splitlines()[0].rstrip("."),
        function=_function(name, module, where),
        inputs=lambda sizes, dtype: _inputs(where, declared, sizes, dtype),
        defaults=defaults,
        small=small,
        expected_calls=_expected(getattr(module, "expected_calls", None)),
        reused=(lambda sizes: reused(**sizes)) if reused else None,
    )
    first = {k: v[0] if isinstance(v, list) else v for k, v in defaults.items()}
    sizes = {k: v for k, v in first.items() if k != "dtype"}
    _check_arguments(where, made, list(made.inputs(sizes, first["dtype"])))
    return made


def _check_sizes(where: str, what: str, values: dict) -> None:
    for key, value in values.items():
        if not isinstance(key, str) or not key.isidentifier():
            raise _wrong(where, f"{what}[{key!r}]", "a Python name", repr(key))
        for one in value if isinstance(value, list) and value else [value]:
            if key == "dtype":
                if one not in FLOATS:
                    raise _wrong(where, f"{what}['dtype']", ", ".join(FLOATS), repr(one))
            elif not isinstance(one, int) or isinstance(one, bool) or one < 1:
                words = "a whole number, 1 or more, or a list of them"
                raise _wrong(where, f"{what}[{key!r}]", words, repr(value))


def _function(name: str, module: types.ModuleType, where: str):
    """The function of the file's own name, or the only one whose first argument is xp."""
    own = [
        f
        for n, f in vars(module).items()
        if inspect.isfunction(f)
        and not n.startswith("_")
        and next(iter(inspect.signature(f).parameters), "") == "xp"
    ]
    named = [f for f in own if f.__name__ == name]
    if len(named or own) == 1:
        return (named or own)[0]
    found = ", ".join(f.__name__ for f in own) or "none"
    raise _wrong(
        where, "its function", f"one function (xp, ...), or one of them named {name}", found
    )


def _check_arguments(where: str, workload: Workload, names: list[str]) -> None:
    """The function must take the inputs by place and the sizes by name."""
    given = dict.fromkeys(workload.parameters, 1)
    try:
        bound = inspect.signature(workload.function).bind(None, *names, **given)
    except TypeError as error:
        raise _wrong(
            where,
            f"the arguments of {workload.function.__name__}",
            f"(xp, {', '.join(names)}, and the sizes {', '.join(given)} or **sizes)",
            str(error),
        ) from None
    taken = [n for n, v in bound.arguments.items() if isinstance(v, str) and v in names]
    if taken and taken != names[: len(taken)]:
        words = f"in the order of inputs: {', '.join(names)}"
        raise _wrong(where, "the function's arguments", words, ", ".join(taken))


def _inputs(where: str, declared, sizes: dict, dtype: str) -> dict[str, Input]:
    if not callable(declared):
        return {n: _input(where, n, given, sizes, dtype) for n, given in declared.items()}
    try:
        found = declared(**sizes)
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        raise _wrong(where, "inputs(...)", f"a function of {', '.join(sizes)}", words) from None
    return {name: _input(where, name, given, sizes, dtype) for name, given in found.items()}


def _input(where: str, name: str, given, sizes: dict, dtype: str) -> Input:
    known = given if isinstance(given, dict) else {"shape": given}
    unknown = set(known) - {"shape", "dtype", "low", "high"}
    if unknown or not isinstance(known.get("shape"), tuple | list):
        words = '("rows", "cols"), or {"shape": ..., "dtype": ..., "low": ..., "high": ...}'
        raise _wrong(where, f"the input {name!r}", words, repr(given))
    shape = []
    for extent in known["shape"]:
        value = sizes.get(extent) if isinstance(extent, str) else extent
        if not isinstance(value, int) or value < 1:
            words = f"numbers and the sizes {', '.join(sizes)}"
            raise _wrong(where, f"the shape of {name!r}", words, repr(extent))
        shape.append(value)
    own = known.get("dtype", dtype)
    if own not in DTYPES:
        raise _wrong(where, f"the dtype of {name!r}", ", ".join(DTYPES), repr(own))
    return Input(tuple(shape), own, known.get("low"), known.get("high"))


def _expected(stated):
    if stated is None:
        return lambda variant, sizes: None
    if callable(stated):
        return lambda variant, sizes: stated(variant, **sizes)
    return lambda variant, sizes: stated.get(variant)


def _wrong(where: str, what: str, expected: str, found: str) -> FusionError:
    return FusionError(
        f"{where}: {what} of the workload is not as it must be",
        expected=expected,
        found=found,
        do=SEE,
    )


def _line(error: Exception, path: str) -> int | str:
    """The last line of the file that took part in an error."""
    trace, line = error.__traceback__, "?"
    while trace:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == path else line
        trace = trace.tb_next
    return line
