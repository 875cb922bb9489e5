"""What the compiled code of a variant says about itself: static evidence, with no GPU and no TVM.

Executed operations are sites x launched threads x calls. Sites alone cannot tell a chain that runs
once an element of a column from one that runs once an element of the whole matrix. The product
takes each site to run once in each thread that reaches it: all that are launched, but for guards by
the thread's number in its block (see guards.py). A loop runs it more often, another guard less.
"""

import math
from collections import Counter
from pathlib import Path

from . import assembly, guards, sass
from .artifacts import Artifact
from .errors import FusionError

SYMBOLIC = "symbolic"  # stands for a number that only a run knows
ON_A_GPU = (
    "kernel",
    "grid",
    "block",
    "threads",
    *sass.RESOURCES,
    "dynamic_shared_bytes",
    "spills",
    "mufu_sites",
    "mufu_executed",
    "instructions_executed",
    "backward_branches",
)


def listing_of(artifact: Artifact) -> str:
    """The machine code as text: SASS, or LLVM's assembly."""
    code = artifact.record["code"]
    if code["format"] == "cubin":
        return sass.listing(artifact.folder / code["file"])
    return _assembly(artifact)


def kernels_of(artifact: Artifact) -> list[dict]:
    """One row a launch, in the order of the graph's calls; on LLVM one a function.

    What does not exist on a CPU is None there.
    """
    if artifact.record["code"]["format"] == "cubin":
        return _cuda_rows(artifact)
    return _llvm_rows(artifact)


def totals_of(artifact: Artifact, kernels: list[dict]) -> dict:
    """A variant in one row: calls, kernels, launches, executed operations, bytes moved at least."""
    cuda = artifact.record["code"]["format"] == "cubin"
    return {
        "calls": artifact.record["calls"]["found"],
        "kernels": len({k["kernel"] for k in kernels}) if cuda else None,
        "launches": sum(k["calls"] for k in kernels) if cuda else None,
        "mufu_executed": _added([k["mufu_executed"] for k in kernels]) if cuda else None,
        "instructions_executed": _sum([k["instructions_executed"] for k in kernels])
        if cuda
        else None,
        "bytes_moved": artifact.record["bytes_moved"],
    }


def launched_threads(launch: dict) -> int | str:
    """Threads of one launch, idle ones included; 'symbolic' if its grid or block is."""
    extents = [*launch["grid"], *launch["block"]]
    return math.prod(extents) if all(isinstance(e, int) for e in extents) else SYMBOLIC


def executed(code: sass.Instructions, launch: dict, calls: int) -> dict[str, int | str]:
    """MUFU operations by function: sites x threads that reach them x calls, or 'symbolic'."""
    if launched_threads(launch) == SYMBOLIC:
        return dict.fromkeys(sass.mufu(code.opcodes), SYMBOLIC)
    found: Counter[str] = Counter()
    for behind, opcodes in code.guarded.items():
        for name, number in sass.mufu(opcodes).items():
            found[name] += number * _reaching(launch, behind) * calls
    return dict(sorted(found.items()))


def instructions_executed(code: sass.Instructions, launch: dict, calls: int) -> int | str:
    """All instructions but NOP, of all threads: sites x threads that reach them x calls."""
    if launched_threads(launch) == SYMBOLIC:
        return SYMBOLIC
    return calls * sum(
        (opcodes.total() - opcodes["NOP"]) * _reaching(launch, behind)
        for behind, opcodes in code.guarded.items()
    )


def _reaching(launch: dict, behind: tuple[guards.Guard, ...]) -> int:
    """Threads of a launch that the guards admit."""
    across = launch["block"][0]
    return launched_threads(launch) // across * guards.active(behind, across)


def _cuda_rows(artifact: Artifact) -> list[dict]:
    cubin = artifact.folder / artifact.record["code"]["file"]
    code, resources = sass.instructions(cubin), sass.resources(cubin)
    rows = []
    for function in artifact.record["functions"]:
        for launch in function["kernels"]:
            name = launch["kernel"]
            _require_kernel(name, cubin, code, resources)
            opcodes = code[name].opcodes
            threads, sites = launched_threads(launch), sass.mufu(opcodes)
            rows.append(
                {
                    **_of_function(function),
                    **launch,
                    "threads": threads,
                    **resources[name],
                    "spills": {o: sass.starting_with(opcodes, o) for o in ("LDL", "STL")},
                    "mufu_sites": sites,
                    "mufu_executed": executed(code[name], launch, function["calls"]),
                    "instructions_executed": instructions_executed(
                        code[name], launch, function["calls"]
                    ),
                    "backward_branches": len(code[name].backward),
                    "opcodes": _sorted(opcodes),
                }
            )
    return rows


def _llvm_rows(artifact: Artifact) -> list[dict]:
    symbols = assembly.opcodes(_assembly(artifact))
    return [
        {
            **_of_function(function),
            **dict.fromkeys(ON_A_GPU),
            "opcodes": _sorted(assembly.of_function(function["name"], symbols)),
        }
        for function in artifact.record["functions"]
    ]


def _of_function(function: dict) -> dict:
    keys = ("calls", "rule", "schedule")
    return {"function": function["name"], **{key: function[key] for key in keys}}


def _assembly(artifact: Artifact) -> str:
    path: Path = artifact.folder / artifact.record["code"]["assembly_file"]
    if not path.exists():
        raise FusionError(
            f"no assembly at {path}", do=f"delete {artifact.folder} and compile again"
        )
    return path.read_text()


def _require_kernel(name: str, cubin: Path, *read: dict) -> None:
    if not all(name in found for found in read):
        raise FusionError(
            f"{cubin} lacks a kernel that the graph launches",
            expected=name,
            found=", ".join(read[0]) or "no kernel",
            do=f"delete {cubin.parent} and compile again",
        )


def _added(rows: list[dict[str, int | str]]) -> dict[str, int | str]:
    """The sums by function; one symbolic number makes a sum symbolic."""
    names = sorted({name for row in rows for name in row})
    columns = {name: [row[name] for row in rows if name in row] for name in names}
    return {n: SYMBOLIC if SYMBOLIC in found else sum(found) for n, found in columns.items()}


def _sum(numbers: list[int | str]) -> int | str:
    return SYMBOLIC if SYMBOLIC in numbers else sum(numbers)


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
