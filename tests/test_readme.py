"""The README's commands and figures are those that the tests run and the records hold."""

import re
import shlex
import sys

import pytest
from conftest import ROOT, has_gpu, run, snakemake
from test_own_workloads import example
from test_rates_record import write as write_rates

from fusion.devices import resolve

README = (ROOT / "README.md").read_text()
PROGRAMS = sorted(path.stem for path in (ROOT / "workflow/scripts").glob("*.py"))


def commands() -> list[str]:
    return [line[4:] for line in README.splitlines() if line.startswith("    ")]


def test_the_two_commands_of_a_newcomer_stand_there_to_the_letter():
    assert (
        "python3 -m pip install -r envs/requirements.txt && snakemake --cores 1 --resources gpu=1"
        in commands()
    )
    assert (
        "python3 -m pip install -r envs/requirements-dev.txt && python3 -m pytest -n 2"
        in commands()
    )


def test_every_snakemake_command_is_understood(make_checkout):
    """Each as it stands, as a dry run; those that need results of a run may say so in words."""
    folder = make_checkout("readme")
    (folder / "my.yaml").write_text("experiment: mine\n")
    (folder / "gated_softmax.py").write_text(example())
    (folder / "patch.yaml").write_text(re.search(r"```yaml\n(.*?)```", README, re.S)[1])
    for part in ("before", "after"):
        (folder / f"results/{part}/sm_90/tables").mkdir(parents=True)
        (folder / f"results/{part}/sm_90/tables/summary.json").write_text("{}")
    write_rates(folder / "rates.json", arch=resolve("auto").arch)
    seen = 0
    for line in commands():
        for part in line.split(" && "):
            words = shlex.split(part)
            if words[0] == "snakemake" and "--allowed-rules" not in words:
                done = snakemake("-n", *words[1:], cwd=folder)
                if "profile" in words and not has_gpu():
                    assert "there is nothing to profile on a CPU" in done.stdout
                else:
                    assert done.returncode == 0, f"{line}\n{done.stdout}"
                seen += 1
    assert seen >= 4


def test_relative_links_and_named_files_exist():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_explains_itself(name):
    done = run(sys.executable, f"workflow/scripts/{name}.py", "--help")
    assert done.returncode == 0
    assert done.stdout.count("--") >= 2 and "usage:" in done.stdout
