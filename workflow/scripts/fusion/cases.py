"""A case: a workload with its sizes and dtype, its name, and the command-line words for it."""

import argparse
import itertools
import math
import re
from dataclasses import dataclass

from .errors import FusionError, choose
from .workloads import FLOATS, Input, Workload, file_of, find, sha256_of

MOST_CASES = 10_000
SIZE_NAME = re.compile(r"[^\W\d][\w.-]*")


@dataclass(frozen=True)
class Case:
    """One point of the experiment. workload: a built-in's name, or the path of a file. `sizes`
    holds its parameters in its own order. dtype: None for a model, which has its own.
    """

    workload: str
    sizes: tuple[tuple[str, int], ...]
    dtype: str | None

    @property
    def name(self) -> str:
        """Folder name, such as exp_chain_add-depth16-rows4096-cols4096-float16."""
        sizes = [f"{k}{v}" for k, v in self.sizes]
        return "-".join([self.definition.name, *sizes, *filter(None, [self.dtype])])

    @property
    def definition(self) -> Workload:
        return find(self.workload)

    @property
    def inputs(self) -> dict[str, Input]:
        """Of a function's case; a model's are known once it is compiled (artifacts.Signature)."""
        return self.definition.inputs(dict(self.sizes), self.dtype)

    def call(self, xp, *arrays):
        """The workload's function over an array namespace."""
        return self.definition.function(xp, *arrays, **dict(self.sizes))

    def expected_calls(self, variant: str) -> int | None:
        return self.definition.expected_calls(variant, dict(self.sizes))

    def as_record(self) -> dict:
        record = {
            "name": self.name,
            "workload": self.definition.name,
            "sizes": dict(self.sizes),
            "dtype": self.dtype,
        }
        path = file_of(self.workload)
        if path:
            record["file"] = {"path": path, "sha256": sha256_of(path)}
        return record

    def arguments(self) -> list[str]:
        """The words that give this case to a program (see add_arguments)."""
        sizes = [word for key, value in self.sizes for word in ("--size", f"{key}={value}")]
        return ["--workload", self.workload, *sizes, *(["--dtype", self.dtype] * bool(self.dtype))]


def make_case(workload: str, sizes: dict[str, int], dtype: str | None) -> Case:
    """Check names and values; what is left out is the workload's first default. A FusionError
    says which key is wrong.
    """
    definition = find(workload)
    if definition.kind != "function":
        return _model_case(workload, definition, sizes, dtype)
    defaults = {k: v[0] if isinstance(v, list) else v for k, v in definition.defaults.items()}
    dtype = dtype or defaults["dtype"]
    choose("dtype", dtype, FLOATS)
    for key in sizes:
        choose("size", key, definition.parameters, of=f" of workload {definition.name!r}")
        _require_size(definition.name, key, sizes[key])
    given = {**defaults, **sizes}
    return Case(workload, tuple((key, given[key]) for key in definition.parameters), dtype)


def from_record(record: dict) -> Case:
    """The case of a record; a FusionError if its workload's file is another than it was."""
    file = record.get("file")
    if file:
        found = sha256_of(file["path"])
        if found != file["sha256"]:
            raise FusionError(
                f"{file['path']} has changed since {record['name']} was compiled",
                expected=f"SHA-256 {file['sha256']}",
                found=found,
                do="compile again",
            )
    return make_case(file["path"] if file else record["workload"], record["sizes"], record["dtype"])


def _model_case(workload: str, definition: Workload, sizes: dict, dtype: str | None) -> Case:
    if dtype:
        raise FusionError(
            f"{definition.name} has its own dtypes", found=repr(dtype), do="take dtype out of cases"
        )
    if sizes and definition.kind != "onnx":
        raise FusionError(
            f"{definition.name} has its own shapes",
            expected="no sizes; only an ONNX model may have dimensions that are left open",
            found=", ".join(sizes),
            do="take the sizes out of cases",
        )
    for key, value in sizes.items():
        if not SIZE_NAME.fullmatch(key):
            raise FusionError(
                f"{key!r} in cases is no name of a dimension",
                expected="letters, digits, dots, dashes and underscores",
                do="rename the dimension in the model",
            )
        _require_size(definition.name, key, value)
    return Case(workload, tuple(sizes.items()), None)


def _require_size(workload: str, key: str, value) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise FusionError(
            f"{key} of workload {workload!r} is no size",
            expected="a whole number, 1 or more",
            found=repr(value),
        )


def expand(workload: str | list[str], cases: dict | list[dict], *, small: bool) -> list[Case]:
    """The configuration's cases: of each workload, every combination of each object's lists.

    cases: one object, or a list of them; its values are one value or a list. What an object does
    not name is the workload's default, or, where `small`, what it has for a CPU. An object with
    the key `workload` is for those alone. A case that comes twice is one.
    """
    workloads = workload if isinstance(workload, list) else [workload]
    products = cases if isinstance(cases, list) else [cases]
    _require_named(products, workloads)
    found = [
        case
        for w in workloads
        for product in [p for p in products if w in _for(p, workloads)] or [{}]
        for case in _product(w, product, small)
    ]
    _require_distinct(found)
    return list(dict.fromkeys(found))


def _for(product: dict, workloads: list[str]) -> list[str]:
    named = product.get("workload", workloads)
    return named if isinstance(named, list) else [named]


def _require_named(products: list[dict], workloads: list[str]) -> None:
    for product in products:
        for name in _for(product, workloads):
            choose("workload", name, workloads, of=" in cases")


def _require_distinct(cases: list[Case]) -> None:
    """Two files of one name would write to the same folder."""
    by_name: dict[str, Case] = {}
    for case in cases:
        other = by_name.setdefault(case.name, case)
        if other.workload != case.workload:
            raise FusionError(
                f"two workloads are named {case.definition.name}",
                found=f"{other.workload} and {case.workload}",
                do="rename one",
            )


def _product(workload: str, values: dict, small: bool) -> list[Case]:
    definition = find(workload)
    values = {k: v for k, v in values.items() if k != "workload"}
    given = {**definition.defaults, **(definition.small if small else {}), **values}
    lists = {k: v if isinstance(v, list) else [v] for k, v in given.items()}
    dtypes = lists.pop("dtype", [None])
    names = list(lists)
    points = math.prod(map(len, lists.values())) * len(dtypes)
    if points > MOST_CASES:
        raise FusionError(
            f"cases of workload {definition.name!r} are too many",
            expected=f"at most {MOST_CASES}",
            found=str(points),
            do="shorten the lists in cases",
        )
    return [
        make_case(workload, dict(zip(names, point, strict=True)), dtype)
        for dtype in dtypes
        for point in itertools.product(*lists.values())
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--workload, --size KEY=VALUE and --dtype, for case_from."""
    parser.add_argument("--workload", required=True, help="name of a workload, or a file's path")
    parser.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="one size of the workload, such as depth=16; once for each; else its default",
    )
    parser.add_argument("--dtype", help=f"one of {', '.join(FLOATS)}; else the workload's default")


def case_from(args: argparse.Namespace) -> Case:
    """The case that a program's command line names."""
    sizes = {}
    for word in args.size:
        key, _, value = word.partition("=")
        try:
            sizes[key] = int(value)
        except ValueError:
            raise FusionError(
                f"--size {word} is not understood", expected="KEY=VALUE, such as depth=16"
            ) from None
    return make_case(args.workload, sizes, args.dtype)
