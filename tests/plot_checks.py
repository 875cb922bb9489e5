"""A figure's CSV against the records that the figure is of."""

import csv
from pathlib import Path

import pytest


def read(path: Path) -> list[dict]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def number(text: str) -> float | None:
    return float(text) if text else None


def ends(interval: dict | None) -> tuple:
    return (interval["low"], interval["high"]) if interval else (None, None)


def ratios(rows: list[dict], summary: dict) -> None:
    """Every median with its interval, every trial, and nothing else."""
    found = {
        (r["case"], r["pair"], r["kind"], r["trial"]): (number(r["ratio"]), r["over_max_cv"])
        for r in rows
    }
    intervals = {
        (r["case"], r["pair"]): (number(r["low"]), number(r["high"]))
        for r in rows
        if r["kind"] == "median"
    }
    expected, bounds = {}, {}
    for case in summary["cases"]:
        name = case["case"]["name"]
        for pair, over in case["ratios"].items():
            expected[name, pair, "median", ""] = (over["median"], "")
            bounds[name, pair] = ends(over["interval"])
            for trial in case["trials"]:
                marked = bool(set(pair.split("/")) & set(trial["over_max_cv"]))
                key = (name, pair, "trial", str(trial["trial"]))
                expected[key] = (trial["ratios"][pair], str(marked))
    assert found == expected and intervals == bounds and len(rows) == len(expected)


def latency(rows: list[dict], summary: dict) -> None:
    found = {(r["case"], r["variant"], r["kind"], r["trial"]): number(r["median_us"]) for r in rows}
    expected = {}
    for case in summary["cases"]:
        for variant in [v for v in summary["variants"] if v in case["median_us"]]:
            key = (case["case"]["name"], variant)
            over = case["median_us"][variant]
            expected[*key, "median", ""] = over["median"]
            for trial, value in zip(case["trials"], over["values"], strict=True):
                expected[*key, "trial", str(trial["trial"])] = value
    assert found == expected and len(rows) == len(expected)


def samples(rows: list[dict], trials: list[dict]) -> None:
    """Each sample of each record, in its place, with the clock after its block."""
    names = set(dict.fromkeys(row["variant"] for row in rows))
    expected = {}
    for record in trials:
        assert names == set(record["blocks"][0]["samples_us"]) - {"COPY"}
        for index, block in enumerate(record["blocks"]):
            clock = record["telemetry"][index + 1]["state"].get("sm_clock_mhz")
            for name in names:
                for sample, us in enumerate(block["samples_us"][name], start=1):
                    key = (record["trial"], index + 1, name, sample)
                    expected[key] = (us, block["order"].index(name) + 1, clock)
    plotted = [row for row in rows if row["kind"] == "sample"]
    found = {
        (int(r["trial"]), int(r["block"]), r["variant"], int(r["sample"])): (
            float(r["us"]),
            int(r["position"]),
            number(r["sm_clock_mhz"]),
        )
        for r in plotted
    }
    assert found == expected and len(plotted) == len(expected)
    for row in [row for row in rows if row["kind"] == "median"]:
        record = next(r for r in trials if r["trial"] == int(row["trial"]))
        known = record["median_us"].get(row["variant"])
        assert known is None or float(row["us"]) == pytest.approx(known, abs=1e-4)
    assert len(rows) == len(expected) + len(names) * len(trials)
