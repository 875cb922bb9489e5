"""Audits as tables: one row a variant and one row a kernel, as Markdown and for CSV."""

import pandas as pd

from .audit import SYMBOLIC
from .failures import words
from .names import shorten
from .tables import escaped, markdown_table

NOT_HERE = "–"  # what does not exist on this kind of device
EXECUTED_NOTE = (
    "Executed = sites × launched threads × calls, of MUFU, the GPU's unit for such functions. It "
    "takes each site to run once in each launched thread, but for guards by the thread's number. "
    "Sites alone cannot tell a chain that runs for each element of a column from one that runs for "
    "each element of the matrix. Executed instructions are all that are no NOP, counted so."
)
BYTES_NOTE = (
    "Bytes moved at least: each input once, each output once, each intermediate "
    "in memory, between calls or within one, written and read."
)
CPU_NOTE = (
    "On a CPU a function holds its loops: how often an instruction runs cannot be read off it, and "
    "unrolled code is long without being slow."
)
BACKWARD_NOTE = (
    "\\* The kernel branches backwards and may loop: a site in a loop counts once here, and runs "
    "more often."
)


def markdown(audits: list[dict]) -> str:
    """Both tables, what all audits share, and what the numbers mean."""
    failed, audits = [a for a in audits if "failed" in a], compiled_of(audits)
    missing = [
        f"- {a['case']['name']} {a['variant']}: not compiled ({escaped(words(a['failed']))})"
        for a in failed
    ]
    if not audits:
        return "\n".join(
            ["# What the compiled code says", "", "Nothing was compiled.", "", *missing]
        )
    lines = ["# What the compiled code says", "", f"{_shared(audits)}.", ""]
    lines += flags(audits)
    lines += ["## Variants", "", *markdown_table(total_rows(audits)), ""]
    notes = (BYTES_NOTE, CPU_NOTE) if audits[0]["arch"] == "llvm" else (EXECUTED_NOTE, BYTES_NOTE)
    lines += [line for note in notes for line in (note, "")]
    lines += ["## Kernels", "", *markdown_table(kernel_rows(audits)), ""]
    if any(kernel["backward_branches"] for audit in audits for kernel in audit["kernels"]):
        lines += [BACKWARD_NOTE, ""]
    return "\n".join([*lines, *missing])


def compiled_of(audits: list[dict]) -> list[dict]:
    """Those of variants that were compiled."""
    return [audit for audit in audits if "failed" not in audit]


def kernels_frame(audits: list[dict]) -> pd.DataFrame:
    """One row a kernel with its full name. Bytes of stack and local are a thread's."""
    audits = compiled_of(audits)
    functions = _mufu_functions(audits)
    rows = []
    for audit in audits:
        for k in audit["kernels"]:
            row = {**_point(audit), "variant": audit["variant"]}
            row |= {key: k[key] for key in ("function", "kernel", "calls", "rule", "schedule")}
            row |= {key: _plain_extents(k[key]) for key in ("grid", "block")}
            row |= {
                key: k[key]
                for key in (
                    "threads",
                    "registers",
                    "stack_bytes",
                    "shared_bytes",
                    "dynamic_shared_bytes",
                    "local_bytes",
                )
            }
            row |= {name: (k["spills"] or {}).get(name) for name in ("LDL", "STL")}
            row |= {"instructions": _instructions(k)}
            row |= {"backward_branches": k["backward_branches"]}
            for what in ("sites", "executed"):
                row |= _by_function(k[f"mufu_{what}"], functions, what)
            rows.append(row)
    return pd.DataFrame(rows, dtype=object)


def totals_frame(audits: list[dict]) -> pd.DataFrame:
    """One row a variant: calls, kernels, launches, executed operations, bytes by kind."""
    audits = compiled_of(audits)
    functions = _mufu_functions(audits)
    rows = []
    for audit in audits:
        totals = audit["totals"]
        row = {**_point(audit), "variant": audit["variant"]}
        row |= {key: totals[key] for key in ("calls", "kernels", "launches")}
        row |= _by_function(totals["mufu_executed"], functions, "executed")
        row["instructions_executed"] = totals.get("instructions_executed")
        row |= {f"bytes_{kind}": n for kind, n in totals["bytes_moved"].items()}
        rows.append(row)
    return pd.DataFrame(rows, dtype=object)


def total_rows(audits: list[dict]) -> list[dict]:
    rows = []
    for audit in audits:
        totals = audit["totals"]
        row = {**_varying_point(audit, audits), "variant": audit["variant"]}
        row |= {key: _number(totals[key]) for key in ("calls", "kernels")}
        row["executed operations"] = _functions(totals["mufu_executed"])
        moved = totals["bytes_moved"]
        row["intermediates, bytes"] = _number(moved["intermediates"], unknown=SYMBOLIC)
        row["bytes moved at least"] = _number(moved["at_least"], unknown=SYMBOLIC)
        if all("instructions_executed" in each["totals"] for each in audits):  # older ones do not
            row["executed instructions"] = _number(totals["instructions_executed"])
        rows.append(row)
    return rows


