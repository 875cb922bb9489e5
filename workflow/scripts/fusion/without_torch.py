"""Keep PyTorch out of a program of the pipeline, which has no use for it.

tvm_ffi imports PyTorch wherever it is installed, to exchange tensors with it. On the host of an
H200 that took 4.0 of the 4.4 s in which `import tvm` ended.
"""

import sys


class _Absent:
    """A finder that says of PyTorch what the others would say if it were not installed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "torch":
            raise ModuleNotFoundError("PyTorch is not wanted here", name=name)


def install() -> None:
    """To be called before TVM is imported. What is already imported stays."""
    if _Absent not in sys.meta_path:
        sys.meta_path.insert(0, _Absent)
