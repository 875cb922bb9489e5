"""The published runs: whole records, tables that come out of them again, the README's numbers."""

import shutil

import pytest
from conftest import ROOT, program, snakemake

from fusion import records

RUN = ROOT / "results/published/nvidia-h200/issue-20342/sm_90"
README = (ROOT / "README.md").read_text()


@pytest.fixture(scope="module")
def summary():
    return records.read(RUN / "tables/summary.json", "summary")


def test_every_record_is_whole():
    kinds = {"compile": "record.json", "rebuild": "*.json", "verify": "*.json", "time": "*.json"}
    for kind, name in kinds.items():
        found = list((RUN / kind).rglob(name))
        assert len(found) == {"compile": 6, "rebuild": 6, "verify": 2, "time": 10}[kind]
        for path in found:
            records.read(path, kind)


def test_it_is_the_issues_protocol_on_an_h200(summary):
    assert summary["device"]["name"] == "NVIDIA H200" and summary["arch"] == "sm_90"
    protocol = summary["protocol"]
    assert (protocol["blocks"], protocol["repeat"], protocol["min_repeat_ms"]) == (40, 5, 50)
    assert [case["case"]["sizes"]["depth"] for case in summary["cases"]] == [8, 16]
    for case in summary["cases"]:
        assert case["case"]["sizes"]["rows"] == case["case"]["sizes"]["cols"] == 4096
        assert len(case["trials"]) == 5
        depth = case["case"]["sizes"]["depth"]
        assert case["calls"] == {"OFF": 3 * depth + 1, "PARTIAL": 2, "ON": 1}
        assert case["held_s"]["max"] <= 45
    for path in (RUN / "time").rglob("*.json"):
        blocks = records.read(path, "time")["blocks"]
        for variant in ("OFF", "PARTIAL", "ON"):
            assert sum(len(block["samples_us"][variant]) for block in blocks) == 200


def test_the_tables_come_out_of_the_records_again(tmp_path):
    def listed(kind, name):
        return sorted((RUN / kind).rglob(name), key=lambda p: ("depth16" in str(p), str(p)))

    done = program(
        "aggregate_trials.py",
        "--experiment",
        "issue-20342",
        "--trials",
        *listed("time", "*.json"),
        "--verified",
        *listed("verify", "*.json"),
        "--compiled",
        *listed("compile", "record.json"),
        "--max-cv",
        0.05,
        "--min-slowdown",
        1.10,
        "--out",
        tmp_path,
    )
    assert done.returncode == 0, done.stdout
    for name in ("summary.md", "summary.csv", "trials.csv"):
        assert (tmp_path / name).read_text() == (RUN / "tables" / name).read_text()


def test_the_readme_shows_these_numbers(summary):
    for case in summary["cases"]:
        for pair in ("ON/OFF", "PARTIAL/OFF", "ON/PARTIAL"):
            assert f"{case['ratios'][pair]['median']:.4f}" in README
        passing = case["trials_passing"]
        assert f"{passing['passing']}/{passing['of']}" in README
    for number in ("1.301768", "1.595166", "0.793551", "0.646946", "1.641148", "2.444368"):
        assert number in README  # the issue's own table
    slowest = max(case["held_s"]["max"] for case in summary["cases"])
    assert f"{slowest:.1f} s" in README


def test_its_figures_are_redrawn_without_a_gpu_by_the_readmes_command(make_checkout):
    folder = make_checkout("redraw")
    shutil.copytree(ROOT / "results/published", folder / "results/published")
    line = next(line.strip() for line in README.splitlines() if "results=results/published" in line)
    figures = folder / "results/published/nvidia-h200/issue-20342/sm_90/figures"
    drawn = figures / "ratios_by_depth.svg"
    old = drawn.read_text()
    drawn.unlink()
    done = snakemake(*line.split()[1:], cwd=folder)
    assert done.returncode == 0, done.stdout
    assert "NVIDIA H200" in drawn.read_text() and len(drawn.read_text()) == pytest.approx(
        len(old), rel=0.05
    )
    kept = sorted(p.relative_to(RUN) for p in RUN.rglob("*") if p.is_file())
    new = folder / "results/published/nvidia-h200/issue-20342/sm_90"
    assert kept == sorted(
        p.relative_to(new) for p in new.rglob("*") if p.is_file() and "logs" not in p.parts
    )