def kernel_rows(audits: list[dict]) -> list[dict]:
    rows = []
    for audit in audits:
        for k in audit["kernels"]:
            mark = " \\*" if k["backward_branches"] else ""
            row = {**_varying_point(audit, audits), "variant": audit["variant"]}
            row["kernel"] = f"`{shorten(k['kernel'] or k['function'])}`{mark}"
            row["calls"] = _number(k["calls"])
            row["grid × block"] = _launch(k)
            row["rule"] = k["rule"]
            row["registers"] = _number(k["registers"])
            row |= {
                f"{name}, bytes": _number(k[f"{name}_bytes"])
                for name in ("stack", "shared", "local")
            }
            spills = k["spills"]
            row["LDL/STL"] = f"{spills['LDL']}/{spills['STL']}" if spills else NOT_HERE
            row["instructions"] = _number(_instructions(k))
            row["MUFU sites"] = _functions(k["mufu_sites"])
            row["executed"] = _functions(k["mufu_executed"])
            rows.append(row)
    return rows


def _point(audit: dict) -> dict:
    case = audit["case"]
    return {
        "workload": case["workload"],
        **case["sizes"],
        **({"dtype": case["dtype"]} if case["dtype"] else {}),
        "arch": audit["arch"],
    }


def _varying(audits: list[dict]) -> list[str]:
    """The parts of a point in which the audits differ; the first size where none does."""
    points = [_point(audit) for audit in audits]
    keys = dict.fromkeys(key for point in points for key in point)
    found = [key for key in keys if len({point.get(key) for point in points}) > 1]
    return found or [next(iter(audits[0]["case"]["sizes"]), "workload")]


def _varying_point(audit: dict, audits: list[dict]) -> dict:
    return {key: _point(audit).get(key, NOT_HERE) for key in _varying(audits)}


def _shared(audits: list[dict]) -> str:
    varying = _varying(audits)
    point = _point(audits[0])
    workload = point.pop("workload")
    sizes = [v if k in ("dtype", "arch") else f"{k} {v}" for k, v in point.items()]
    words = [word for key, word in zip(point, sizes, strict=True) if key not in varying]
    compiler, tvm = audits[0]["compiler"], audits[0]["environment"]["tvm"]
    words += [f"TVM {tvm}", f"{compiler['name']} {compiler['version']}"]
    return ", ".join(([] if "workload" in varying else [workload]) + words)


def _instructions(kernel: dict) -> int:
    """Instructions without the padding."""
    return sum(count for opcode, count in kernel["opcodes"].items() if opcode != "NOP")


def flags(audits: list[dict]) -> list[str]:
    """The compiler's options that decide how code looks, on a line; none for LLVM."""
    options = [o for o in audits[0]["compiler"]["options"] if not o.startswith(("-I", "-D", "-U"))]
    return [f"Compiled with {', '.join(f'`{o}`' for o in options)}.", ""] if options else []


def _mufu_functions(audits: list[dict]) -> list[str]:
    return sorted({f for a in audits for k in a["kernels"] for f in k["mufu_sites"] or {}})


def _by_function(counts: dict | None, functions: list[str], what: str) -> dict:
    return {f"{f} {what}": None if counts is None else counts.get(f, 0) for f in functions}


def _functions(counts: dict | None) -> str:
    if counts is None:
        return NOT_HERE
    return ", ".join(f"{name} {_number(n)}" for name, n in counts.items()) or "0"


def _number(value: int | str | None, unknown: str = NOT_HERE) -> str:
    if value is None:
        return unknown
    return f"{value:,}" if isinstance(value, int) else f"{value}"


def _launch(kernel: dict) -> str:
    if kernel["grid"] is None:
        return NOT_HERE
    return " × ".join(_extents(kernel[part]) for part in ("grid", "block"))


def _extents(values: list) -> str:
    """One number, or all up to the last that is not 1 in brackets."""
    kept = [f"`{v}`" if isinstance(v, str) else _number(v) for v in _trimmed(values)]
    return kept[0] if len(kept) == 1 else f"({', '.join(kept)})"


def _plain_extents(values: list | None) -> str | None:
    return None if values is None else " ".join(str(v).replace(" ", "") for v in _trimmed(values))


def _trimmed(values: list) -> list:
    last = max((i for i, value in enumerate(values) if value != 1), default=0)
    return values[: last + 1]
