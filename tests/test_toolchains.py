"""Several TVMs in one run: their environments, their trials interleaved, the table of both."""

import json
import re
import sys

import pytest
import yaml
from conftest import ROOT, program, run, snakemake

from fusion import change_tables, changes, config, entries, judging, pairs, records, toolchains
from fusion.errors import FusionError
from fusion.intervals import welch_interval

OLD = "apache-tvm==0.25.0.post1\napache-tvm-ffi==0.1.12\nnumpy==2.4.6\nml-dtypes==0.6.0\n"


@pytest.fixture(scope="module")
def ran(make_checkout, tmp_path_factory):
    """TVM 0.25 from a requirements file against the one that runs the tests."""
    requirements = tmp_path_factory.mktemp("old") / "old.txt"
    requirements.write_text(OLD)
    chains = {
        "tvm-0.25": {"requirements": str(requirements)},
        "tvm-here": {"python": sys.executable, "environment": {"MARK": "here"}},
    }
    llvm = {"cases": {"depth": 2, "rows": 64, "cols": 32}, "variants": ["OFF", "PARTIAL", "ON"]}
    folder = make_checkout("several", toolchains=chains, llvm=llvm)
    done = snakemake(
        "--cores", "2", "--configfile", "tiny.yaml", "--", "toolchains", cwd=folder, timeout=600
    )
    assert done.returncode == 0, done.stdout
    return folder


def test_the_environment_is_made_once_and_what_is_in_it_is_recorded(ran):
    record = records.read(ran / "results/toolchains/tvm-0.25.json", "toolchain")
    assert record["found"]["version"] == "0.25.0.post1"
    assert set(OLD.split()) <= {line.replace("_", "-") for line in record["pip_freeze"]}
    assert (ran / "results/toolchains/tvm-0.25/bin/python3").exists()
    again = snakemake("--configfile", "tiny.yaml", "-n", "--", "toolchains", cwd=ran)
    assert "Nothing to be done" in again.stdout


def test_both_are_timed_in_the_same_blocks_and_verified_against_each_other(ran):
    out = ran / "results/tiny/llvm"
    names = [f"{v}@{t}" for t in ("tvm-0.25", "tvm-here") for v in ("OFF", "PARTIAL", "ON")]
    (path,) = (out / "time").glob("*/trial-1.json")
    record = records.read(path, "time")
    assert record["variants"] == names
    assert {n: e["tvm"] for n, e in record["toolchains"].items()} == {
        "tvm-0.25": "0.25.0.post1",
        "tvm-here": "0.27.0.post1",
    }
    assert record["control"] == {"name": "CONTROL", "of": "ON@tvm-0.25"}
    for block in record["blocks"]:
        assert set(block["samples_us"]) == {*names, "CONTROL"}
    (path,) = (out / "verify").glob("*.json")
    pairs_compared = {
        (c["variant"], c["against"]) for c in records.read(path, "verify")["comparisons"]
    }
    assert ("ON@tvm-0.25", "ON@tvm-here") in pairs_compared


def test_the_table_has_a_column_for_each_and_says_what_changed(ran):
    text = (ran / "results/tiny/llvm/tables/toolchains.md").read_text()
    assert "tvm-0.25: TVM 0.25.0.post1" in text and "tvm-here: TVM 0.27.0.post1" in text
    head = next(line for line in text.splitlines() if line.startswith("| depth"))
    assert "tvm-0.25, µs" in head and "tvm-here / tvm-0.25" in head
    rows = [line for line in text.splitlines() if re.match(r"\| 2 \| (OFF|PARTIAL|ON) \| \d", line)]
    assert len(rows) == 3
    assert all(re.search(r"SAME|FASTER|SLOWER|AMBIGUOUS", row) for row in rows)
    changed = text[text.index("## What changed in the code") :]
    assert re.search(r"\| OFF \| tvm-here \| 7 \|", changed) and "differs" in changed


def test_the_releases_overlay_is_understood_and_its_files_pin_everything():
    default = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    overlay = yaml.safe_load((ROOT / "config/experiments/releases.yaml").read_text())
    settings = {**default, "toolchains": {**default["toolchains"], **overlay["toolchains"]}}
    assert config.tvms_of(config.check(settings)) == ["tvm-0.25", "tvm-0.26", "tvm-0.27"]
    for name, given in overlay["toolchains"].items():
        lines = (ROOT / given["requirements"]).read_text().splitlines()
        pinned = [line for line in lines if line and not line.startswith("#")]
        assert all("==" in line for line in pinned)
        assert any(line.startswith(f"apache-tvm[cuda]=={name[-4:]}") for line in pinned)
    assert "apache-tvm-ffi==0.1.12" in (ROOT / "envs/tvm-0.25.txt").read_text()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"requirements": "nowhere.txt"}, "toolchains.old.requirements is not there"),
        ({"python": "python3", "requirements": "x.txt"}, "the value of 'toolchains.old'"),
        ({"pyhton": "python3"}, "toolchains.old.pyhton"),
        (3, "the value of 'toolchains.old'"),
    ],
)
def test_a_wrong_toolchain_is_one_message(make_checkout, given, said):
    folder = make_checkout("wrong", toolchains={"old": given})
    ran = snakemake("-n", "--configfile", "tiny.yaml", cwd=folder)
    assert ran.returncode == 1 and said in ran.stdout and "Traceback" not in ran.stdout


