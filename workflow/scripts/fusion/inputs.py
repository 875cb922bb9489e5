"""Input draws: uniform, from a fixed seed, the same on every machine."""

import argparse

import ml_dtypes
import numpy as np

from .workloads import INTEGERS, Input


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


def draw(inputs: dict[str, Input], seed: int, low: float, high: float) -> list[np.ndarray]:
    """One array an input, in their order, from one PCG64 stream.

    Floating-point numbers lie in [low, high), or in the input's own range. They are drawn in
    float64 and then rounded to the dtype, so that every dtype sees the same draw. Whole numbers lie
    in the input's own range, or are 0 and 1.
    """
    stream = np.random.default_rng(seed)
    return [_draw(stream, wanted, low, high) for wanted in inputs.values()]


def _draw(stream: np.random.Generator, wanted: Input, low: float, high: float) -> np.ndarray:
    dtype = numpy_dtype(wanted.dtype)
    if wanted.dtype in INTEGERS:
        low, high = 0, 2
    low = low if wanted.low is None else wanted.low
    high = high if wanted.high is None else wanted.high
    if wanted.dtype in INTEGERS:
        return stream.integers(int(low), int(high), wanted.shape).astype(dtype)
    return np.asarray(stream.uniform(low, high, wanted.shape)).astype(dtype)
