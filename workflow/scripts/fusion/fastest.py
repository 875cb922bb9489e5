"""The fastest variant of each case, and whether it can be told from the next."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fastest:
    """variant: of the least median latency. over_on: ON's latency over its, or None without ON.
    tied: the variants that cannot be told from it: the interval of their latency over its includes
    1, or there is no interval.
    """

    variant: str
    over_on: float | None
    tied: tuple[str, ...]


def fastest(case: dict, variants: list[str]) -> Fastest:
    """case: one of a summary's cases; its regrets are ratios paired block by block."""
    variants = [v for v in variants if v in case["median_us"]]
    medians = {v: case["median_us"][v]["median"] for v in variants}
    best = min(medians, key=medians.get)
    others = [v for v in variants if v != best]
    tied = tuple(v for v in others if _may_be_equal(case["regret"][v]["interval"]))
    return Fastest(best, case["regret"]["ON"]["ratio"] if "ON" in variants else None, tied)


def _may_be_equal(interval: dict | None) -> bool:
    return interval is None or interval["low"] <= 1