def test_an_interpreter_without_tvm_is_one_message(tmp_path, monkeypatch):
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S -E "$@"\n')
    bare.chmod(0o755)
    known = {"old": {"python": str(bare), "environment": {}}}
    monkeypatch.setenv(toolchains.VARIABLE, json.dumps(known))
    done = program("make_toolchain.py", "--name", "old", "--out", tmp_path / "old.json")
    assert done.returncode == 1 and not (tmp_path / "old.json").exists()
    assert f"toolchain old: {bare} cannot import tvm" in done.stdout
    assert "No module named 'tvm'" in done.stdout and "Traceback" not in done.stdout


def test_requirements_that_cannot_be_had_leave_nothing(tmp_path, monkeypatch):
    """Where there is no network pip goes by a folder of wheels; here it is empty."""
    (tmp_path / "r.txt").write_text("apache-tvm==0.25.0.post1\n")
    known = {"old": {"python": str(tmp_path / "venv/bin/python3"), "environment": {}}}
    monkeypatch.setenv(toolchains.VARIABLE, json.dumps(known))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    words = ["--name", "old", "--requirements", tmp_path / "r.txt", "--out", tmp_path / "o.json"]
    done = program("make_toolchain.py", *words)
    assert done.returncode == 1 and not (tmp_path / "venv").exists()
    assert "cannot be installed" in done.stdout and "PIP_FIND_LINKS" in done.stdout


def test_names_and_pairs_of_several():
    names = [entries.entry(v, t) for t in ("a", "b") for v in ("OFF", "ON")]
    assert pairs.ratio_pairs(names) == [
        ("ON@a", "OFF@a"),
        ("ON@b", "OFF@b"),
        ("OFF@b", "OFF@a"),
        ("ON@b", "ON@a"),
    ]
    assert pairs.named_pairs(["ON/OFF"], names) == [("ON@a", "OFF@a"), ("ON@b", "OFF@b")]
    assert pairs.control_entry("ON", names) == "ON@a"
    assert pairs.ratio_pairs([]) == [] and pairs.ratio_pairs(["ON"]) == []


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.985, 1.015, "SAME"),
        (1.021, 1.05, "SLOWER"),
        (0.95, 0.98, "FASTER"),
        (1.01, 1.03, "AMBIGUOUS"),
        (0.9, 1.1, "AMBIGUOUS"),
    ],
)
def test_a_change_is_one_of_four_words(low, high, verdict):
    found = judging.change({"low": low, "high": high}, 0.02, 0.0, 0.1, False)
    assert found["verdict"] == verdict and f"{low:.4f}" in found["reason"]
    over = {"low": 0.999, "high": 1.001}
    assert judging.change(over, 0.02, 0.2, 0.1, False)["verdict"] == "AMBIGUOUS"
    assert judging.change(over, 0.02, 0.0, 0.1, True)["verdict"] == "AMBIGUOUS"
    assert judging.change(None, 0.02, 0.0, 0.1, False)["verdict"] == "AMBIGUOUS"


def test_welchs_interval_is_scipys():
    import math

    from scipy import stats

    one, other = [1.0, 1.1, 0.9, 1.2], [1.3, 1.25, 1.4]
    found = welch_interval(one, other, 0.95)
    wanted = stats.ttest_ind(other, one, equal_var=False).confidence_interval(0.95)
    assert math.log(found.low) == pytest.approx(wanted.low)
    assert math.log(found.high) == pytest.approx(wanted.high)
    assert welch_interval([1.0], other, 0.95) is None


def test_compare_is_a_stage_that_needs_no_device(ran, make_checkout):
    """The published precision run and its repetition, from a configuration for a GPU."""
    folder = make_checkout("compare")
    where = ROOT / "results/published/nvidia-h200"
    two = [where / "issue-20342-precision/sm_90", where / "again/issue-20342-precision/sm_90"]
    words = f"compare=[{two[0]}, {two[1]}]"
    done = snakemake("--config", words, "device=llvm", "--", "compare", cwd=folder)
    assert done.returncode == 0, done.stdout
    (text,) = [p.read_text() for p in (folder / "results/compare").glob("*/comparison.md")]
    assert "| 16 | ON | 140.11 | 140.12 | 1.0000 [0.9996, 1.0011] | **SAME** |" in text
    none = snakemake("--", "compare", cwd=folder)
    assert none.returncode == 1 and "compare: no runs to compare" in none.stdout
    other = f"compare=[{two[0]}, {where / 'issue-20342/sm_90'}]"
    refused = snakemake("--config", other, "--", "compare", cwd=folder)
    assert refused.returncode == 1 and "the two runs differ in protocol" in refused.stdout
    shapes = f"compare=[{two[0]}, {where / 'issue-20342-shapes/sm_90'}]"
    refused = snakemake("--config", shapes, "--", "compare", cwd=folder)
    assert refused.returncode == 1 and "the two runs differ in" in refused.stdout


def test_evidence_says_what_changed():
    def audit(calls, rule, registers, code):
        kernels = [{"rule": rule, "registers": registers}]
        return {"totals": {"calls": calls}, "kernels": kernels, "code_sha256": code}

    before, after = audit(3, "Fallback", 12, "a"), audit(2, "GeneralReduction", 12, "b")
    assert changes.evidence(before, after) == {
        "calls": "3 → 2",
        "rule": "Fallback → GeneralReduction",
        "registers": "12",
        "code": "differs",
    }
    assert changes.evidence(before, before)["code"] == "equal"
    assert changes.evidence(before, None) == {} and change_tables.frame([]).empty


def test_a_name_that_no_run_published_is_one_message(monkeypatch):
    monkeypatch.delenv(toolchains.VARIABLE, raising=False)
    with pytest.raises(FusionError, match="nothing is known of the toolchain 'new'"):
        toolchains.find("new")
    assert run(toolchains.find(None).interpreter(), "--version").returncode == 0
