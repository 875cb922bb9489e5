"""Format, lint, and the files that must say the same thing."""

import re
import sys

import pytest
import yaml
from conftest import ROOT, run


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["snakefmt", "--check", "."],
    ],
    ids=" ".join,
)
def test_format_and_lint(command):
    done = run(sys.executable, "-m", *command)
    assert done.returncode == 0, done.stdout


def test_snakemake_lint(make_checkout):
    folder = make_checkout("lint")
    done = run(sys.executable, "-m", "snakemake", "--lint", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert "Congratulations" in done.stdout


def pins(text: str) -> set[str]:
    lines = (line.strip().removeprefix("- ").split(" ;")[0] for line in text.splitlines())
    return {line for line in lines if re.fullmatch(r"[\w.-]+==[\w.]+", line)}


def test_the_conda_file_holds_the_locks_pins():
    lock = pins((ROOT / "envs/requirements.txt").read_text())
    conda = yaml.safe_load((ROOT / "envs/tvm.yaml").read_text())
    from_pip = next(d["pip"] for d in conda["dependencies"] if isinstance(d, dict))
    windows = {"pyreadline3"}
    assert set(from_pip) == {pin for pin in lock if pin.split("==")[0] not in windows}
    assert len(lock) > 60


def test_the_lock_holds_what_requirements_in_asks_for():
    lock = {
        pin.split("==")[0]: pin.split("==")[1]
        for pin in pins((ROOT / "envs/requirements.txt").read_text())
    }
    for line in (ROOT / "envs/requirements.in").read_text().splitlines():
        word = line.split("#")[0].split(";")[0].strip()
        if word:
            name, _, version = word.partition("==")
            name = name.split("[")[0]
            assert lock[name].startswith(version.rstrip("*")), word


def test_development_pins_extend_the_locks():
    lock = pins((ROOT / "envs/requirements.txt").read_text())
    assert lock <= pins((ROOT / "envs/requirements-dev.txt").read_text())


def test_every_rule_names_the_conda_file():
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        rules = re.split(r"^rule ", path.read_text(), flags=re.MULTILINE)[1:]
        for rule in rules:
            runs = "shell:" in rule or "script:" in rule
            assert runs == ("conda:" in rule), f"{path.name}: {rule[:40]}"


def test_pre_commit_has_the_versions_of_the_lock():
    lock = pins((ROOT / "envs/requirements-dev.txt").read_text())
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    used = {pin for hook in hooks for pin in hook["additional_dependencies"]}
    assert {pin.split("==")[0] for pin in used} == {"ruff", "snakefmt"}
    assert used <= lock
