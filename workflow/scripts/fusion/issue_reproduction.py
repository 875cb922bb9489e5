"""How to do the experiment of an issue again: the configuration as an overlay, and the commands."""

import json
import re
import subprocess
from pathlib import Path

import yaml

from .issue_markdown import code_span, fence
from .workloads import file_of

# Where something runs or is written, and not what is measured.
HERE = ("results", "gpu", "compare")
DEFAULT = Path(__file__).parents[3] / "config" / "config.yaml"
FILE = "issue.yaml"
UNKNOWN = "the configuration is not known here"


def overlay(config: dict, kind: str) -> dict:
    """What of a checked configuration differs from the default one, for --configfile.

    kind: cuda or llvm, of the device that was measured. A file's path becomes its name, as a
    reader will have it.
    """
    found = _difference(config, yaml.safe_load(DEFAULT.read_text()))
    found = {key: value for key, value in found.items() if key not in (*HERE, "device")}
    found |= {"device": "llvm"} if kind == "llvm" else {}
    for section in (found, found.get("llvm", {})):
        if "workload" in section:
            section["workload"] = _names(section["workload"])
        products = section.get("cases", [])
        for product in products if isinstance(products, list) else [products]:
            if "workload" in product:
                product["workload"] = _names(product["workload"])
    return found


def _difference(given: dict, default: dict) -> dict:
    """The keys whose values differ; of an object, those within it. Lists are taken whole."""
    found = {}
    for key, value in given.items():
        if isinstance(value, dict) and isinstance(default.get(key), dict):
            inner = _difference(value, default[key])
            found |= {key: inner} if inner else {}
        elif key not in default or value != default[key]:
            found[key] = json.loads(json.dumps(value))
    return found


def _names(workload: str | list[str]) -> str | list[str]:
    if isinstance(workload, list):
        return [_names(one) for one in workload]
    path = file_of(workload)
    return Path(path).name if path else workload


def address(folder: Path) -> str:
    """Where a checkout can be cloned from by anybody, as git knows it; "" for anything else."""
    ask = ["git", "-C", str(folder), "remote", "get-url", "origin"]
    try:
        said = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""
    # No user's name or token, no host of an internal form: those are nobody else's.
    return said if re.fullmatch(r"https://[\w.-]+\.[a-z]+/[\w./-]+", said) else ""


def lines(summary: dict, found: dict | None, source: str = "") -> list[str]:
    """The steps, from an empty folder. found: an overlay, or None where it is not known.

    source: the address to clone from, if it is known.
    """
    gpu = "" if summary["device"]["kind"] == "llvm" else " --resources gpu=1"
    needs = (
        "no GPU is needed"
        if not gpu
        else f"an NVIDIA GPU ({summary['arch']} here) with driver 580 or newer; no CUDA toolkit"
    )
    run = f"snakemake --cores 1{gpu}"
    clone = f"git clone {source} fuse-or-not && cd fuse-or-not"
    install = [
        *([clone] if source else []),
        "python3 -m venv .venv && . .venv/bin/activate",
        "python3 -m pip install -r envs/requirements.txt",
    ]
    steps = [
        "The numbers were measured with fuse-or-not, a Snakemake pipeline around TVM; this report "
        "is its stage `issue`.",
        "",
        f"1. Clone fuse-or-not and install it, on Linux with Python 3.11 or later ({needs}):",
        "",
        *_indented(fence("\n".join(install), "bash")),
        "",
    ]
    files = dict.fromkeys(
        case["case"]["file"]["path"] for case in summary["cases"] if "file" in case["case"]
    )
    if files:
        named = ", ".join(code_span(Path(path).name) for path in files)
        steps += [f"2. Put {named} (above) beside its `Snakefile`.", ""]
    number = 3 if files else 2
    if found:
        text = yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=90)
        steps += [
            f"{number}. Save what differs from its `config/config.yaml` as `{FILE}`:",
            "",
            *_indented(fence(text, "yaml")),
            "",
        ]
        number += 1
        run += f" --configfile {FILE}"
    elif found is None:
        steps += [f"{number}. Write the configuration of this experiment ({UNKNOWN}).", ""]
        number += 1
    said = "" if found or found is None else " (nothing differs from `config/config.yaml`)"
    steps += [f"{number}. Run it{said}:", "", *_indented(fence(f"{run} -- issue", "bash")), ""]
    return steps + _notes(found or {})


def _notes(found: dict) -> list[str]:
    notes = []
    if found.get("rates", "table") != "table":
        notes.append(
            "`rates` is a record of this machine; write your own with "
            "`workflow/scripts/calibrate_device.py`."
        )
    if found.get("toolchains"):
        notes.append("`toolchains` names interpreters of this machine where it gives a path.")
    return [line for note in notes for line in (note, "")]


def _indented(lines: list[str]) -> list[str]:
    """As a part of a list's item."""
    return [f"   {line}" if line else "" for line in lines]
