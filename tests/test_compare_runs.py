"""Two runs side by side."""

import copy

import pytest
from conftest import ROOT, program

from fusion import comparing_runs, records
from fusion.errors import FusionError


def over(median, low, high):
    interval = {"ratio": median, "low": low, "high": high, "confidence": 0.95, "n": 5}
    return {"median": median, "values": [median] * 5, "interval": interval}


def run(experiment, on_off, held=100.0):
    sizes = {"depth": 8, "rows": 4096, "cols": 4096}
    return {
        "experiment": experiment,
        "arch": "sm_90",
        "device": {"kind": "cuda", "name": "NVIDIA H200"},
        "environment": {"tvm": "0.27.0"},
        "compiler": {"name": "nvrtc", "version": "13.0"},
        "variants": ["OFF", "ON"],
        "pairs": ["ON/OFF"],
        "protocol": {"blocks": 40},
        "control": None,
        "measured": {
            "first": "2026-12-02T04:53:31+00:00",
            "last": "2026-12-02T05:03:33+00:00",
            "devices": ["GPU-1"],
            "held_s": held,
        },
        "cases": [
            {
                "case": {
                    "name": "exp_chain_add-depth8-float16",
                    "workload": "exp_chain_add",
                    "sizes": sizes,
                    "dtype": "float16",
                },
                "trials": [{}] * 5,
                "ratios": {"ON/OFF": on_off},
            }
        ],
    }


@pytest.mark.parametrize(
    ("low", "high", "overlap"),
    [(1.19, 1.25, True), (1.20, 1.25, True), (1.2001, 1.25, False), (1.0, 1.0999, False)],
)
def test_intervals_overlap_if_they_share_a_value(low, high, overlap):
    first = run("a", over(1.15, 1.10, 1.20))
    second = run("a", over(1.21, low, high))
    (row,) = comparing_runs.compare(first, second)
    assert row["overlap"] is overlap
    assert row["shift"] == pytest.approx(1.21 / 1.15, abs=1e-6)
    text = comparing_runs.markdown(first, second, [row], [])
    assert ("| yes |" in text) is overlap and ("| **no** |" in text) is not overlap


def test_a_run_without_an_interval_overlaps_with_nothing():
    second = run("a", over(1.15, 1.1, 1.2))
    second["cases"][0]["ratios"]["ON/OFF"]["interval"] = None
    (row,) = comparing_runs.compare(run("a", over(1.15, 1.1, 1.2)), second)
    assert row["overlap"] is False


def test_it_says_what_differs_and_what_it_cost():
    first, second = run("a", over(1.15, 1.1, 1.2), 500.0), run("b", over(1.15, 1.1, 1.2), 90.0)
    second["protocol"] = {"blocks": 8}
    text = comparing_runs.markdown(
        first, second, comparing_runs.compare(first, second, any_protocol=True), []
    )
    with pytest.raises(
        FusionError, match=r"differ in protocol\n  expected: blocks 40\n  found:    blocks 8"
    ):
        comparing_runs.compare(first, second)
    assert text.startswith("# a and b: two runs, different protocols\n")
    assert "for 18.0% of the first's time" in text
    assert "from 2026-12-02 04:53:31 to 2026-12-02 05:03:33 UTC on GPU-1" in text


def test_runs_of_other_cases_are_refused(tmp_path):
    first = run("a", over(1.15, 1.1, 1.2))
    second = copy.deepcopy(first)
    second["cases"][0]["case"] |= {"dtype": "float32", "name": "exp_chain_add-depth8-float32"}
    with pytest.raises(FusionError, match="the two runs differ in cases"):
        comparing_runs.compare(first, second)
    for name, body in (("a", first), ("b", second)):
        records.write(tmp_path / f"{name}.json", "summary", body)
    for wrong, said in (
        (ROOT / "README.md", "README.md is not the summary of a run"),
        (tmp_path / "a.json", "the two files are one and the same run"),
    ):
        words = (tmp_path / "a.json", wrong, "--out", tmp_path / "c.md")
        done = program("compare_runs.py", *words)
        assert done.returncode == 1
        assert said in done.stdout and "delete" not in done.stdout
    words = (tmp_path / "a.json", tmp_path / "b.json", "--out", tmp_path / "c.md")
    done = program("compare_runs.py", *words)
    assert done.returncode == 1
    assert "differ in cases" in done.stdout and "Traceback" not in done.stdout
