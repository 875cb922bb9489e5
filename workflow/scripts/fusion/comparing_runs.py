"""Two runs side by side: the same ratios, with their intervals."""

from .errors import FusionError
from .tables import markdown_table, measured, point, subtitle, varying_sizes, with_interval


def compare(first: dict, second: dict) -> list[dict]:
    """One entry a case and ratio: {"case", "pair", "first", "second", "shift", "overlap"}.

    first, second: summaries. shift: the second's headline ratio over the first's. overlap: whether
    the intervals over trials have a value in common; False where one run has no interval. Raises a
    FusionError unless both ran the same cases and variants.
    """
    for key in ("arch", "variants", "pairs"):
        _require_same(key, first[key], second[key])
    _require_same("cases", *([c["case"] for c in s["cases"]] for s in (first, second)))
    return [
        _entry(left, right, pair)
        for left, right in zip(first["cases"], second["cases"], strict=True)
        for pair in first["pairs"]
    ]


def markdown(first: dict, second: dict, rows: list[dict]) -> str:
    """The comparison as a document that renders on GitHub."""
    same = first["protocol"] == second["protocol"] and first["control"] == second["control"]
    keys = varying_sizes(first)
    cells = [
        {key: point(row["case"])[key] for key in keys}
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
    lines += ["", *markdown_table(cells), ""]
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


def _require_same(what: str, one, other) -> None:
    if one != other:
        raise FusionError(
            f"the two runs differ in {what}",
            expected=str(one),
            found=str(other),
            do="compare runs of one configuration on the same kind of GPU",
        )
