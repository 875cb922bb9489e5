"""What the remedies decided while they compiled, as tables: Markdown and rows for CSV."""

import csv
import io
from collections.abc import Iterator

from .names import shorten
from .tables import markdown_table

NONE = "–"
COLUMNS = ("case", "variant", "producer", "consumer", "fused_us", "materialised_us", "decision")
EXTRA = ("operators", "elements", "reuse", "rates", "reason")
NOTE = (
    "Estimates, in microseconds, are of the two ways to make the producer and its consumer: as one "
    "kernel that computes the producer anew for each reader, or as two with the producer in memory."
)


def rows(records: list[dict]) -> list[dict]:
    """One row a decision with every column of COLUMNS and EXTRA; None for what it lacks."""
    return [row for record in records if "failed" not in record for row in _rows(record)]


def to_csv(records: list[dict]) -> str:
    """The rows as CSV, all numbers as they are recorded."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [*COLUMNS, *EXTRA], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows(records))
    return text.getvalue()


def markdown(records: list[dict]) -> str:
    """The decisions, the rates behind them, and who decided nothing."""
    found = rows(records)
    lines = ["# What the remedies decided", ""]
    if found:
        shown = [{key: _cell(row[key]) for key in (*COLUMNS, "reason")} for row in found]
        shown = [row | {"producer": shorten(row["producer"], 40)} for row in shown]
        lines += [NOTE, "", *markdown_table(shown), ""]
        used = dict.fromkeys(row["rates"] for row in found if row["rates"])
        lines += [f"Rates: {rates}." for rates in used] + ([""] if used else [])
    return "\n".join([*lines, *_silent(records)])


def _silent(records: list[dict]) -> list[str]:
    """Who decided nothing: in no case at all, or in which."""
    names = list(dict.fromkeys(r["variant"] for r in records))
    deciding = {r["variant"] for r in records if r.get("decisions")}
    lines = []
    if never := [name for name in names if name not in deciding]:
        lines += [f"Decided nothing in any case: {', '.join(never)}.", ""]
    for name in (n for n in names if n in deciding):
        of = [r["case"]["name"] for r in records if r["variant"] == name and not r.get("decisions")]
        lines += [f"{name} decided nothing in {', '.join(of)}.", ""] if of else []
    return lines


def _rows(record: dict) -> Iterator[dict]:
    for decision in record["decisions"]:
        row = dict.fromkeys((*COLUMNS, *EXTRA))
        row |= {key: decision[key] for key in row if key in decision}
        row |= {"case": record["case"]["name"], "variant": record["variant"]}
        row["decision"] = _word(decision)
        if "function" in decision:
            row["producer"] = decision["function"]
        if "operators" in decision:
            counts = decision["operators"].items()
            row["operators"] = ", ".join(f"{kind} {count:g}" for kind, count in counts)
        if "rates" in decision:
            row["rates"] = "{name} ({source})".format(**decision["rates"])
        yield row


def _word(decision: dict) -> str:
    if "staged" in decision:
        return "staged" if decision["staged"] else "declined"
    return "cut" if decision["cut"] else "fused" if "fused_us" in decision else "not considered"


def _cell(value) -> str:
    if value is None:
        return NONE
    return f"{value:.1f}" if isinstance(value, float) else str(value).replace("|", "\\|")
