"""A checkout anywhere, run from anywhere: spaces, quotes, other scripts, -s and --directory."""

import shutil

import pytest
import yaml
from conftest import snakemake

from fusion import records

ODD = "a b 'c' \"d\" ünï 日本 $HOME"
WORKLOAD = """
inputs = {"x": ("rows", "cols")}
defaults = {"rows": 8, "cols": 4, "dtype": "float32"}


def scale(xp, x, **sizes):
    return xp.exp(x) * 2
"""
TIMING = {"trials": 1, "blocks": 2, "number": 2, "repeat": 2, "min_repeat_ms": 1}
TIMING |= {"warmup_calls": 2, "warmup_seconds": 0.01}


@pytest.fixture(scope="module")
def checkout(make_checkout, tmp_path_factory):
    """In a folder with an odd name."""
    folder = tmp_path_factory.mktemp("places") / ODD
    shutil.move(make_checkout("places"), folder)
    return folder


def settings(folder, **changes):
    """A configuration file in the folder, whose workload is named relative to that."""
    (folder / "work load").mkdir(parents=True)
    (folder / "work load" / "scale.py").write_text(WORKLOAD)
    given = {
        "experiment": "placed",
        "device": "llvm",
        "gpu": {"lock_folder": str(folder / "locks of mine")},
        "workload": "work load/scale.py",
        "llvm": {"cases": {}, "variants": ["OFF", "ON"], "timing": TIMING},
        **changes,
    }
    (folder / "my settings.yaml").write_text(yaml.safe_dump(given))


def check(out):
    """That everything of a run lies here, and which file it was of."""
    (trial,) = out.glob("time/*/trial-1.json")
    assert (out / "tables" / "summary.md").exists()
    return records.read(trial, "time")["case"]["file"]["path"]


def test_a_snakefile_from_elsewhere_runs_to_the_figures(checkout, tmp_path):
    """-s: everything relative starts at the folder that Snakemake was started in."""
    here = tmp_path / "else where"
    settings(here)
    words = ["-s", checkout / "Snakefile", "--configfile", "my settings.yaml", "--", "figures"]
    ran = snakemake(*words, cwd=here)
    assert ran.returncode == 0, ran.stdout
    out = here / "results" / "placed" / "llvm"
    assert check(out) == "work load/scale.py"
    assert list(out.glob("figures/samples/*.svg"))
    assert not (checkout / "results").exists()
    again = snakemake(*words, cwd=here)
    assert again.returncode == 0 and "Nothing to be done" in again.stdout, again.stdout


def test_another_directory_and_results_at_an_absolute_path(checkout, tmp_path):
    """--directory: there everything relative starts, and results may lie wherever they are told."""
    here, results = tmp_path / f"run {ODD}", tmp_path / f"results {ODD}"
    settings(here, results=str(results))
    words = ["--directory", here, "--configfile", here / "my settings.yaml", "--", "aggregate"]
    ran = snakemake(*words, cwd=checkout)
    assert ran.returncode == 0, ran.stdout
    assert check(results / "placed" / "llvm") == "work load/scale.py"
    assert not (checkout / "results").exists() and not (here / "results").exists()
    assert not (checkout / ".snakemake").exists()


def test_a_workload_that_is_not_there_says_where_it_was_sought(checkout, tmp_path):
    ran = snakemake(
        "-s", checkout / "Snakefile", "-n", "--config", "workload=nowhere/x.py", cwd=tmp_path
    )
    assert ran.returncode == 1 and "no workload at nowhere/x.py" in ran.stdout
    assert "the folder that Snakemake runs in" in ran.stdout and "Traceback" not in ran.stdout
