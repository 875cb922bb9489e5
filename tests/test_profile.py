"""Profiles as tables, and what was not run in them."""

import argparse
import csv
import io
import sys

import pytest
from conftest import compile_case, program
from test_ncu import ON, raw_page

from fusion import ncu, profile_tables, records
from fusion.breakdown import breakdowns, launches

CASE = {
    "name": "case8",
    "workload": "exp_chain_add",
    "sizes": {"depth": 8, "rows": 4096, "cols": 4096},
    "dtype": "float16",
}
NO_TRACE = {"not_run": "CUPTI: error: the package cupti-python does not load"}
NO_COUNTERS = {"not_run": "this user may not read the GPU's counters (ERR_NVGPUCTRPERM)"}


def trace(kernels, gaps, rest, launched=1):
    return {
        "kernels": [{}] * launched,
        "kernels_us": kernels,
        "gaps_us": gaps,
        "rest_us": rest,
    }


def profile(variant, traced, counters, case=CASE):
    counted = counters if "not_run" in counters else {"tool": "ncu 2025.3.1.0", **counters}
    return {"case": case, "variant": variant, "trace": traced, "counters": counted}


def summary(*medians, cases=(CASE,)):
    """A summary as far as the tables read it; medians in microseconds of OFF and ON."""
    timed = dict(zip(("OFF", "ON"), medians, strict=True))
    return {
        "experiment": "exp",
        "arch": "sm_90",
        "device": {"kind": "cuda", "name": "NVIDIA H200"},
        "environment": {"tvm": "0.27.0"},
        "compiler": {"name": "nvrtc", "version": "13.0"},
        "variants": list(timed),
        "cases": [
            {"case": case, "median_us": {v: {"median": m} for v, m in timed.items()}}
            for case in cases
        ],
    }


def kernels(*names, **changes):
    (kernel,) = ncu.parse(raw_page(ON))
    return {"kernels": [kernel | {"name": name} | changes for name in names]}


TWO = [
    profile("ON", trace(139.0, 0.0, 1.5), kernels("fused_add_kernel")),
    profile("OFF", trace(60.0, 20.0, 2.0, 9), kernels(*["multiply"] * 8, "add")),
]


def test_the_difference_is_what_was_timed_minus_the_sum():
    off, on = breakdowns(TWO, summary(75.5, 141.25))
    assert (off["variant"], on["variant"]) == ("OFF", "ON")  # the summary's order
    assert off["case"]["case"] == CASE and off["launches"] == 9 and off["not_run"] is None
    assert (off["sum_us"], off["timed_us"], off["difference_us"]) == (82.0, 75.5, -6.5)
    assert (on["sum_us"], on["timed_us"], on["difference_us"]) == (140.5, 141.25, 0.75)
    assert [off[key] for key in ("kernels_us", "gaps_us", "rest_us")] == [60.0, 20.0, 2.0]


def test_a_profile_without_a_trace_keeps_its_timed_median_and_its_reason():
    (found,) = breakdowns([profile("ON", NO_TRACE, NO_COUNTERS)], summary(75.5, 141.25))
    assert found["timed_us"] == 141.25 and found["not_run"] == NO_TRACE["not_run"]
    empty = ("kernels_us", "gaps_us", "rest_us", "sum_us", "difference_us", "launches")
    assert [found[key] for key in empty] == [None] * 6


def test_launches_are_means_over_a_kernels_launches():
    counted = kernels("multiply", "add", "multiply")
    counted["kernels"][0] |= {"duration_us": 4.0, "registers": None, "dram_read_bytes": 100}
    counted["kernels"][2] |= {"duration_us": 6.0, "registers": 16, "dram_read_bytes": 300}
    multiply, add = launches(profile("OFF", NO_TRACE, counted))
    assert (multiply["kernel"], multiply["launches"]) == ("multiply", 2)
    assert (multiply["duration_us"], multiply["dram_read_bytes"]) == (5.0, 200)
    assert multiply["registers"] == 16 and multiply["l2_hit_percent"] is None
    assert multiply["grid"] == [16384, 1, 1] and multiply["block"] == [1024, 1, 1]
    assert (add["kernel"], add["launches"], add["duration_us"]) == ("add", 1, 139.52)
    assert launches(profile("OFF", NO_TRACE, NO_COUNTERS)) == []


