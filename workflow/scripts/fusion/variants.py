"""The variants: each says what it does to the graph and to the compile pipeline.

Importing this needs no TVM; the passes that a variant adds are made when a build asks for them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

FUSION_PASSES = ("FuseOps", "FuseTIR")


def _as_it_is(passes: list, rates, decisions: list) -> list:
    return passes


def _without_fusion(passes: list, rates, decisions: list) -> list:
    return [p for p in passes if p.info.name not in FUSION_PASSES]


def _inline_after_fusion(passes: list, rates, decisions: list) -> list:
    from .inlining import InlineProducers

    after = 1 + next(i for i, p in enumerate(passes) if p.info.name == "FuseTIR")
    return [*passes[:after], InlineProducers(), *passes[after:]]


def _staged(passes: list, rates, decisions: list) -> list:
    from tvm.s_tir import dlight

    from .schedules import SCHEDULING
    from .staging import Staged

    stock = [p for p in passes if p.info.name == SCHEDULING]
    for scheduling in stock:
        scheduling.rules.insert(0, Staged())
    # The CPU's pipeline has no schedule rules: there STAGED's stands alone.
    return passes if stock else [*passes, dlight.ApplyDefaultSchedule(Staged())]


def _split(passes: list, rates, decisions: list) -> list:
    from .splitting import Split

    at = next(i for i, p in enumerate(passes) if p.info.name == "FuseOps")
    return [*passes[:at], Split(rates, decisions), *passes[at:]]


def _cut_every(passes: list, rates, decisions: list) -> list:
    return _split(passes, None, decisions)


@dataclass(frozen=True)
class Variant:
    """One way to compile a case.

    cut: the workload's cuts end dataflow blocks; otherwise the graph is one block.
    legalize(passes, rates, decisions): the legalisation part of the target's own Relax pipeline,
    edited. rates: costs.Rates of the device that is compiled for. What a remedy decides while it
    runs, it appends to `decisions`: objects for the record.
    options: of TVM's PassContext. attributes: of the graph's `main`.
    forbidden: passes whose running fails the build.
    targets: the kinds of device that it is for.
    """

    name: str
    summary: str
    cut: bool = False
    legalize: Callable[[list, object, list], list] = _as_it_is
    options: tuple[tuple[str, object], ...] = ()
    attributes: tuple[tuple[str, object], ...] = ()
    forbidden: tuple[str, ...] = ()
    targets: tuple[str, ...] = ("cuda", "llvm")


def without_marks(variant: Variant, cuts: int | None) -> tuple[Variant, str | None]:
    """The variant for this graph, and in words where it is cut (None: nowhere).

    cuts: how many cuts the workload's function marks, or None for a model's graph, which has no
    function to mark them in. PARTIAL cuts there; without a mark, at every broadcast edge; and in a
    model, where SPLIT cuts.
    """
    if not variant.cut:
        return variant, None
    if cuts is None:
        return replace(variant, legalize=_split), "where SPLIT cuts"
    if cuts == 0:
        return replace(variant, legalize=_cut_every), "every broadcast edge"
    return variant, "cut marks"


GRAPH = "_GRAPH"


def _in_graphs(variant: Variant) -> Variant:
    """The same kernels, launched as CUDA graphs, so that launches can be told from kernels.

    RewriteCUDAGraph captures what works on memory that stays where it is. num_input 0 says that the
    inputs do too (they must: a capture keeps their addresses). What writes the result stays
    outside, since its memory is new in each call; so of ON nothing is captured.
    """
    return replace(
        variant,
        name=variant.name + GRAPH,
        summary=f"{variant.name}, with its launches captured in CUDA graphs (but the last)",
        options=(("relax.backend.use_cuda_graph", True),),
        attributes=(("num_input", 0),),
        targets=("cuda",),
    )


VARIANTS: dict[str, Variant] = {
    v.name: v
    for v in (
        Variant(
            "OFF",
            "no fusion: the target's pipeline without FuseOps and FuseTIR",
            legalize=_without_fusion,
            forbidden=FUSION_PASSES,
        ),
        Variant(
            "PARTIAL",
            "the producer in its own dataflow block, the rest in another, then the full pipeline",
            cut=True,
        ),
        Variant("ON", "one dataflow block, the full pipeline"),
        Variant(
            "SPLIT",
            "ON, cut where an estimate says that fusing a producer costs more than storing it",
            legalize=_split,
        ),
        Variant(
            "STAGED",
            "ON, with a schedule rule that computes a reused producer once a thread block",
            legalize=_staged,
        ),
        Variant(
            "INLINED",
            "ON, then dlight's try_inline on each fused function, as the CUDA pipeline does",
            legalize=_inline_after_fusion,
            targets=("llvm",),
        ),
    )
}
ESTIMATING = ("SPLIT",)  # what is compiled for a device's rates
VARIANTS |= {v.name: v for v in map(_in_graphs, [VARIANTS[n] for n in ("OFF", "PARTIAL", "ON")])}
