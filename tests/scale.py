"""How the pipeline bears a sweep of 300 cases, 4 variants and 5 trials: python3 tests/scale.py

Not a test: it prints what it measures. It plans the whole sweep, compiles a tenth of it for sm_90
for real, and puts 1,500 trials into tables and figures. Those trials are copies of the published
run's, under other names: they make the files that a sweep of this size has, and measure nothing
about a GPU; they are deleted afterwards.
"""

import copy
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml
from conftest import ROOT  # which also makes the package known

from fusion import records
from fusion.cases import expand

PUBLISHED = ROOT / "results/published/nvidia-h200/issue-20342/sm_90"
NAME = "exp_chain_add-depth16-rows4096-cols4096-float16"
VARIANTS = ["OFF", "PARTIAL", "ON", "SPLIT"]
CASES = {
    "depth": list(range(1, 31)),
    "rows": [64, 128, 256, 512, 1024],
    "cols": [32, 64],
    "dtype": "float16",
}
TRIALS = 5


def timed(what: str, command: list, **options) -> None:
    start = time.monotonic()
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **options
    )
    seconds = time.monotonic() - start
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(f"{what}: {seconds:.1f} s, at most {most:.2f} GiB a process so far", flush=True)
    if done.returncode:
        sys.exit((done.stdout + done.stderr)[-2000:])


def copies(folder: Path) -> dict[str, list[Path]]:
    """Compile, verify and time records of every case."""
    read = {
        v: records.read(PUBLISHED / f"compile/{NAME}/{v}/record.json", "compile")
        for v in ("OFF", "PARTIAL", "ON")
    }
    read["SPLIT"] = read["PARTIAL"]
    verify = records.read(PUBLISHED / f"verify/{NAME}.json", "verify")
    trial = records.read(PUBLISHED / f"time/{NAME}/trial-1.json", "time")
    trial["variants"] = VARIANTS
    for block in trial["blocks"]:
        block["samples_us"]["SPLIT"] = block["samples_us"]["PARTIAL"]
        block["calls"]["SPLIT"] = block["calls"]["PARTIAL"]
        block["order"].append("SPLIT")
    for key in ("modules", "median_us", "cv"):
        trial[key]["SPLIT"] = trial[key]["PARTIAL"]
    for left in ("OFF", "ON"):
        trial["ratios"][f"SPLIT/{left}"] = trial["ratios"].get(f"PARTIAL/{left}", 0.5)
    verify["comparisons"] += [
        {**c, "variant": "SPLIT"} for c in verify["comparisons"] if c["variant"] == "PARTIAL"
    ]
    found: dict[str, list[Path]] = {"compiled": [], "verified": [], "trials": []}

    def write(kind: str, where: str, record: dict, case: dict, **change) -> Path:
        body = {k: v for k, v in record.items() if k not in ("schema", "written", "digest")}
        path = folder / where
        records.write(path, kind, {**body, "case": case, **change})
        return path

    for case in expand("exp_chain_add", CASES, small=False):
        about = case.as_record()
        for v in VARIANTS:
            where = f"compile/{case.name}/{v}/record.json"
            found["compiled"].append(write("compile", where, read[v], about, variant=v))
        found["verified"].append(write("verify", f"verify/{case.name}.json", verify, about))
        for n in range(1, TRIALS + 1):
            where = f"time/{case.name}/trial-{n}.json"
            found["trials"].append(write("time", where, copy.deepcopy(trial), about, trial=n))
    return found


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="fuse-or-not-scale-") as name:
        folder = Path(name)
        whole = {"experiment": "scale", "results": name, "workload": "exp_chain_add"}
        whole |= {"cases": CASES, "variants": VARIANTS, "device": "llvm"}
        whole["llvm"] = {"variants": VARIANTS, "timing": {"trials": TRIALS}}
        tenth = {**whole, "device": "sm_90", "cases": {**CASES, "depth": [1, 15, 30]}}
        for path, settings in (("whole", whole), ("tenth", tenth)):
            (folder / f"{path}.yaml").write_text(yaml.safe_dump(settings))
        snakemake = [sys.executable, "-m", "snakemake", "--nolock", "--cores", "2"]
        plan = [*snakemake, "-n", "--quiet", "all", "--configfile"]
        wanted = ["--", "aggregate", "figures"]
        timed(
            "plan 300 cases to tables and figures",
            [*plan, folder / "whole.yaml", *wanted],
            cwd=ROOT,
        )
        timed("plan everything (with rebuild and audit)", [*plan, folder / "whole.yaml"], cwd=ROOT)
        timed(
            "compile a tenth, 120 builds for sm_90, on 2 cores",
            [*snakemake, "--quiet", "all", "--configfile", folder / "tenth.yaml", "--", "compile"],
            cwd=ROOT,
        )
        found = copies(folder / "records")
        for kind, paths in found.items():
            (folder / f"{kind}.txt").write_text("".join(f"{p}\n" for p in paths))
        size = sum(p.stat().st_size for paths in found.values() for p in paths) / 1e6
        print(f"{sum(map(len, found.values()))} records, {size:.0f} MB")
        program = ROOT / "workflow/scripts"
        judging = yaml.safe_load((ROOT / "config/config.yaml").read_text())
        words = [
            w
            for section in ("passing", "judging")
            for k, v in judging[section].items()
            for w in (f"--{k.replace('_', '-')}", v)
        ]
        lists = [
            w
            for o, n in (
                ("--trials", "trials"),
                ("--verified", "verified"),
                ("--compiled", "compiled"),
            )
            for w in (o, f"@{folder}/{n}.txt")
        ]
        out = folder / "tables"
        timed(
            "aggregate 1,500 trials",
            [
                sys.executable,
                program / "aggregate_trials.py",
                "--experiment",
                "scale",
                *lists,
                *words,
                "--out",
                out,
            ],
        )
        timed(
            "figures of 300 cases",
            [
                sys.executable,
                program / "plot_figures.py",
                "--summary",
                out / "summary.json",
                "--trials",
                f"@{folder}/trials.txt",
                "--figures",
                "ratios_by_depth",
                "latency_by_depth",
                "fastest_map",
                "crossing",
                "--out",
                folder / "f",
            ],
        )
    print(f"on {os.cpu_count()} CPU cores")


if __name__ == "__main__":
    main()