def tables_of(text: str) -> list[list[dict]]:
    """Every Markdown table's rows by its head; each row has as many cells as the head."""
    found, lines = [], text.splitlines()
    for index, line in enumerate(lines):
        if line.startswith("|---") or line.startswith("|:-"):
            head = cells(lines[index - 1])
            assert len(cells(line)) == len(head)
            rows = []
            for row in lines[index + 1 :]:
                if not row.startswith("|"):
                    break
                assert len(cells(row)) == len(head), row
                rows.append(dict(zip(head, cells(row), strict=True)))
            found.append(rows)
    return found


def cells(line: str) -> list[str]:
    assert line.startswith("|") and line.endswith("|")
    return [cell.strip() for cell in line[1:-1].split("|")]


def test_both_tables_of_a_whole_profile():
    text = profile_tables.markdown(TWO, summary(75.5, 141.25))
    calls, counted = tables_of(text)
    assert calls[0] == {
        "depth": "8",
        "variant": "OFF",
        "launches": "9",
        "kernels": "60.00",
        "launch gaps": "20.00",
        "rest": "2.00",
        "sum": "82.00",
        "timed median": "75.50",
        "difference": "-6.50",
    }
    assert [(row["variant"], row["kernel"], row["launches"]) for row in counted] == [
        ("ON", "`fused_add_kernel`", "1"),
        ("OFF", "`multiply`", "8"),
        ("OFF", "`add`", "1"),
    ]
    on = counted[0]
    assert on["duration, µs"] == "139.52" and on["XU, % of peak"] == "47.0"
    assert on["XU operations"] == "268,435,456"  # 8,388,608 of warps, times 32
    assert on["DRAM read, MB"] == "33.59"
    assert "not run:" not in text and "GPU NVIDIA H200 (sm_90)" in text


@pytest.mark.parametrize(
    ("what", "traced_on", "counted_on"),
    [
        ("trace", NO_TRACE, kernels("fused_add_kernel")),
        ("counters", trace(139.0, 0.0, 1.5), NO_COUNTERS),
    ],
)
@pytest.mark.parametrize("off_too", [False, True])
def test_what_was_not_run_stands_in_the_markdown_with_its_reason(
    what, traced_on, counted_on, off_too
):
    profiles = [profile("ON", traced_on, counted_on)]
    profiles.insert(0, profile("OFF", traced_on, counted_on) if off_too else TWO[1])
    text = profile_tables.markdown(profiles, summary(75.5, 141.25))
    why = {"trace": NO_TRACE, "counters": NO_COUNTERS}[what]["not_run"]
    assert f"\n- {'OFF, ON' if off_too else 'ON'}: {what} not run: {why}" in text
    assert text.count("- ON: ") + text.count("- OFF, ON: ") == 1
    tables = tables_of(text)
    assert len(tables) == (1 if what == "counters" and off_too else 2)
    on = next(row for row in tables[0] if row["variant"] == "ON")
    assert on["timed median"] == "141.25"
    lacking = [key for key, cell in on.items() if cell == "not run"]
    traced_cells = ["launches", "kernels", "launch gaps", "rest", "sum", "difference"]
    assert lacking == (traced_cells if what == "trace" else [])


