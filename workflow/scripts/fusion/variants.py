"""The variants: each says what it does to the graph and to the compile pipeline.

Importing this needs no TVM; the passes that a variant adds are made when a build asks for them.
"""

from collections.abc import Callable
from dataclasses import dataclass

FUSION_PASSES = ("FuseOps", "FuseTIR")


def _as_it_is(passes: list, target) -> list:
    return passes


def _without_fusion(passes: list, target) -> list:
    return [p for p in passes if p.info.name not in FUSION_PASSES]


def _inline_after_fusion(passes: list, target) -> list:
    from .inlining import InlineProducers

    after = 1 + next(i for i, p in enumerate(passes) if p.info.name == "FuseTIR")
    return [*passes[:after], InlineProducers(), *passes[after:]]


@dataclass(frozen=True)
class Variant:
    """One way to compile a case.

    cut: the workload's cuts end dataflow blocks; otherwise the graph is one block.
    legalize(passes, target): the legalisation part of the target's own Relax pipeline, edited.
    forbidden: passes whose running fails the build.
    targets: the kinds of device that it is for.
    """

    name: str
    summary: str
    cut: bool = False
    legalize: Callable[[list, object], list] = _as_it_is
    forbidden: tuple[str, ...] = ()
    targets: tuple[str, ...] = ("cuda", "llvm")


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
            "INLINED",
            "ON, then dlight's try_inline on each fused function, as the CUDA pipeline does",
            legalize=_inline_after_fusion,
            targets=("llvm",),
        ),
    )
}
