"""NVIDIA's programs that read a cubin: nvdisasm and cuobjdump. They need no GPU."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from .cuda_roots import roots
from .errors import FusionError
from .nvrtc import INSTALL

PACKAGES = {"nvdisasm": "nvidia-cuda-nvdisasm", "cuobjdump": "nvidia-cuda-cuobjdump"}


def run_tool(name: str, *words: str | Path) -> str:
    """The standard output of one of the programs in PACKAGES; a failure is a FusionError."""
    done = subprocess.run([find_tool(name), *words], capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise FusionError(
            f"{name} cannot read {words[-1]}",
            found=said[-1] if said else f"exit code {done.returncode}",
            do=f"check that {version(name)} knows the architecture; a newer one may",
        )
    return done.stdout


def version(name: str) -> str:
    """Such as 'nvdisasm 13.2.86'."""
    said = subprocess.run([find_tool(name), "--version"], capture_output=True, text=True).stdout
    found = re.search(r"V(\d+(?:\.\d+)+)", said)
    return f"{name} {found[1] if found else 'of unknown version'}"


def find_tool(name: str) -> Path:
    """From the PyPI packages, CUDA_PATH, CUDA_HOME or PATH, in this order; else a FusionError."""
    for root in roots():
        if os.access(root / "bin" / name, os.X_OK):
            return root / "bin" / name
    on_path = shutil.which(name)
    if on_path is None:
        raise FusionError(
            f"NVIDIA's program {name} is missing",
            expected=f"{name} of the package {PACKAGES[name]}, or in CUDA_PATH/bin or PATH",
            found="none",
            do=INSTALL,
        )
    return Path(on_path)
