"""Arrays as files between a server and the program that asks. bfloat16 travels as uint16."""

from pathlib import Path

import numpy as np

from .inputs import numpy_dtype


def save(path: Path, arrays: list[np.ndarray]) -> None:
    """Write arrays of any of the pipeline's dtypes to a .npz."""
    plain = {f"a{n}": np.asarray(a, order="C") for n, a in enumerate(arrays)}
    plain = {n: a.view(np.uint16) if a.dtype.name == "bfloat16" else a for n, a in plain.items()}
    np.savez(path, dtypes=np.array([a.dtype.name for a in arrays]), **plain)


def load(path: Path) -> list[np.ndarray]:
    """Arrays that `save` wrote."""
    with np.load(path) as found:
        dtypes = [str(name) for name in found["dtypes"]]
        return [found[f"a{n}"].view(numpy_dtype(dtype)) for n, dtype in enumerate(dtypes)]
