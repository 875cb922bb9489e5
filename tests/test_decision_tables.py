"""The table of what remedies decided, from compile records."""

import csv

from conftest import compile_case, program

from fusion import decision_tables

STAGED = {
    "case": {"name": "a case"},
    "variant": "STAGED",
    "decisions": [
        {"pass": "STAGED", "function": "fused_add", "staged": True, "reason": "one boundary"},
        {"pass": "STAGED", "function": "sum", "staged": False, "reason": "a reduction"},
    ],
}


def test_decisions_of_real_builds(tmp_path):
    sizes = {"depth": 16, "rows": 4096, "cols": 4096}
    paths = [compile_case(tmp_path / v, v, "sm_90", **sizes) for v in ("ON", "SPLIT")]
    done = program("decision_table.py", "--records", *paths, "--out", tmp_path)
    assert done.returncode == 0, done.stdout
    (row,) = csv.DictReader((tmp_path / "decisions.csv").read_text().splitlines())
    assert (row["variant"], row["decision"], row["elements"]) == ("SPLIT", "cut", "4096")
    assert row["operators"] == "exp 16, multiply 16, subtract 16"
    assert float(row["materialised_us"]) < float(row["fused_us"])
    text = (tmp_path / "decisions.md").read_text()
    assert "| cut |" in text and "computing it once is faster" in text
    assert "Decided nothing in any case: ON." in text
    assert "Rates: NVIDIA H200 (" in text


def test_a_schedule_rules_decisions_stand_in_the_same_table():
    rows = decision_tables.rows([STAGED])
    assert [(r["producer"], r["decision"], r["fused_us"]) for r in rows] == [
        ("fused_add", "staged", None),
        ("sum", "declined", None),
    ]
    assert "| declined | a reduction |" in decision_tables.markdown([STAGED])


def test_without_decisions_the_page_says_so():
    silent = {**STAGED, "variant": "OFF", "decisions": []}
    assert "Decided nothing in any case: OFF." in decision_tables.markdown([silent])
    assert "STAGED" in decision_tables.markdown([silent, STAGED])
