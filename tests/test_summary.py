"""Tables from trials: medians, passing, marks, and what may not stand in one table."""

import csv
import io
import json
import statistics

import pytest
from thresholds import THRESHOLDS

from fusion import records, summary, summary_text, tables, trial_statistics
from fusion.errors import FusionError

PASSING = {"max_cv": 0.05, "min_slowdown": 1.10}
PROTOCOL = {"blocks": 4, "repeat": 2, "min_repeat_ms": 50, "stop": "fixed"}
SIZES = {"depth": 8, "rows": 4096, "cols": 4096}
CASE = {"name": "case8", "workload": "exp_chain_add", "sizes": SIZES, "dtype": "float16"}


def blocks(off, partial, on, noise=0.0):
    """Four blocks; noise spreads OFF's samples evenly around its value."""
    spread = [1 - noise, 1 + noise]
    return [
        {
            "order": ["OFF", "PARTIAL", "ON"],
            "calls": {"OFF": 1000, "PARTIAL": 1000, "ON": 1000},
            "flags": [],
            "power_capped": False,
            "samples_us": {
                "OFF": [off * s for s in spread],
                "PARTIAL": [partial, partial],
                "ON": [on, on],
            },
        }
        for _ in range(4)
    ]


def write_trial(folder, trial, samples, case=CASE, **changes):
    body = {
        "case": case,
        "arch": "sm_90",
        "trial": trial,
        "device": {"kind": "cuda", "name": "NVIDIA H200", "uuid": "GPU-1", "driver": "580"},
        "variants": ["OFF", "PARTIAL", "ON"],
        "control": None,
        "protocol": PROTOCOL,
        "modules": {v: {"code_sha256": v * 4} for v in ("OFF", "PARTIAL", "ON")},
        **trial_statistics.summarize(samples, ["OFF", "PARTIAL", "ON"]),
        "other_processes": {"before": [], "at_start": [], "at_end": []},
        "started": 1796187211.0,
        "held_s": 40.0,
        "environment": {
            "tvm": "0.27.0",
            "tvm_commit": "unknown",
            "tvm_ffi": "0.1",
            "python": "3.12",
            "numpy": "2",
            "os": "Linux",
        },
        "blocks": samples,
        **changes,
    }
    path = folder / f"{case['name']}-trial-{trial}.json"
    records.write(path, "time", body)
    return path


def beside(folder, case=CASE):
    """The compile and verify records that the summary reads too."""
    compiled = []
    for variant in ("OFF", "PARTIAL", "ON"):
        path = folder / f"{case['name']}-{variant}.json"
        records.write(
            path,
            "compile",
            {
                "case": case,
                "variant": variant,
                "calls": {"found": 1},
                "code": {"sha256": variant * 4},
                "compiler": {"name": "nvrtc", "version": "13.0", "options": []},
            },
        )
        compiled.append(path)
    verified = folder / f"{case['name']}-verify.json"
    comparisons = [
        {
            "variant": v,
            "against": "reference",
            "bit_equal": v != "ON",
            "max_abs_error": 0.001,
            "passed": True,
        }
        for v in ("OFF", "PARTIAL", "ON")
    ]
    records.write(verified, "verify", {"case": case, "comparisons": comparisons})
    return {"verified": [verified], "compiled": compiled}


def summarize(trials, others):
    return summary.summarize(
        "exp", trials, others["verified"], others["compiled"], PASSING, THRESHOLDS
    )


def test_the_headline_is_the_median_of_the_trials_ratios(tmp_path):
    ons = [120.0, 130.0, 150.0, 110.0, 140.0]
    trials = [write_trial(tmp_path, i + 1, blocks(100, 80, on)) for i, on in enumerate(ons)]
    case = summarize(trials, beside(tmp_path))["cases"][0]
    assert case["ratios"]["ON/OFF"]["median"] == pytest.approx(1.3)
    assert case["ratios"]["ON/OFF"]["values"] == pytest.approx([1.2, 1.3, 1.5, 1.1, 1.4])
    assert case["ratios"]["PARTIAL/OFF"]["median"] == pytest.approx(0.8)
    assert case["ratios"]["ON/PARTIAL"]["median"] == pytest.approx(130 / 80)
    assert case["trials_passing"] == {"passing": 5, "of": 5}
    assert case["verified"]["ON"] == {"draws": 1, "bit_equal": 0, "max_abs_error": 0.001}


@pytest.mark.parametrize(
    ("on", "noise", "passes", "marked"),
    [
        (110.0, 0.0, True, []),  # exactly 1.10 passes
        (109.9, 0.0, False, []),
        (79.0, 0.0, False, []),
        (130.0, 0.04, True, []),  # CV of 0.96, 1.04, ... is 0.0428
        (130.0, 0.06, False, ["OFF"]),  # CV 0.0641
    ],
)
def test_a_trial_passes_by_cv_and_slowdown_and_stays_in(tmp_path, on, noise, passes, marked):
    trials = [write_trial(tmp_path, 1, blocks(100, 80, on, noise))]
    case = summarize(trials, beside(tmp_path))["cases"][0]
    assert case["trials"][0]["passes"] is passes
    assert case["trials"][0]["over_max_cv"] == marked
    assert len(case["ratios"]["ON/OFF"]["values"]) == 1


