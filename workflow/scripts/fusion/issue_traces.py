"""Where a producer's computation goes: what each schedule's trace inlined into its consumer."""

import re
from pathlib import Path

from . import records
from .issue_markdown import Room, span
from .names import shorten
from .tables import sizes_of

INLINES = re.compile(r"\b(?:reverse_)?compute_inline\(")


def read(compiled: list[Path]) -> list[dict]:
    """Of each compile record the functions whose traces are kept beside it.

    {"case", "variant", "function", "rule", "inlined": blocks that the rule inlined}.
    """
    found = []
    for path in filter(Path.exists, compiled):
        record = records.read(path, "compile")
        for function in record.get("functions", []):
            trace = path.parent / (function["schedule"] or "none")
            if trace.is_file():
                count = len(INLINES.findall(trace.read_text()))
                found.append(
                    {"case": record["case"], "variant": record["variant"], "inlined": count}
                    | {"function": function["name"], "rule": function["rule"]}
                )
    return found


def lines(summary: dict, traces: list[dict], room: Room) -> list[str]:
    """A row a scheduled function; nothing where no trace is kept."""
    cases = {case["case"]["name"]: case for case in summary["cases"]}
    rows = [
        sizes_of(summary, cases[trace["case"]["name"]])
        | {"variant": trace["variant"], "function": f"`{shorten(trace['function'])}`"}
        | {"rule": span(trace["rule"]), "blocks inlined": trace["inlined"]}
        for trace in traces
    ]
    if not rows:
        return []
    return [
        "### Where the computation goes",
        "",
        "Blocks that dlight's rule inlined into their consumers (`compute_inline` in its trace): "
        "what is inlined into a larger loop runs once for each of that loop's elements.",
        "",
        *room.table(rows, "compile/<case>/<variant>/schedules/"),
        "From `compile/<case>/<variant>/schedules/`.",
        "",
    ]
