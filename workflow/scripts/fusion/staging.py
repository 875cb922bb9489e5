"""STAGED: a dlight rule that computes a reused producer once a thread block, then broadcasts it.

The stock rules inline every producer into its consumer, so that each thread runs the whole chain
for each element. This one keeps the chain's last result of a block's tile in shared memory (or in
registers, where one thread alone reads it) and lets the broadcasting consumer run over vectors of
16 bytes. Where it cannot, it says why and takes nothing, and the stock rules follow.
"""

from tvm import s_tir, tirx
from tvm.s_tir import dlight
from tvm.target import Target

from . import staging_graph
from .staging_graph import Declined, Graph, Stage
from .staging_tile import Tile, tile_for


class Staged(dlight.ScheduleRule):
    """The rule. `explanation` is what it did with the last PrimFunc and why, for the record."""

    def __init__(self):
        super().__init__()
        self.explanation: dict = {}

    def apply(self, func: tirx.PrimFunc, target: Target, _tunable: bool) -> s_tir.Schedule | None:
        schedule = s_tir.Schedule(func)
        try:
            graph = staging_graph.reduce(schedule)
            tile = tile_for(graph)
            scopes = _stage(schedule, graph, tile, bind=target.kind.name == "cuda")
        except Declined as reason:
            self.explanation = {"pass": "STAGED", "staged": False, "reason": str(reason)}
            return None
        except s_tir.ScheduleError as error:
            last = str(error).strip().splitlines()[-1]
            reason = f"TVM does not schedule it so: {last}"
            self.explanation = {"pass": "STAGED", "staged": False, "reason": reason}
            return None
        self.explanation = {
            "pass": "STAGED",
            "staged": True,
            "reason": staging_graph.describe(graph, scopes),
            "tile": tile.as_record(),
            "stages": [
                {
                    "shape": list(stage.shape),
                    "elements_a_block": tile.elements(stage.axes),
                    "scope": scope,
                }
                for stage, scope in zip(graph.stages, scopes, strict=True)
            ],
        }
        return schedule


def _stage(schedule: s_tir.Schedule, graph: Graph, tile: Tile, bind: bool) -> list[str]:
    """Schedule the graph by the tile; returns each stage's scope.

    bind: to a GPU's blocks, threads and memories. Without it the same loops run one after another
    and every buffer is in global memory, which any CPU can do.
    """
    block, inner = _outer(schedule, graph.output, tile)
    # What is placed in the block's loop must be so before the tile's loops are spread over threads,
    # which may be more than the tile has elements: the regions to compute would grow with them.
    for index in graph.streamed:
        copy = schedule.cache_read(graph.output, index, "local" if bind else "global")
        schedule.compute_at(copy, block, preserve_unit_loops=True)
        threads = _inner(schedule, schedule.get_loops(copy)[-len(tile.sizes) :], tile)
        if bind:
            schedule.bind(threads, "threadIdx.x")
    private = all(tile.private(stage.axes) for stage in graph.stages)
    scope = "local" if private else "shared"
    for stage in reversed(graph.stages):
        if bind:
            schedule.set_scope(stage.block, 0, scope)
        if not private:
            schedule.compute_at(stage.block, block, preserve_unit_loops=True)
            _cooperate(schedule, stage, tile, bind)
    threads = _inner(schedule, inner, tile)
    if private:
        for stage in reversed(graph.stages):
            schedule.compute_at(stage.block, threads, preserve_unit_loops=True)
    if bind:
        schedule.bind(block, "blockIdx.x")
        schedule.bind(threads, "threadIdx.x")
    return [scope] * len(graph.stages)


def _outer(schedule: s_tir.Schedule, output, tile: Tile) -> tuple:
    """Tile the output's loops; returns the loop over blocks, and the loops of a tile."""
    outer, inner = [], []
    for loop, size in zip(schedule.get_loops(output), tile.sizes, strict=True):
        o, i = schedule.split(loop, factors=[None, size])
        outer.append(o)
        inner.append(i)
    schedule.reorder(*outer, *inner)
    return schedule.fuse(*outer), inner


def _inner(schedule: s_tir.Schedule, inner: list, tile: Tile):
    """A tile's loops as threads, rows of a thread and its vector; returns the loop over threads."""
    rows = schedule.fuse(*inner[: tile.column]) if tile.column else None
    column = schedule.fuse(*inner[tile.column :])
    across, vector = schedule.split(column, factors=[tile.across, tile.vector])
    if rows is None:
        threads, own = across, None
    else:
        down, own = schedule.split(rows, factors=[tile.down, tile.rows])
        schedule.reorder(down, across, own, vector)
        threads = schedule.fuse(down, across)
        schedule.unroll(own)
    schedule.vectorize(vector)
    return threads


def _cooperate(schedule: s_tir.Schedule, stage: Stage, tile: Tile, bind: bool) -> None:
    """A block's threads share the work on a stage, an element each."""
    fused = schedule.fuse(*schedule.get_loops(stage.block)[-len(stage.shape) :])
    _, threads = schedule.split(fused, factors=[None, tile.threads])
    if bind:
        schedule.bind(threads, "threadIdx.x")
