"""What the tests share: the programs as a user calls them, and a checkout to run them in."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "workflow" / "scripts"
sys.path.insert(0, str(SCRIPTS))

# Tests that a shell starts in its background would ignore it, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

TOP_LEVEL = ("Snakefile", "workflow", "config", "envs", "profiles")


def run(*command, cwd=ROOT, timeout=300, **environment) -> subprocess.CompletedProcess:
    """Run a command; its standard output and error come back together as `stdout`."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        timeout=timeout,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **environment},
    )


def program(name: str, *arguments, **options) -> subprocess.CompletedProcess:
    """Run one of the pipeline's programs with this interpreter."""
    return run(sys.executable, SCRIPTS / name, *arguments, **options)


def snakemake(*arguments, cwd: Path, **options) -> subprocess.CompletedProcess:
    """Run Snakemake in a checkout, on one core unless the arguments say otherwise."""
    cores = () if "--cores" in arguments else ("--cores", "1")
    return run(sys.executable, "-m", "snakemake", *cores, *arguments, cwd=cwd, **options)


def case_words(depth=8, rows=64, cols=32, dtype="float16") -> list[str]:
    """A small case as command-line words."""
    sizes = {"depth": depth, "rows": rows, "cols": cols}
    words = [word for key, value in sizes.items() for word in ("--size", f"{key}={value}")]
    return ["--workload", "exp_chain_add", *words, "--dtype", dtype]


def compile_case(out: Path, variant: str, arch: str, **case) -> Path:
    """Compile a variant of a small case (see case_words) into `out`; the path of its record."""
    words = ["--variant", variant, "--arch", arch, "--out", out]
    done = program("compile_variant.py", *case_words(**case), *words)
    assert done.returncode == 0, done.stdout
    return out / "record.json"


@pytest.fixture(scope="session")
def make_checkout(tmp_path_factory):
    """A copy of the pipeline with a tiny LLVM experiment in tiny.yaml; give it a name."""

    def make(name: str, **overrides) -> Path:
        folder = tmp_path_factory.mktemp(name)
        for part in TOP_LEVEL:
            source = ROOT / part
            copy = shutil.copytree if source.is_dir() else shutil.copy
            ignore = {"ignore": shutil.ignore_patterns("__pycache__")} if source.is_dir() else {}
            copy(source, folder / part, **ignore)
        tiny = {
            "experiment": "tiny",
            "device": "llvm",
            "gpu": {"lock_folder": str(folder / "locks")},
            "llvm": {
                "cases": {"depth": [2, 3], "rows": 64, "cols": 32},
                "timing": {
                    "trials": 2,
                    "blocks": 3,
                    "number": 2,
                    "repeat": 2,
                    "min_repeat_ms": 1,
                    "warmup_calls": 2,
                    "warmup_seconds": 0.01,
                },
            },
        }
        for key, value in overrides.items():
            tiny[key] = {**tiny.get(key, {}), **value} if isinstance(value, dict) else value
        (folder / "tiny.yaml").write_text(yaml.safe_dump(tiny))
        return folder

    return make


def make_it_the_default(folder: Path) -> None:
    """Let the experiment of tiny.yaml be the one of a checkout's own configuration."""
    own = yaml.safe_load((folder / "config/config.yaml").read_text())
    for key, value in yaml.safe_load((folder / "tiny.yaml").read_text()).items():
        own[key] = {**own[key], **value} if isinstance(value, dict) else value
    (folder / "config/config.yaml").write_text(yaml.safe_dump(own))


def has_gpu() -> bool:
    from fusion.devices import NoGpu, find_gpus

    try:
        return bool(find_gpus())
    except NoGpu:
        return False


# Files that take long though they have few tests, or wait much, begin first.
LONG = (
    "test_slurm",
    "test_readme",
    "test_kills",
    "test_two_runs",
    "test_report",
    "test_disk_faults",
)


def pytest_collection_modifyitems(items):
    order = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(item.path.stem, len(LONG)))
    missing = None
    for item in items:
        if item.get_closest_marker("gpu"):
            missing = not has_gpu() if missing is None else missing
            if missing:
                item.add_marker(pytest.mark.skipif(True, reason="no NVIDIA GPU here"))
