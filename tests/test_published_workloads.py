"""What the README says of the twelve workloads and the three releases, held to their records."""

import re

import pytest
from conftest import ROOT

from fusion import records

PUBLISHED = ROOT / "results/published/nvidia-h200"
README = (ROOT / "README.md").read_text()
VARIANTS = ("OFF", "PARTIAL", "ON", "SPLIT", "STAGED")


def cases(name: str) -> dict:
    summary = records.read(PUBLISHED / name / "sm_90/tables/summary.json", "summary")
    return {case["case"]["name"]: case for case in summary["cases"]}


@pytest.mark.parametrize("case", cases("workloads").values(), ids=lambda c: c["case"]["workload"])
def test_the_readmes_row_of_a_workload_is_what_was_measured(case):
    name = case["case"]["workload"]
    (row,) = [
        line
        for line in README.splitlines()
        if re.match(rf"\| `{name}`.* \| .* \| .* \|", line) and len(line.split("|")) == 8
    ]
    cells = [cell.strip() for cell in row.split("|")[2:-1]]
    for variant, cell in zip(VARIANTS, cells, strict=True):
        over = case["median_us"].get(variant)
        assert cell == ("fails" if over is None else f"{over['median']:.2f}"), variant
        assert (variant in case["failed"]) is (over is None)


def test_fusing_the_add_into_the_pooling_changes_the_rule_and_costs():
    (case,) = [c for n, c in cases("workloads").items() if n.startswith("max_pool_add")]
    over = case["ratios"]["ON/PARTIAL"]
    words = f"{over['median']:.2f} [{over['interval']['low']:.2f}, {over['interval']['high']:.2f}]"
    assert words == "5.76 [3.88, 9.39]" and words in README
    rules = {}
    for variant in ("PARTIAL", "ON"):
        where = f"workloads/sm_90/compile/{case['case']['name']}/{variant}/record.json"
        found = records.read(PUBLISHED / where, "compile")["functions"]
        rules[variant] = [f["rule"] for f in found if "max_pool2d" in f["name"]]
    assert rules == {"PARTIAL": ["Fallback"], "ON": ["GeneralReduction"]}


def test_what_verified_and_what_failed_is_by_stage():
    failed = {
        (c["case"]["workload"], v): why["stage"]
        for c in cases("workloads").values()
        for v, why in c["failed"].items()
    }
    assert failed == {("rsqrt_mean", v): "compile" for v in VARIANTS} | {
        ("tuple_projection", v): "compile" for v in VARIANTS if v != "OFF"
    }


def test_the_releases_make_the_same_cubins_and_the_same_time():
    largest = 0.0
    for case in cases("issue-20342-releases").values():
        for variant in ("OFF", "PARTIAL", "ON"):
            names = [f"{variant}@tvm-0.{release}" for release in (25, 26, 27)]
            assert len({case["code"][name] for name in names}) == 1
            for name in names[1:]:
                over = case["ratios"][f"{name}/{names[0]}"]
                if variant != "OFF":
                    assert 1 / 1.02 <= over["interval"]["low"] <= over["interval"]["high"] <= 1.02
                    largest = max(largest, abs(over["median"] - 1))
    assert f"at most {100 * largest:.1f} % apart" in README
    text = (PUBLISHED / "issue-20342-releases/sm_90/tables/toolchains.md").read_text()
    assert text.count("**SAME**") == 8 and text.count("**AMBIGUOUS**") == 4
    for release in ("0.25.0.post1", "0.26.0", "0.27.0.post1"):
        assert f"TVM {release} " in text
