"""The data file beside each figure: what it says is what the records say, for every kind."""

import pytest
from conftest import ROOT, program
from plot_checks import ends, latency, number, ratios, read, samples

from fusion import crossing_tables, records
from fusion.breakdown import breakdowns
from fusion.crossings import words
from fusion.fastest import fastest

PUBLISHED = ROOT / "results/published/nvidia-h200"


def summary_of(run: str) -> dict:
    return records.read(PUBLISHED / run / "sm_90/tables/summary.json", "summary")


def draw(run: str, out, *figures) -> None:
    folder = PUBLISHED / run / "sm_90"
    given = ["--trials", *folder.glob("time/*/*.json"), "--figures", *figures, "--out", out]
    profiles = ["--profiles", *folder.glob("profile/*/*.json")]
    done = program(
        "plot_figures.py", "--summary", folder / "tables/summary.json", *profiles, *given
    )
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Every kind of figure, of the published records: {run: its folder}."""
    folder = tmp_path_factory.mktemp("drawn")
    deep = next(n for n in names("issue-20342") if "depth16-" in n)
    failed = next(n for n in names("workloads") if n.startswith("rsqrt_mean"))
    wanted = {
        "issue-20342": ["ratios_by_depth", "latency_by_depth", "breakdown", f"samples/{deep}"],
        "issue-20342-depths": ["over_floor_by_depth"],
        "issue-20342-map": ["crossing", "fastest_map"],
        "workloads": [f"samples/{failed}"],
    }
    for run, figures in wanted.items():
        draw(run, folder / run, *figures)
    return folder


def names(run: str) -> list[str]:
    return [case["case"]["name"] for case in summary_of(run)["cases"]]


def test_ratios_and_latency(drawn):
    summary = summary_of("issue-20342")
    ratios(read(drawn / "issue-20342/ratios_by_depth.csv"), summary)
    latency(read(drawn / "issue-20342/latency_by_depth.csv"), summary)


def test_samples_of_a_gpu_with_its_clock(drawn):
    (path,) = (drawn / "issue-20342/samples").glob("*.csv")
    trials = (PUBLISHED / "issue-20342/sm_90/time" / path.stem).glob("*.json")
    samples(read(path), [records.read(trial, "time") for trial in trials])


def test_where_a_calls_time_goes(drawn):
    profiles = (PUBLISHED / "issue-20342/sm_90/profile").rglob("*.json")
    kinds = {
        "kernels_us": "kernels",
        "gaps_us": "launch gaps",
        "rest_us": "rest of the call",
        "timed_us": "timed median",
        "difference_us": "timed minus the bar",
    }
    expected = {
        (entry["case"]["case"]["name"], entry["variant"], kind): entry[key]
        for entry in breakdowns(
            [records.read(path, "profile") for path in profiles], summary_of("issue-20342")
        )
        for key, kind in kinds.items()
    }
    rows = read(drawn / "issue-20342/breakdown.csv")
    found = {(row["case"], row["variant"], row["kind"]): number(row["us"]) for row in rows}
    assert found == expected and len(rows) == 2 * 3 * 5


def test_latency_over_the_floor(drawn):
    expected = {
        (case["case"]["name"], name): (over["median"], *ends(over["interval"]))
        for case in summary_of("issue-20342-depths")["cases"]
        for name, over in case["over_floor"].items()
        if name != "COPY"
    }
    rows = read(drawn / "issue-20342-depths/over_floor_by_depth.csv")
    values = ("over_floor", "low", "high")
    found = {(r["case"], r["variant"]): tuple(number(r[v]) for v in values) for r in rows}
    assert found == expected and len(rows) == len(expected) > 80


def test_the_map_of_the_fastest(drawn):
    summary = summary_of("issue-20342-map")
    rows = {row["case"]: row for row in read(drawn / "issue-20342-map/fastest_map.csv")}
    assert list(rows) and set(rows) == set(names("issue-20342-map"))
    for case in summary["cases"]:
        row, found = rows[case["case"]["name"]], fastest(case, summary["variants"])
        assert row["fastest"] == found.variant and row["tied_with"] == ", ".join(found.tied)
        assert float(row["on_over_fastest"]) == case["regret"]["ON"]["ratio"]
        assert (int(row["depth"]), int(row["cols"])) == (
            case["case"]["sizes"]["depth"],
            case["case"]["sizes"]["cols"],
        )


def test_crossings_and_the_ratios_along_depth(drawn):
    summary = summary_of("issue-20342-map")
    rows = read(drawn / "issue-20342-map/crossing.csv")
    over = {
        (c["case"]["sizes"]["cols"], c["case"]["sizes"]["depth"]): c["ratios"]["ON/PARTIAL"]
        for c in summary["cases"]
    }
    shown = [row for row in rows if row["kind"] == "ratio"]
    assert len(shown) == len(over)
    for row in shown:
        found = over[int(row["cols"]), int(row["depth"])]
        assert float(row["ratio"]) == found["median"]
        assert (number(row["low"]), number(row["high"])) == ends(found["interval"])
    for line in crossing_tables.lines_of(summary):
        own = [row for row in rows if row["cols"] == str(line.where["cols"])]
        depths = [float(row["depth"]) for row in own if row["kind"] == "crossing"]
        assert depths == [d for trial in line.crossing.by_trial for d in trial]
        assert [r["finding"] for r in own if r["kind"] == "finding"] == [words(line.crossing)]
        for row in [row for row in own if row["kind"] == "interval"]:
            within = line.crossing.interval
            assert float(row["low"]) == max(within.low, line.depths[0])
            assert float(row["high"]) == min(within.high, line.depths[-1])


def test_what_failed_where_nothing_was_measured(drawn):
    (path,) = (drawn / "workloads/samples").glob("*.csv")
    (case,) = [c for c in summary_of("workloads")["cases"] if c["case"]["name"] == path.stem]
    told = {row["variant"]: row["stage"] for row in read(path)}
    assert told == {name: why["stage"] for name, why in case["failed"].items()} and told


def test_a_redraw_is_the_same_bit_by_bit(drawn, tmp_path):
    draw("issue-20342-map", tmp_path, "crossing", "fastest_map")
    for suffix in ("png", "svg", "csv"):
        for name in ("crossing", "fastest_map"):
            again = (tmp_path / f"{name}.{suffix}").read_bytes()
            assert again == (drawn / f"issue-20342-map/{name}.{suffix}").read_bytes(), name
