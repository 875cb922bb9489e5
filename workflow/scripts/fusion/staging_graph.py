"""A fused PrimFunc as STAGED sees it: producers that are reused, and the consumer that reuses them.

Every other block is inlined on the way, as the stock rules do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import tvm
from tvm import s_tir, tirx

from . import releases

# An expression this long takes the compiler longer than it saves; a block that is read more than
# once and holds more operations than the second is kept and not repeated in each of its readers.
MOST_OPERATIONS, MOST_REPEATED = 10_000, 32
MOST_STREAMED = 4  # inputs that a thread reads ahead: each takes four registers a row


class Declined(Exception):
    """Why STAGED takes nothing, in words for the record."""


@dataclass(frozen=True)
class Stage:
    """A producer that is kept. axes: of the output, on which its elements depend."""

    block: s_tir.schedule.SBlockRV
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    operations: int


@dataclass(frozen=True)
class Graph:
    """output: the block that writes the result, of these extents. column: its innermost axis that
    is longer than 1. streamed: the positions, among the output's reads, of inputs that are read
    element by element as the output is written. stages: in the order of computing. itemsize: bytes
    of the widest element moved along the column, or 0 where they do not lie side by side.
    """

    output: s_tir.schedule.SBlockRV
    extents: tuple[int, ...]
    column: int
    streamed: tuple[int, ...]
    stages: tuple[Stage, ...]
    itemsize: int


@dataclass
class _Block:
    """A block's facts, read before anything is inlined."""

    handle: s_tir.schedule.SBlockRV
    stmt: releases.SBlock
    extents: tuple[int, ...]
    loads: list
    operations: int

    @property
    def elements(self) -> int:
        return math.prod(self.extents)

    @property
    def writes(self):
        return releases.buffer_of(self.stmt.writes[0])


def reduce(schedule: s_tir.Schedule) -> Graph:
    """Inline all but the reused producers; raises Declined where this is not such a function."""
    blocks = _blocks(schedule)
    output = blocks[-1]
    _require_one_output(schedule, blocks)
    readers = {id(b): [c for c in blocks if _reads(c, b)] for b in blocks}
    sizes = _sizes(blocks)
    if sizes[id(output)] > MOST_OPERATIONS:
        raise Declined(f"inlined, one element would take over {MOST_OPERATIONS} operations")
    kept = []
    for block in blocks[:-1]:
        reused = any(c.elements > block.elements for c in readers[id(block)])
        uses = sum(_reads(c, block) for c in readers[id(block)])
        often = uses > 1 and sizes[id(block)] > MOST_REPEATED and block.elements < output.elements
        if sizes[id(block)] and (reused or often):
            kept.append(block)
    if not any(b.elements < output.elements for b in kept):
        raise Declined("no producer's elements are reused")
    axes = _axes(blocks, output)
    for block in blocks[:-1]:
        if block not in kept:
            _inline(schedule, block)
    stages = tuple(Stage(b.handle, b.extents, axes[id(b)], sizes[id(b)]) for b in kept)
    stmt = schedule.get(output.handle)  # with what was inlined into it
    column = max(axis for axis, extent in enumerate(output.extents) if extent > 1 or axis == 0)
    return Graph(
        output.handle, output.extents, column, _streamed(stmt), stages, _vector_bytes(stmt, column)
    )


def describe(graph: Graph, scopes: list[str]) -> str:
    """What was staged, in a sentence."""
    total = math.prod(graph.extents)
    kept = "; ".join(
        f"{list(stage.shape)} ({stage.operations} operations, each element reused "
        f"{total // math.prod(stage.shape)} times) in {scope} memory"
        for stage, scope in zip(graph.stages, scopes, strict=True)
    )
    return f"computed once a block, not once an element: {kept}"


def _blocks(schedule: s_tir.Schedule) -> list[_Block]:
    """Every block under the root, in order, or Declined where one is of another kind."""
    handles = schedule.get_child_blocks(schedule.get_sblock("root"))
    found = []
    for handle in handles:
        stmt = schedule.get(handle)
        if any(var.iter_type != tirx.IterVar.DataPar for var in stmt.iter_vars):
            raise Declined("it has a reduction")
        if not isinstance(stmt.body, tirx.BufferStore) or len(stmt.writes) != 1:
            raise Declined(f"the block {stmt.name_hint} is not one store of one element")
        extents = [var.dom.extent for var in stmt.iter_vars]
        if not all(isinstance(extent, tirx.IntImm) for extent in extents):
            raise Declined("its shapes are known at run time only")
        if _conditional(stmt.body.value):
            raise Declined(f"{stmt.name_hint} reads under a condition, as a concatenation does")
        loads, operations = _contents(stmt.body.value)
        found.append(_Block(handle, stmt, tuple(int(e) for e in extents), loads, operations))
    if not found or not found[-1].extents:
        raise Declined("it has no loops")
    return found


