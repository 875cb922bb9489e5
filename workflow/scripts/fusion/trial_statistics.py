"""Statistics of one trial. NumPy only: the timing program uses them too."""

from collections.abc import Sequence

import numpy as np

from .pairs import ratio_pairs


def by_variant(blocks: list[dict]) -> dict[str, np.ndarray]:
    """Each variant's samples of all blocks, in the order of measuring, in microseconds."""
    return {
        name: np.concatenate([block["samples_us"][name] for block in blocks])
        for name in sorted(blocks[0]["samples_us"], key=blocks[0]["order"].index)
    }


def coefficient_of_variation(samples: np.ndarray) -> float:
    """Standard deviation (with n - 1) over the mean."""
    return float(np.std(samples, ddof=1) / np.mean(samples))


def summarize(blocks: list[dict], variants: list[str], others: Sequence[str] = ()) -> dict:
    """Median in microseconds and CV of each name, and the ratios of the medians, over all blocks.

    The ratios are those of ratio_pairs of the variants. others: what else was in the blocks (the
    floor and peers), for median and CV.
    """
    samples = by_variant(blocks)
    medians = {v: float(np.median(samples[v])) for v in samples}
    names = [*variants, *others]
    return {
        "median_us": {v: round(medians[v], 4) for v in names},
        "cv": {v: round(coefficient_of_variation(samples[v]), 6) for v in names},
        "ratios": {f"{a}/{b}": round(medians[a] / medians[b], 6) for a, b in ratio_pairs(variants)},
    }


def log_ratios(blocks: list[dict], pair: tuple[str, str]) -> np.ndarray:
    """Per block, the log of the ratio of the block's medians, [blocks]; flagged blocks left out.

    Both medians come from the same second or so, so what drifts more slowly than a block cancels.
    """
    first, second = (
        np.array([np.median(block["samples_us"][name]) for block in blocks if not block["flags"]])
        for name in pair
    )
    return np.log(first) - np.log(second)
