"""Input draws: uniform, from a fixed seed, the same on every machine."""

import argparse

import ml_dtypes
import numpy as np

from .cases import Case


def add_range_arguments(parser: argparse.ArgumentParser) -> None:
    """--low and --high."""
    parser.add_argument("--low", type=float, required=True, help="inputs' least value")
    parser.add_argument("--high", type=float, required=True, help="inputs' bound above")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--seed, --low and --high: what `draw` takes."""
    parser.add_argument("--seed", required=True, type=int, help="seed of the inputs")
    add_range_arguments(parser)


def numpy_dtype(name: str) -> np.dtype:
    """NumPy's dtype for a name of workloads.DTYPES."""
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def draw(case: Case, seed: int, low: float, high: float) -> list[np.ndarray]:
    """One array an input, in the workload's order, from one PCG64 stream in [low, high).

    Drawn in float64 and then rounded to the case's dtype, so that every dtype sees the same draw.
    """
    stream = np.random.default_rng(seed)
    dtype = numpy_dtype(case.dtype)
    return [stream.uniform(low, high, s).astype(dtype) for s in case.input_shapes.values()]


def reference(case: Case, inputs: list[np.ndarray]) -> np.ndarray:
    """The workload in NumPy, rounded to its dtype after every operator."""
    from .namespace_numpy import NumpyNamespace, RoundedArray

    rounded = [array.view(RoundedArray) for array in inputs]
    return np.asarray(case.definition.function(NumpyNamespace(), *rounded, **dict(case.sizes)))
