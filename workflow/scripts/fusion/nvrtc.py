"""NVIDIA's runtime compiler: is it here, and what can it compile for? Needs no GPU and no TVM."""

import re

from .errors import FusionError

INSTALL = "python3 -m pip install -r envs/requirements.txt"


def load_nvrtc():
    """The nvrtc bindings and the version of the library they loaded, such as 13.0."""
    try:
        import cuda.bindings
        from cuda.bindings import nvrtc

        _, major, minor = nvrtc.nvrtcVersion()
    except Exception as error:  # ImportError, or cuda-pathfinder's own error for a missing library
        raise FusionError(
            "the CUDA compiler nvrtc is missing",
            expected="the packages cuda-bindings and nvidia-cuda-nvrtc",
            found=f"{type(error).__name__}: {str(error).strip().splitlines()[0]}",
            do=INSTALL,
        ) from None
    return nvrtc, f"{major}.{minor}", cuda.bindings.__version__


def require_arch(arch: str) -> None:
    """Raise a FusionError that lists what this nvrtc can compile for, if `arch` is not among it."""
    nvrtc, version, _ = load_nvrtc()
    _, count = nvrtc.nvrtcGetNumSupportedArchs()
    _, archs = nvrtc.nvrtcGetSupportedArchs()
    number = re.search(r"\d+", arch)[0]
    if int(number) not in list(archs)[:count]:
        raise FusionError(
            f"unknown arch {arch!r}",
            expected=f"one that nvrtc {version} compiles for: "
            + ", ".join(f"sm_{a}" for a in list(archs)[:count]),
        )
