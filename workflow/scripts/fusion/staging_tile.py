"""The tile of a thread block under STAGED, and how its threads share it."""

import math
from dataclasses import dataclass

from .staging_graph import Graph

VECTOR_BYTES = 16  # the widest load and store of a thread (CUDA C++ Programming Guide, 5.3.2)
WARP = 32
THREADS = 256  # a block's, at most: of 256, 512 and 1024 the fastest on an H200 at depths 16 and 64
NARROW = 16  # threads along a row where a stage has an element a column
ROWS = 4  # of a thread: as many 16-byte loads are on their way at once
ROWS_BY_COLUMN = 8
ENOUGH_BLOCKS = 512  # about four on each multiprocessor of the largest GPUs


@dataclass(frozen=True)
class Tile:
    """sizes: of the tile along each axis. column: the axis of the vectors (axes behind it are 1).
    across and down: threads along the column and along the rows. rows: rows a thread. vector:
    elements of a load or store.
    """

    sizes: tuple[int, ...]
    column: int
    across: int
    down: int
    rows: int
    vector: int

    @property
    def threads(self) -> int:
        return self.across * self.down

    def elements(self, axes: tuple[int, ...]) -> int:
        """Elements that a block computes of a stage that depends on these axes."""
        return math.prod(self.sizes[axis] for axis in axes)

    def private(self, axes: tuple[int, ...]) -> bool:
        """Whether just one thread of a block reads each element of such a stage."""
        across = self.column not in axes and self.across > 1
        others = (s for axis, s in enumerate(self.sizes[: self.column]) if axis not in axes)
        down = self.down > 1 and any(size > 1 for size in others)
        return not (across or down)

    def as_record(self) -> dict:
        return {
            "sizes": list(self.sizes),
            "threads": self.threads,
            "rows_a_thread": self.rows,
            "vector": self.vector,
        }


def tile_for(graph: Graph) -> Tile:
    """The tile of a block.

    A row is spread over the threads by vectors, as evenly as it goes, and what threads are left
    take further rows. Where a stage has an element a column, tiles are narrower and higher, so that
    its elements are computed once for many rows. A thread has fewer rows where the grid would be
    too small to fill a GPU.
    """
    column = graph.column
    above = math.prod(graph.extents[:column])
    vector = (
        math.gcd(graph.extents[column], VECTOR_BYTES // graph.itemsize) if graph.itemsize else 1
    )
    vectors = -(-graph.extents[column] // vector)
    by_column = any(column in stage.axes for stage in graph.stages)
    across = _evenly(vectors, NARROW if by_column else THREADS)
    down = min(THREADS // across, _power_of_two(above))
    columns = -(-vectors // across)
    most = ROWS_BY_COLUMN if by_column else ROWS
    rows = next(
        r for r in (most, most // 2, most // 4, 1) if _blocks(above, down * r, columns) or r == 1
    )
    sizes, left = [], down * rows
    for extent in reversed(graph.extents[:column]):
        sizes.insert(0, min(extent, left))
        left //= sizes[0]
    sizes += [across * vector] + [1] * (len(graph.extents) - column - 1)
    return Tile(tuple(sizes), column, across, down, rows, vector)


def _blocks(above: int, rows: int, columns: int) -> bool:
    return -(-above // rows) * columns >= ENOUGH_BLOCKS


def _evenly(vectors: int, most: int) -> int:
    """Threads along a row: as few as cover it in as many tiles as `most` threads need."""
    each = -(-vectors // -(-vectors // most))
    return _power_of_two(each) if each <= WARP else -(-each // WARP) * WARP


def _power_of_two(number: int) -> int:
    """The least power of two that is not less."""
    return 1 << max(0, number - 1).bit_length()
