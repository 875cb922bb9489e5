"""Changes as Markdown and rows for CSV."""

import pandas as pd

from .changes import Change
from .tables import markdown_table, point, with_interval

READING = (
    "A ratio is the latency over that of {base}: above 1 is slower. In brackets stands {interval}. "
    "SAME: it lies wholly within ±{same} of 1; SLOWER, FASTER: wholly beyond; AMBIGUOUS: it does "
    "not tell, for the reason given."
)


def latency_rows(changes: list[Change], keys: list[str]) -> list[dict]:
    """One row a case and variant; a column each for what is set against the first.

    keys: the parts of a case's point that the rows name.
    """
    rows: dict[tuple, dict] = {}
    for one in changes:
        where = (one.case["case"]["name"], one.variant)
        sizes = {key: point(one.case).get(key, "–") for key in keys}
        row = rows.setdefault(
            where, {**sizes, "variant": one.variant, f"{one.before}, µs": _us(one.before_us)}
        )
        row[f"{one.after}, µs"] = _us(one.after_us)
        row[f"{one.after} / {one.before}"] = (
            "–" if one.ratio is None else with_interval(one.ratio, one.interval)
        )
        row[f"{one.after}"] = f"**{one.verdict}**" if one.verdict != "–" else one.reason
    return list(rows.values())


def evidence_rows(changes: list[Change], keys: list[str]) -> list[dict]:
    """One row a case, variant and what is set against the first: what the code says."""
    return [
        {
            **{key: point(one.case).get(key, "–") for key in keys},
            "variant": one.variant,
            "against": one.after,
            **one.evidence,
        }
        for one in changes
        if one.evidence
    ]


def reason_rows(changes: list[Change], keys: list[str]) -> list[dict]:
    """Why what is AMBIGUOUS is so."""
    return [
        {
            **{key: point(one.case).get(key, "–") for key in keys},
            "variant": one.variant,
            "against": one.after,
            "reason": one.reason,
        }
        for one in changes
        if one.verdict == "AMBIGUOUS"
    ]


def tables(changes: list[Change], keys: list[str], base: str, interval: str, same: float) -> list:
    """Lines of all tables, with how to read them."""
    lines = ["## Latency", "", *markdown_table(latency_rows(changes, keys)), ""]
    lines += [READING.format(base=base, interval=interval, same=f"{same:.0%}"), ""]
    unclear = reason_rows(changes, keys)
    lines += ["AMBIGUOUS, since:", "", *markdown_table(unclear), ""] if unclear else []
    known = evidence_rows(changes, keys)
    lines += ["## What changed in the code", ""]
    lines += markdown_table(known) or ["Not known: there are no audits of both."]
    return [*lines, ""]


def frame(changes: list[Change]) -> pd.DataFrame:
    """One row a change, all numbers as they are."""
    return pd.DataFrame(
        [
            {
                **point(one.case),
                "variant": one.variant,
                "before": one.before,
                "after": one.after,
                "before_us": one.before_us,
                "after_us": one.after_us,
                "ratio": one.ratio,
                "low": one.interval and one.interval["low"],
                "high": one.interval and one.interval["high"],
                "verdict": one.verdict,
                "reason": one.reason,
                **one.evidence,
            }
            for one in changes
        ]
    )


def _us(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