def _conditional(value) -> bool:
    """Whether a value has an if_then_else: where its reads lie, a block's region does not say."""
    found = []
    releases.walk(value, releases.Call, lambda call: found.append(getattr(call.op, "name", "")))
    return any(name.endswith("if_then_else") for name in found)


def _require_one_output(schedule: s_tir.Schedule, blocks: list[_Block]) -> None:
    outputs = schedule.get_output_blocks(schedule.get_sblock("root"))
    if len(outputs) != 1:
        raise Declined(f"it has {len(outputs)} outputs")
    output = blocks[-1]
    if not schedule.get(outputs[0]).same_as(output.stmt):
        raise Declined("its last block does not write its output")
    for block in blocks:
        places = list(block.stmt.body.indices)
        variables = [variable.var for variable in block.stmt.iter_vars]
        pairs = zip(places, variables, strict=False)
        if len(places) != len(variables) or not all(p.same_as(v) for p, v in pairs):
            raise Declined(f"{block.stmt.name_hint} is not written in the order of its loops")


def _contents(value) -> tuple[list, int]:
    """The loads in an expression, and how many operations it has (indices count too)."""
    loads, operations = [], 0

    def visit(node) -> None:
        nonlocal operations
        if isinstance(node, releases.TensorLoad):
            loads.append(node)
        elif not isinstance(node, tirx.Var | tirx.IntImm | tirx.FloatImm | tirx.Cast | tvm.ir.Op):
            operations += 1

    releases.walk(value, releases.Node, visit)
    return loads, operations


def _reads(consumer: _Block, producer: _Block) -> int:
    """How often the one loads what the other writes."""
    return sum(releases.buffer_of(load).same_as(producer.writes) for load in consumer.loads)


def _sizes(blocks: list[_Block]) -> dict[int, int]:
    """Operations that one element takes when all before it is inlined."""
    sizes: dict[int, int] = {}
    for place, block in enumerate(blocks):
        before = sum(sizes[id(b)] * _reads(block, b) for b in blocks[:place])
        sizes[id(block)] = block.operations + before
    return sizes


def _axes(blocks: list[_Block], output: _Block) -> dict[int, tuple[int, ...]]:
    """For each block, the axes of the output on which its elements depend."""
    along: dict[int, list[set]] = {id(b): [set() for _ in b.extents] for b in blocks}
    along[id(output)] = [{axis} for axis in range(len(output.extents))]
    for consumer in reversed(blocks):
        names = [variable.var.name for variable in consumer.stmt.iter_vars]
        known = dict(zip(names, along[id(consumer)], strict=True))
        for producer in blocks:
            for load in (
                x for x in consumer.loads if releases.buffer_of(x).same_as(producer.writes)
            ):
                for axes, index in zip(along[id(producer)], load.indices, strict=True):
                    axes.update(*(known[name] for name in _variables_in(index)))
    return {key: tuple(sorted(set().union(*axes))) for key, axes in along.items()}


def _variables_in(index) -> list[str]:
    found = []
    releases.walk(index, tirx.Var, lambda var: found.append(var.name))
    return found


def _inline(schedule: s_tir.Schedule, block: _Block) -> None:
    try:
        schedule.compute_inline(block.handle)
    except tvm.s_tir.ScheduleError as error:
        reason = str(error).strip().splitlines()[-1]
        raise Declined(f"the block {block.stmt.name_hint} cannot be inlined ({reason})") from None


def _streamed(stmt: releases.SBlock) -> tuple[int, ...]:
    """The positions of the reads that run along with the output, element by element."""
    variables = [variable.var for variable in stmt.iter_vars]
    places = [
        place
        for place, region in enumerate(stmt.reads)
        if len(region.region) == len(variables)
        and all(p.min.same_as(v) for p, v in zip(region.region, variables, strict=True))
    ]
    return tuple(places[:MOST_STREAMED])


def _vector_bytes(stmt: releases.SBlock, column: int) -> int:
    """Bytes of the widest element that is moved along the column; 0 where one is not beside the
    next in memory, so that no vector can hold them.
    """
    name = stmt.iter_vars[column].var.name
    loads, _ = _contents(stmt.body.value)
    moved = [releases.buffer_of(stmt.writes[0])]
    for load in loads:
        along = [place for place, i in enumerate(load.indices) if name in _variables_in(i)]
        if not along:
            continue
        exact = all(load.indices[p].same_as(stmt.iter_vars[column].var) for p in along)
        behind = releases.buffer_of(load).shape[along[0] + 1 :]
        if len(along) > 1 or not exact or any(int(extent) != 1 for extent in behind):
            return 0
        moved.append(releases.buffer_of(load))
    return max(tvm.DataType(str(array.dtype)).bits // 8 for array in moved)
