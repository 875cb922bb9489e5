"""Windows over NumPy images [n, channels, height, width]: what pooling and convolution go through.

window, stride, padding and extents (of the result) are pairs, as namespace.windows gives them.
"""

from collections.abc import Iterator

import numpy as np


def taps(wide: np.ndarray, window, stride, padding, extents, fill) -> Iterator[np.ndarray]:
    """For each place of a window, row by row, what lies there of every window, [n, c, *extents]."""
    around = [(0, 0), (0, 0), *((pad, pad) for pad in padding)]
    padded = np.pad(wide, around, constant_values=fill)
    for first in np.ndindex(*window):
        places = zip(first, stride, extents, strict=True)
        rows, cols = (slice(at, at + step * (n - 1) + 1, step) for at, step, n in places)
        yield padded[:, :, rows, cols]


def correlate(wide: np.ndarray, kernels: np.ndarray, place: tuple) -> np.ndarray:
    """[n, out, *extents] of x [n, in, height, width] and kernels [out, in, kh, kw]."""
    places = taps(wide, *place, 0)
    found = sum(
        np.tensordot(kernels[:, :, row, col], next(places), axes=(1, 1))
        for row, col in np.ndindex(*place[0])
    )
    return np.swapaxes(found, 0, 1)
