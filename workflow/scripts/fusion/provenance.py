"""Who made a record: versions of everything between the workload and the machine code."""

import platform
import sys

import numpy as np
import tvm
import tvm_ffi


def environment() -> dict:
    """Versions of TVM (with its source commit where the build knows it), Python, NumPy and OS."""
    info = dict(tvm.support.libinfo())
    commit = info.get("GIT_COMMIT_HASH", "")
    return {
        "tvm": tvm.__version__,
        "tvm_commit": commit if commit not in ("", "NOT-FOUND") else "not known by this build",
        "tvm_ffi": tvm_ffi.__version__,
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "numpy": np.__version__,
        "os": platform.platform(),
        "machine": platform.machine(),
    }
