"""Nsight Compute: find it, let it watch one call, read what it counted. Needs no TVM."""

import csv
import os
import re
import shutil
import subprocess
from pathlib import Path

# What is asked for, by the names that records keep. All exist from sm_80 to sm_100.
METRICS = {
    "duration_us": "gpu__time_duration.sum",
    "xu_instructions": "sm__inst_executed_pipe_xu.sum",  # of warps: times 32 is of threads
    "xu_percent_of_peak": "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "dram_percent_of_peak": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l2_hit_percent": "lts__t_sector_hit_rate.pct",
    "registers": "launch__registers_per_thread",
    "occupancy_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
NO_RIGHTS = "ERR_NVGPUCTRPERM"


class NoCounters(Exception):
    """No counters here; the message says why, in words."""


def find() -> Path:
    """ncu on PATH, in CUDA_PATH or CUDA_HOME, or where its installers put it; else NoCounters."""
    homes = [Path(os.environ[k]) for k in ("CUDA_PATH", "CUDA_HOME") if os.environ.get(k)]
    places = [home / "bin" / "ncu" for home in [*homes, Path("/usr/local/cuda")]]
    places += sorted(Path("/opt/nvidia/nsight-compute").glob("*/ncu"), reverse=True)
    on_path = shutil.which("ncu")
    for place in [*([Path(on_path)] if on_path else []), *places]:
        if os.access(place, os.X_OK):
            return place
    raise NoCounters("Nsight Compute is not installed: no ncu on PATH, in CUDA_PATH/bin or in /opt")


def command(ncu: Path, log: Path, program: list[str]) -> list[str]:
    """ncu over what the program does between cuProfilerStart and cuProfilerStop.

    Kernels are replayed until every metric is counted. The clocks stay as they are.
    """
    options = ["--clock-control", "none", "--profile-from-start", "off", "--csv", "--page", "raw"]
    options += ["--print-units", "base", "--metrics", ",".join(METRICS.values())]
    return [str(ncu), *options, "--log-file", str(log), *program]


def count(program: list[str], log: Path) -> dict:
    """Run the program under ncu: {"tool", "command", "kernels": as parse gives them}.

    log: a file that ncu may write. Raises NoCounters if there is no ncu, it may not read the
    counters, or the program fails under it.
    """
    ncu = find()
    words = command(ncu, log, program)
    done = subprocess.run(words, capture_output=True, text=True)
    said = log.read_text() if log.exists() else ""
    if NO_RIGHTS in said + done.stdout + done.stderr:
        raise NoCounters(f"this user may not read the GPU's counters ({NO_RIGHTS})")
    if done.returncode:
        told = [line for line in (said + done.stdout + done.stderr).splitlines() if line.strip()]
        raise NoCounters(f"ncu ended with {done.returncode}: {told[-1] if told else 'no message'}")
    try:
        kernels = parse(said)
    except ValueError as error:
        raise NoCounters(f"ncu's output is not understood ({error})") from None
    if not kernels:
        raise NoCounters("ncu saw no kernel")
    return {"tool": version(ncu), "command": words[1:], "kernels": kernels}


def version(ncu: Path) -> str:
    """Such as 'ncu 2025.3.1.0'."""
    said = subprocess.run([ncu, "--version"], capture_output=True, text=True).stdout
    found = re.search(r"Version (\S+)", said)
    return f"ncu {found[1] if found else 'of unknown version'}"


def parse(text: str) -> list[dict]:
    """One entry a launch, in order, from ncu's raw page as CSV in base units.

    {"name", "grid", "block": [x, y, z], and the keys of METRICS; None for what ncu left empty}.
    Raises ValueError for rows that do not fit their head.
    Percentages of kernels of a few microseconds can pass 100: ncu counts them in several passes.
    """
    rows = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    if len(rows) < 2 or "Kernel Name" not in rows[0]:
        return []
    kernels = []
    for row in rows[2:]:  # the second row holds units
        cells = dict(zip(rows[0], row, strict=True))
        kernel = {
            "name": cells["Kernel Name"],
            "grid": _triple(cells["Grid Size"]),
            "block": _triple(cells["Block Size"]),
        }
        kernel |= {key: _number(cells.get(metric, "")) for key, metric in METRICS.items()}
        if kernel["duration_us"] is not None:
            kernel["duration_us"] = round(kernel["duration_us"] / 1e3, 3)  # the base unit is ns
        kernels.append(kernel)
    return kernels


def _triple(text: str) -> list[int]:
    return [int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", text)]


def _number(text: str) -> float | None:
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return int(value) if value.is_integer() else value
