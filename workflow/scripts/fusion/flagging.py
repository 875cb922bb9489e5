"""Which blocks cannot be trusted: what NVML said at their two ends."""

# NVML's clock event reasons that mean the hardware or the heat held the clock down.
SLOWDOWNS = {
    "hw_slowdown": "hardware slowdown",
    "sw_thermal_slowdown": "thermal slowdown by software",
    "hw_thermal_slowdown": "thermal slowdown by hardware",
    "hw_power_brake": "power brake",
}
# Counters of time spent held down, by the name under which telemetry keeps them.
VIOLATIONS = {
    "thermal": "thermal violation",
    "reliability": "reliability violation",
    "board_limit": "board limit",
    "sw_thermal_slowdown": "thermal slowdown by software",
    "hw_thermal_slowdown": "thermal slowdown by hardware",
    "hw_power_brake": "power brake",
}
CAP = ("sw_power_cap", "power")  # the reason and the counter of a software power cap
CLOCKS = {"sm_clock_mhz": "SM clock", "memory_clock_mhz": "memory clock"}


def flags(before: dict, after: dict, known: set[int], max_clock_fall: float) -> list[str]:
    """Why the block between two marks is not to be trusted, in words; [] if nothing speaks so.

    before, after: marks as Session.mark gives them. known: processes that were on the GPU before
    the trial (`gpu.busy: warn` let it start all the same, and marks it). A clock that is lower
    after than before by more than max_clock_fall (a share), a hardware or thermal slowdown seen at
    either end or counted in between (VIOLATIONS), or a process that appeared flags the block
    whole. A software power cap is no flag, and an SM clock that fell under one did what the cap
    does: see power_capped.
    """
    first, last = before["state"], after["state"]
    found = []
    clocks = dict(CLOCKS)
    if power_capped(before, after):
        del clocks["sm_clock_mhz"]
    for key, name in clocks.items():
        low, high = last.get(key), first.get(key)
        if low and high and low < high * (1 - max_clock_fall):
            found.append(f"{name} fell from {high} to {low} MHz")
    seen = set(first.get("reasons") or []) | set(last.get("reasons") or [])
    found += [words for key, words in SLOWDOWNS.items() if key in seen]
    found += [words for key, words in VIOLATIONS.items() if _grew(first, last, key)]
    others = {p["pid"]: p["name"] for p in before["others"] + after["others"]}
    new = {pid: name for pid, name in others.items() if pid not in known}
    found += [f"process {pid} ({name}) appeared" for pid, name in new.items()]
    return list(dict.fromkeys(found))


def power_capped(before: dict, after: dict) -> bool:
    """Whether a software power cap held the clock at either end or in between."""
    reason, counter = CAP
    states = before["state"], after["state"]
    return any(reason in (s.get("reasons") or []) for s in states) or _grew(*states, counter)


def _grew(first: dict, last: dict, counter: str) -> bool:
    values = [(state.get("violations") or {}).get(counter) for state in (first, last)]
    return None not in values and values[1] > values[0]
