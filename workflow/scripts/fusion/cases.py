"""A case: a workload with its sizes and dtype, its name, and the command-line words for it."""

import argparse
import itertools
import math
from dataclasses import dataclass

from .errors import FusionError, choose
from .workloads import DTYPES, WORKLOADS, Workload


@dataclass(frozen=True)
class Case:
    """One point of the experiment. `sizes` holds the workload's parameters in its own order."""

    workload: str
    sizes: tuple[tuple[str, int], ...]
    dtype: str

    @property
    def name(self) -> str:
        """Folder name, such as exp_chain_add-depth16-rows4096-cols4096-float16."""
        return "-".join([self.workload, *(f"{k}{v}" for k, v in self.sizes), self.dtype])

    @property
    def definition(self) -> Workload:
        return WORKLOADS[self.workload]

    @property
    def input_shapes(self) -> dict[str, tuple[int, ...]]:
        return self.definition.input_shapes(dict(self.sizes))

    @property
    def output_shape(self) -> tuple[int, ...]:
        return self.definition.output_shape(dict(self.sizes))

    def expected_calls(self, variant: str) -> int | None:
        return self.definition.expected_calls(variant, dict(self.sizes))

    def input_bytes(self) -> int:
        return DTYPES[self.dtype] * sum(math.prod(s) for s in self.input_shapes.values())

    def output_bytes(self) -> int:
        return DTYPES[self.dtype] * math.prod(self.output_shape)

    def as_record(self) -> dict:
        return {
            "name": self.name,
            "workload": self.workload,
            "sizes": dict(self.sizes),
            "dtype": self.dtype,
        }

    def arguments(self) -> list[str]:
        """The words that give this case to a program (see add_arguments)."""
        sizes = [word for key, value in self.sizes for word in ("--size", f"{key}={value}")]
        return ["--workload", self.workload, *sizes, "--dtype", self.dtype]


def make_case(workload: str, sizes: dict[str, int], dtype: str) -> Case:
    """Check names and values; a FusionError says which key is wrong."""
    choose("workload", workload, WORKLOADS)
    choose("dtype", dtype, DTYPES)
    wanted = WORKLOADS[workload].parameters
    for key in sizes:
        choose("size", key, wanted, of=f" of workload {workload!r}")
    for key in wanted:
        if key not in sizes:
            raise FusionError(
                f"workload {workload!r} needs the size {key!r}",
                expected=f"the sizes {', '.join(wanted)}",
                found=", ".join(sizes) or "none",
            )
        value = sizes[key]
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise FusionError(
                f"{key} of workload {workload!r} is no size",
                expected="a whole number, 1 or more",
                found=repr(value),
            )
    return Case(workload, tuple((key, sizes[key]) for key in wanted), dtype)


def expand(workload: str | list[str], cases: dict | list[dict]) -> list[Case]:
    """The configuration's cases: of each workload, every combination of each object's lists.

    cases: one object, or a list of them; its values are one value or a list. A case that comes
    twice is one.
    """
    workloads = workload if isinstance(workload, list) else [workload]
    products = cases if isinstance(cases, list) else [cases]
    found = [case for w in workloads for product in products for case in _product(w, product)]
    return list(dict.fromkeys(found))


def _product(workload: str, values: dict) -> list[Case]:
    lists = {k: v if isinstance(v, list) else [v] for k, v in values.items()}
    dtypes = lists.pop("dtype", [])
    names = list(lists)
    return [
        make_case(workload, dict(zip(names, point, strict=True)), dtype)
        for dtype in dtypes
        for point in itertools.product(*lists.values())
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--workload, --size KEY=VALUE and --dtype, for case_from."""
    parser.add_argument("--workload", required=True, help="name of a workload")
    parser.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="one size of the workload, such as depth=16; once for each",
    )
    parser.add_argument("--dtype", required=True, help=f"one of {', '.join(DTYPES)}")


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
