"""The README's commands and figures are those that the tests run and the records hold."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, has_gpu, make_it_the_default, run
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
        "python3 -m pip install -r envs/requirements-dev.txt && python3 -m pytest -n 3"
        in commands()
    )


# What runs on a GPU, needs PyTorch, or makes large environments: planned here, and run by the tests
# that are named.
PLANNED = {
    "profiles/slurm": "test_slurm.py",
    "releases.yaml": "test_toolchains.py",
    "depths.yaml": "test_peers.py",
    "map.yaml": "test_rates_record.py",
    "-- profile": "test_gpu_profile.py",
}
# The first steps are CI's own (.ci/run), the peers' environment is five gigabytes, and what is made
# from the published records is tested in test_published.py.
NOT_HERE = ("-m venv", "-m pip install", "-m pytest", ". .venv/bin/activate", "results/published")
NOT_RUN = {  # and what is said in place of it
    "-- profile": "there is nothing to profile on a CPU",
    "calibrate_device.py --arch sm_90": "nothing here can run code for sm_90",
}


@pytest.fixture(scope="module")
def checkout(make_checkout):
    """A checkout whose own experiment is tiny and on LLVM, with the files that the README names."""
    timing = {"trials": 1, "blocks": 8, "number": 2, "repeat": 2, "min_repeat_ms": 1}
    timing |= {"warmup_calls": 2, "warmup_seconds": 0.01}
    llvm = {"cases": {}, "variants": ["OFF", "PARTIAL", "ON"], "timing": timing}
    folder = make_checkout("readme", experiment="issue-20342", llvm=llvm)
    make_it_the_default(folder)
    chains = folder / "workflow/scripts/fusion/workloads/chain_add.py"
    own, small = (
        '"depth": [8, 16], "rows": 4096, "cols": 4096',
        '"depth": 2, "rows": 64, "cols": 32',
    )
    assert own in chains.read_text()
    text = chains.read_text().replace(own, small)
    chains.write_text(text.replace('"rows": 2048, "cols": 256', '"rows": 64, "cols": 32'))
    runs = ROOT / "results/published/nvidia-h200"
    shutil.copytree(runs / "issue-20342-precision", folder / "results/before")
    shutil.copytree(runs / "again/issue-20342-precision", folder / "results/after")
    (folder / "gated_softmax.py").write_text(example())
    (folder / "my.yaml").write_text("experiment: mine\nllvm: {variants: [OFF, 'ON']}\n")
    (folder / "config/experiments/workloads.yaml").write_text(
        "experiment: workloads\nworkload: [gemv, two_consumers]\non_failure: record\n"
    )
    patch = yaml.safe_load(re.search(r"```yaml\n(.*?)```", README, re.S)[1])
    patch["toolchains"] = {key: {"python": sys.executable} for key in patch["toolchains"]}
    patch["llvm"] = {"variants": ["OFF", "ON"]}
    (folder / "patch.yaml").write_text(yaml.safe_dump(patch))
    write_rates(folder / "rates.json", arch=resolve("auto").arch)
    return folder


def test_every_command_runs_as_it_stands(checkout):
    """One after the other, as a reader would; on a CPU, with a tiny experiment in the place of
    the default one. What cannot run here is planned (PLANNED), and the test that runs it is there.
    """
    ran = planned = 0
    here = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for line in commands():
        for part in line.split(" && "):
            if any(word in part for word in NOT_HERE) or not part.startswith(("snake", "python3")):
                continue
            refused = next((said for word, said in NOT_RUN.items() if word in part), None)
            elsewhere = next((test for word, test in PLANNED.items() if word in part), None)
            if elsewhere:
                assert (ROOT / "tests" / elsewhere).exists()
                part = part.replace("snakemake", "snakemake -n", 1)
                planned += 1
            done = run("bash", "-c", part, cwd=checkout, **here)
            if refused and not has_gpu():
                assert refused in done.stdout and done.returncode == 1, f"{part}\n{done.stdout}"
            else:
                assert done.returncode == 0, f"{part}\n{done.stdout}"
                ran += 1
    assert ran >= 21 and planned == 6
    made = checkout / "results/issue-20342"
    for name in ("llvm/issue.md", "llvm/tables/summary.md", "sm_86/tables/audit.md"):
        assert (made / name).is_file()
    for name in ("report.html", "compared", "on-sm_86/kernels.cubin", "results/compare"):
        assert (checkout / name).exists()


def test_relative_links_and_named_files_exist():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_explains_itself(name):
    done = run(sys.executable, f"workflow/scripts/{name}.py", "--help")
    assert done.returncode == 0
    assert done.stdout.count("--") >= 2 and "usage:" in done.stdout
