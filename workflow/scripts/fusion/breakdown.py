"""A variant's latency as kernels, launch gaps and the rest of the call, against what was timed."""


def breakdowns(profiles: list[dict], summary: dict) -> list[dict]:
    """One entry a profile, in the order of the summary's cases and variants.

    {"case", "variant", "kernels_us", "gaps_us", "rest_us": means a call while traced, "sum_us":
    of the three, "timed_us": the median over trials of the time stage, "difference_us": timed
    minus sum, "launches": kernels a call, "not_run": why there is no trace, or None}. Tracing costs
    time, at each launch above all, so that the sum comes out longer than what is timed; the
    difference shows by how much.
    """
    found = {(p["case"]["name"], p["variant"]): p["trace"] for p in profiles}
    entries = []
    for case in summary["cases"]:
        for variant in [*summary["variants"], *summary.get("peers", {})]:
            trace = found.get((case["case"]["name"], variant))
            if trace is not None and variant in case["median_us"]:
                timed = case["median_us"][variant]["median"]
                entries.append({"case": case, "variant": variant, **_parts(trace, timed)})
    return entries


def _parts(trace: dict, timed: float) -> dict:
    parts = {key: trace.get(key) for key in ("kernels_us", "gaps_us", "rest_us")}
    if "not_run" in trace:
        parts |= {"sum_us": None, "timed_us": timed, "difference_us": None, "launches": None}
        return {**parts, "not_run": trace["not_run"]}
    total = sum(parts.values())
    return {
        **parts,
        "sum_us": round(total, 3),
        "timed_us": timed,
        "difference_us": round(timed - total, 3),
        "launches": len(trace["kernels"]),
        "not_run": None,
    }


def launches(profile: dict) -> list[dict]:
    """The counted launches of one profile by kernel: means over a kernel's launches, and how many.

    [] where the counters were not run. Sums (bytes, instructions) are a launch's mean too.
    """
    by_name: dict[str, list[dict]] = {}
    for kernel in profile["counters"].get("kernels", []):
        by_name.setdefault(kernel["name"], []).append(kernel)
    return [
        {
            "kernel": name,
            "launches": len(kernels),
            "grid": kernels[0]["grid"],
            "block": kernels[0]["block"],
            **{
                key: _mean([kernel[key] for kernel in kernels])
                for key in kernels[0]
                if key not in ("name", "grid", "block")
            },
        }
        for name, kernels in by_name.items()
    ]


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