def test_cv_is_the_sample_standard_deviation_over_the_mean():
    values = [1.0, 1.1, 0.9, 1.2]
    expected = statistics.stdev(values) / statistics.mean(values)
    import numpy as np

    assert trial_statistics.coefficient_of_variation(np.array(values)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"modules": {v: {"code_sha256": "other"} for v in ("OFF", "PARTIAL", "ON")}}, "code of"),
        ({"arch": "sm_86"}, "arch"),
        ({"control": {"name": "CONTROL", "of": "ON"}}, "control"),
        ({"device": {"kind": "cuda", "name": "NVIDIA A6000"}}, "device"),
        ({"protocol": {**PROTOCOL, "blocks": 9}}, "protocol"),
        ({"environment": {"tvm": "0.26.0"}}, "TVM"),
    ],
)
def test_trials_of_different_runs_are_refused_with_the_difference(tmp_path, change, word):
    trials = [
        write_trial(tmp_path, 1, blocks(100, 80, 130)),
        write_trial(tmp_path, 2, blocks(100, 80, 130), **change),
    ]
    with pytest.raises(FusionError, match=f"cannot stand in one table: they differ in {word}") as e:
        summarize(trials, beside(tmp_path))
    assert "trial-2.json" in str(e.value)


def two_depths(tmp_path):
    deep = {**CASE, "name": "case16", "sizes": {**SIZES, "depth": 16}}
    trials = [write_trial(tmp_path, t, blocks(100, 80, 130, 0.06)) for t in (1, 2)]
    trials += [write_trial(tmp_path, t, blocks(190, 62, 140), deep) for t in (1, 2)]
    first, second = beside(tmp_path), beside(tmp_path, deep)
    return summarize(trials, {k: first[k] + second[k] for k in first})


def test_markdown_has_a_row_a_depth_and_a_row_a_trial(tmp_path):
    text = summary_text.markdown(two_depths(tmp_path))
    assert "| depth | ON/OFF | PARTIAL/OFF | ON/PARTIAL | trials passing |" in text
    assert "| 8 | 1.3000 [1.3000, 1.3000] |" in text and "| 0/2 |" in text
    assert "| 16 | 0.7368 [0.7368, 0.7368] | 0.3263 [0.3263, 0.3263] |" in text
    assert "| 8 | ON/OFF | **SLOWER** | [1.3000, 1.3000] is wholly at or above 1.10 |" in text
    assert "| 16 | ON/OFF | **NOT SLOWER** | [0.7368, 0.7368] is wholly below 1.10 |" in text
    assert "- depth 8: Too few trials: 2, where 5 are the least" in text
    assert "- depth 8: Unsteady, with a CV over 5%: OFF in trials 1 (6.4%), 2 (6.4%)." in text
    assert "| best |" in text and "1.250 [1.250, 1.250]" in text  # OFF 100 over PARTIAL 80
    assert text.count("6.41% †") == 2 and "† CV over 5%; the trial stays in." in text
    assert "NVIDIA H200" in text and "CPU" not in text
    lines = text.splitlines()
    for index, line in enumerate(lines):
        if line.startswith("|---"):  # a table: every row has as many cells as its head
            cells = lines[index - 1].count("|")
            rows = index
            while rows < len(lines) and lines[rows].startswith("|"):
                assert lines[rows].count("|") == cells
                rows += 1


def test_csv_holds_every_trial(tmp_path):
    text = tables.trials_frame(two_depths(tmp_path)).to_csv(index=False)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(r["depth"], r["trial"]) for r in rows] == [
        ("8", "1"),
        ("8", "2"),
        ("16", "1"),
        ("16", "2"),
    ]
    assert float(rows[2]["ON/OFF"]) == pytest.approx(140 / 190, abs=1e-6)


def test_the_cpu_label_stands_in_the_table(tmp_path):
    body = two_depths(tmp_path)
    body["device"] = {"kind": "llvm", "name": "Some CPU", "driver": None}
    assert "**This is a CPU, not a GPU** (Some CPU, LLVM)" in summary_text.markdown(body)


def test_an_altered_record_does_not_get_into_a_table(tmp_path):
    path = write_trial(tmp_path, 1, blocks(100, 80, 130))
    record = json.loads(path.read_text())
    record["ratios"]["ON/OFF"] = 1.6
    path.write_text(json.dumps(record))
    with pytest.raises(FusionError, match="damaged record"):
        summarize([path], beside(tmp_path))


@pytest.mark.parametrize(
    ("variants", "pairs"),
    [
        (["OFF", "PARTIAL", "ON"], ["ON/OFF", "PARTIAL/OFF", "ON/PARTIAL"]),
        (["OFF", "ON", "INLINED"], ["ON/OFF", "INLINED/OFF", "INLINED/ON"]),
        (["PARTIAL", "INLINED"], ["INLINED/PARTIAL"]),
    ],
)
def test_any_two_variants_give_a_ratio(variants, pairs):
    assert [f"{a}/{b}" for a, b in trial_statistics.ratio_pairs(variants)] == pairs
