"""The linker for exported modules: the machine's C compiler, or LLD from the ziglang package.

TVM exports a module by linking object files into a shared library. A machine without a C
compiler still has the locked package `ziglang`, which carries LLD; no C library is needed, since
the few functions that the objects use are in the process that loads them.
"""

import importlib.util
import subprocess
import sys

from .errors import FusionError


def _lld(output: str, objects: list[str], **_) -> None:
    command = [sys.executable, "-m", "ziglang", "ld.lld", "-shared", "-o", output, *objects]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise FusionError("LLD cannot link the exported module", found=done.stderr.strip())


def find_linker():
    """(fcompile for Module.export_library or None for TVM's own, its name and version)."""
    from tvm.support import cc

    compiler = cc.get_cc()
    if compiler:
        done = subprocess.run([compiler, "--version"], capture_output=True, text=True)
        return None, (done.stdout.splitlines() or [compiler])[0]
    if importlib.util.find_spec("ziglang"):
        done = subprocess.run(
            [sys.executable, "-m", "ziglang", "ld.lld", "--version"], capture_output=True, text=True
        )
        return _lld, done.stdout.strip()
    raise FusionError(
        "no linker for the exported module",
        expected="a C compiler on PATH, or the package ziglang",
        do="python3 -m pip install -r envs/requirements.txt",
    )
