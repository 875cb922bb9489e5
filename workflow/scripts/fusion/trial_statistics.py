"""Statistics of one trial and over trials."""

import numpy as np

RATIOS = (("ON", "OFF"), ("PARTIAL", "OFF"), ("ON", "PARTIAL"))


def by_variant(blocks: list[dict]) -> dict[str, np.ndarray]:
    """Each variant's samples of all blocks, in the order of measuring, in microseconds."""
    return {
        name: np.concatenate([block["samples_us"][name] for block in blocks])
        for name in sorted(blocks[0]["samples_us"], key=blocks[0]["order"].index)
    }


def coefficient_of_variation(samples: np.ndarray) -> float:
    """Standard deviation (with n - 1) over the mean."""
    return float(np.std(samples, ddof=1) / np.mean(samples))


def summarize(blocks: list[dict], variants: list[str]) -> dict:
    """Median in microseconds and CV of each variant, and the ratios of the medians.

    The three ratios of TVM issue 20342 come first; then any further variant over OFF.
    """
    samples = by_variant(blocks)
    medians = {v: float(np.median(samples[v])) for v in variants}
    return {
        "median_us": {v: round(m, 4) for v, m in medians.items()},
        "cv": {v: round(coefficient_of_variation(samples[v]), 6) for v in variants},
        "ratios": {f"{a}/{b}": round(medians[a] / medians[b], 6) for a, b in ratio_pairs(variants)},
    }


def ratio_pairs(variants: list[str]) -> list[tuple[str, str]]:
    """The pairs whose ratio is reported, of those that these variants can give; at least one."""
    pairs = [p for p in RATIOS if set(p) <= set(variants)]
    named = {"ON", "OFF", "PARTIAL"}
    extra = [v for v in variants if v not in named]
    pairs += [(v, b) for v in extra for b in ("OFF", "ON") if b in variants]
    return pairs or [(v, variants[0]) for v in variants[1:]]
