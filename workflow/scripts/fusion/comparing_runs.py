"""Two runs side by side: the same ratios, with their intervals."""

from . import change_tables
from .changes import Change, same_of
from .errors import FusionError
from .tables import markdown_table, measured, point, subtitle, varying_sizes, with_interval
from .words import percent


def compare(first: dict, second: dict, *, any_protocol: bool = False) -> list[dict]:
    """One entry a case and ratio: {"case", "pair", "first", "second", "shift", "overlap"}.

    first, second: summaries. shift: the second's headline ratio over the first's. overlap: whether
    the intervals over trials have a value in common; False where one run has no interval. Raises a
    FusionError unless both ran the same cases and variants by the same protocol; any_protocol:
    whatever the protocols.
    """
    for key in ("arch", "variants", "pairs"):
        _require_same(key, first[key], second[key])
    _require_same_cases(*([c["case"] for c in s["cases"]] for s in (first, second)))
    if not any_protocol:
        _require_same_protocol(first["protocol"], second["protocol"])
    return [
        _entry(left, right, pair)
        for left, right in zip(first["cases"], second["cases"], strict=True)
        for pair in first["pairs"]
        if pair in left["ratios"] and pair in right["ratios"]
    ]


def document(first: dict, second: dict, rows: list[dict], found: list[Change]) -> str:
    """The whole comparison: latencies and code, then the ratios within each run."""
    judging = second["judging"]
    interval = f"Welch's {percent(judging['confidence'])} interval over the trials"
    keys = varying_sizes(first)
    lines = change_tables.tables(found, keys, "the first run", interval, same_of(judging))
    return markdown(first, second, rows, lines)


def markdown(first: dict, second: dict, rows: list[dict], latency: list[str]) -> str:
    """The comparison as a document that renders on GitHub. latency: lines of its tables."""
    same = first["protocol"] == second["protocol"] and first["control"] == second["control"]
    keys = varying_sizes(first)
    cells = [
        {key: point(row["case"]).get(key, "–") for key in keys}
        | {
            "ratio": row["pair"],
            "first run": with_interval(row["first"]["median"], row["first"]["interval"]),
            "second run": with_interval(row["second"]["median"], row["second"]["interval"]),
            "second over first": f"{row['shift']:.4f}",
            "intervals overlap": "yes" if row["overlap"] else "**no**",
        }
        for row in rows
    ]
    protocol = "the same protocol" if same else "different protocols"
    names = " and ".join(dict.fromkeys([first["experiment"], second["experiment"]]))
    share = second["measured"]["held_s"] / first["measured"]["held_s"]
    lines = [f"# {names}: two runs, {protocol}", ""]
    for which, run in (("First", first), ("Second", second)):
        lines += [f"- {which} run: {run['experiment']}. {subtitle(run)}; {measured(run)}."]
    lines += ["", *latency, "## Ratios within each run", "", *markdown_table(cells), ""]
    lines += [
        "A ratio is the median over trials, with Student's interval over them. The second run held "
        f"its device for {share:.1%} of the first's time.",
        "",
    ]
    return "\n".join(lines)


def _entry(left: dict, right: dict, pair: str) -> dict:
    one, other = left["ratios"][pair], right["ratios"][pair]
    bounds = one["interval"], other["interval"]
    overlap = None not in bounds and (
        bounds[0]["low"] <= bounds[1]["high"] and bounds[1]["low"] <= bounds[0]["high"]
    )
    return {
        "case": left,
        "pair": pair,
        "first": one,
        "second": other,
        "shift": round(other["median"] / one["median"], 6),
        "overlap": overlap,
    }


def _require_same_cases(one: list[dict], other: list[dict]) -> None:
    """The same names, and of a workload from a file the same file; wherever that lies."""
    names = [[case["name"] for case in cases] for cases in (one, other)]
    if names[0] != names[1]:
        _require_same("cases", *(_only(a, b) for a, b in (names, names[::-1])))
        _require_same("the order of their cases", *names)
    for left, right in zip(one, other, strict=True):
        files = [case.get("file", {}).get("sha256") for case in (left, right)]
        _require_same(f"the file of the workload {left['workload']}", *files)


def _only(names: list[str], others: list[str]) -> str:
    return ", ".join(name for name in names if name not in others) or "none beyond the other's"


def _require_same_protocol(one: dict, other: dict) -> None:
    keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    if keys:
        _require_same(
            "protocol", *(", ".join(f"{k} {p.get(k)}" for k in keys) for p in (one, other))
        )


def _require_same(what: str, one, other) -> None:
    if one != other:
        raise FusionError(
            f"the two runs differ in {what}",
            expected=str(one),
            found=str(other),
            do="compare runs of one configuration on the same kind of GPU",
        )