def test_cases_are_told_apart_and_a_reason_names_a_variant_once():
    deep = {**CASE, "name": "case16", "sizes": {**CASE["sizes"], "depth": 16}}
    profiles = [
        profile(variant, trace(60.0, 20.0, 2.0), NO_COUNTERS, case)
        for case in (CASE, deep)
        for variant in ("OFF", "ON")
    ]
    both = summary(75.5, 141.25, cases=(CASE, deep))
    (calls,) = tables_of(profile_tables.markdown(profiles, both))
    assert [(row["depth"], row["variant"]) for row in calls] == [
        *(("8", "OFF"), ("8", "ON")),
        *(("16", "OFF"), ("16", "ON")),
    ]
    (line,) = profile_tables.not_run(profiles)
    assert line == f"- OFF, ON: counters not run: {NO_COUNTERS['not_run']}"


def test_frames_hold_full_names_and_every_counter():
    long = "fused_" + "exp_multiply_" * 30 + "kernel"
    profiles = [profile("ON", trace(139.0, 0.0, 1.5), kernels(long)), TWO[1]]
    frame = profile_tables.kernels_frame(profiles)
    assert list(frame["kernel"]) == [long, "multiply", "add"]
    assert {*ncu.METRICS, "depth", "dtype", "grid", "block", "launches"} <= set(frame.columns)
    calls = profile_tables.breakdown_frame(profiles, summary(75.5, 141.25))
    assert list(calls["difference_us"]) == [-6.5, 0.75]
    _, counted = tables_of(profile_tables.markdown(profiles, summary(75.5, 141.25)))
    assert "…" in counted[0]["kernel"] and len(counted[0]["kernel"]) == 32 + 2


def test_the_table_program_writes_what_was_not_run(tmp_path):
    paths = []
    for variant in ("OFF", "ON"):
        paths.append(tmp_path / f"{variant}.json")
        records.write(paths[-1], "profile", profile(variant, NO_TRACE, NO_COUNTERS))
    records.write(tmp_path / "summary.json", "summary", summary(75.5, 141.25))
    words = ["--profiles", *paths, "--summary", tmp_path / "summary.json", "--out", tmp_path]
    done = program("profile_table.py", *words)
    assert done.returncode == 0, done.stdout
    assert "trace not run: CUPTI" in done.stdout and "counters not run: this" in done.stdout
    assert "not run" in (tmp_path / "profile.md").read_text()
    rows = list(csv.DictReader(io.StringIO((tmp_path / "breakdown.csv").read_text())))
    assert [row["timed_us"] for row in rows] == ["75.5", "141.25"]
    assert (tmp_path / "profile_kernels.csv").exists()


def test_the_profile_program_tells_its_words():
    done = program("profile_variant.py", "--help")
    assert done.returncode == 0
    for word in ("--record", "--calls", "--warmup-calls", "--gpu", "--out"):
        assert word in done.stdout


def test_there_is_nothing_to_profile_on_a_cpu(tmp_path):
    record = compile_case(tmp_path / "ON", "ON", "llvm", depth=2)
    words = ["--record", record, "--out", tmp_path / "p.json", "--seed", 0]
    words += ["--calls", 10, "--warmup-calls", 1, "--low", "-0.25", "--high", "0.25"]
    done = program("profile_variant.py", *words, "--lock-folder", tmp_path / "locks")
    assert done.returncode == 1
    assert "error: there is nothing to profile on a CPU" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (tmp_path / "p.json").exists() and not (tmp_path / "locks").exists()


def test_a_missing_cupti_costs_the_trace_and_nothing_else(tmp_path, monkeypatch):
    """The tracing program is really started, in an environment whose cupti does not import."""
    import profile_variant

    (tmp_path / "cupti.py").write_text("raise ImportError('no cupti here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    words = {"record": tmp_path / "none.json", "warmup_calls": 1, "seed": 0, "low": -1, "high": 1}
    found = profile_variant.trace(sys.executable, argparse.Namespace(**words, calls=3))
    why = found["trace"]["not_run"]
    assert why.startswith("CUPTI: error: the package cupti-python does not load")
    assert "no cupti here" in why and "requirements.txt" in why
