"""Compare two outputs: bits first, and numbers only where the bits differ."""

import math
from dataclasses import dataclass

import numpy as np

CHUNK = 1 << 16  # elements at a time: their float64 copies stay in the cache


@dataclass(frozen=True)
class Comparison:
    """One output against another. differing: elements whose bits differ. non_finite: NaN and Inf
    in the first. max_abs_error and beyond_tolerance are over the differing elements; NaN is
    beyond any tolerance.
    """

    shape_equal: bool
    dtype_equal: bool
    non_finite: int
    differing: int
    max_abs_error: float
    beyond_tolerance: int

    @property
    def bit_equal(self) -> bool:
        return self.shape_equal and self.dtype_equal and self.differing == 0

    @property
    def passed(self) -> bool:
        same_kind = self.shape_equal and self.dtype_equal
        return same_kind and self.non_finite == 0 and self.beyond_tolerance == 0

    def as_record(self) -> dict:
        return {
            "passed": self.passed,
            "bit_equal": self.bit_equal,
            "max_abs_error": None if math.isnan(self.max_abs_error) else self.max_abs_error,
            "differing": self.differing,
            "beyond_tolerance": self.beyond_tolerance,
            "non_finite": self.non_finite,
            "shape_equal": self.shape_equal,
            "dtype_equal": self.dtype_equal,
        }


def compare_all(
    actual: list[np.ndarray], wanted: list[np.ndarray], rtol: float, atol: float
) -> Comparison:
    """All outputs of one call against all of another, as one comparison."""
    if len(actual) != len(wanted):
        size = sum(array.size for array in actual)
        return Comparison(False, False, 0, size, math.nan, size)
    found = [compare(a, w, rtol, atol) for a, w in zip(actual, wanted, strict=True)]
    return Comparison(
        all(f.shape_equal for f in found),
        all(f.dtype_equal for f in found),
        sum(f.non_finite for f in found),
        sum(f.differing for f in found),
        float(np.max([f.max_abs_error for f in found])),  # NaN stays
        sum(f.beyond_tolerance for f in found),
    )


def compare(actual: np.ndarray, wanted: np.ndarray, rtol: float, atol: float) -> Comparison:
    """|actual - wanted| <= atol + rtol |wanted|, element by element, in float64.

    Bit equality is tested first; only the elements whose bits differ are turned into numbers.
    """
    if actual.shape != wanted.shape or actual.dtype != wanted.dtype:
        return Comparison(
            actual.shape == wanted.shape,
            actual.dtype == wanted.dtype,
            non_finite(actual),
            actual.size,
            float("nan"),
            actual.size,
        )
    bits = np.dtype(f"u{actual.dtype.itemsize}")
    a, w = actual.reshape(-1), wanted.reshape(-1)
    differing, beyond, largest = 0, 0, 0.0
    for start in range(0, a.size, CHUNK):
        part = slice(start, start + CHUNK)
        unequal = a[part].view(bits) != w[part].view(bits)
        if not unequal.any():
            continue
        got = a[part][unequal].astype(np.float64)
        want = w[part][unequal].astype(np.float64)
        with np.errstate(invalid="ignore"):
            error = np.abs(got - want)
            within = error <= atol + rtol * np.abs(want)
        differing += error.size
        beyond += error.size - int(np.count_nonzero(within))
        largest = float(np.maximum(largest, error.max()))  # NaN stays
    return Comparison(True, True, non_finite(actual), differing, largest, beyond)


def non_finite(array: np.ndarray) -> int:
    """How many elements are NaN or infinite: those whose exponent bits are all set."""
    mask = {"float16": 0x7C00, "bfloat16": 0x7F80, "float32": 0x7F800000}.get(array.dtype.name)
    if mask is None:
        return int(array.size - np.count_nonzero(np.isfinite(array)))
    bits = array.reshape(-1).view(np.dtype(f"u{array.dtype.itemsize}"))
    mask = bits.dtype.type(mask)
    return int(np.count_nonzero((bits & mask) == mask))
