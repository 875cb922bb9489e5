"""The answer of each case, in one row: did fusing make it slower, and what would help?"""

from .tables import with_interval

# The choices that TVM offers by itself; what else was compared is a remedy or a demonstration.
CHOICES = ("OFF", "PARTIAL", "ON")
REMEDIES = ("SPLIT", "STAGED")


def answer(case: dict) -> dict:
    """Cells by heading, from one case of a summary; none where ON was not compared.

    Fusing all (ON) stands against the fastest of what else TVM offers, by the medians, and is
    slower or faster if the interval of that ratio leaves out 1 and the median lies on its side. A
    remedy stands over the fastest of all that TVM offers.
    """
    medians = {name: over["median"] for name, over in case["median_us"].items()}
    offered = {name: medians[name] for name in CHOICES if name in medians}
    others = {name: us for name, us in offered.items() if name != "ON"}
    if "ON" not in offered or not others:
        return {}
    best, rival = min(offered, key=offered.get), min(others, key=others.get)
    row = {
        "fused or not": _words(case, rival),
        "fastest of OFF, PARTIAL, ON": f"{best}, {medians[best]:.4g} µs",
    }
    for remedy in REMEDIES:
        if remedy in medians:
            row[f"{remedy} over it"] = f"{medians[remedy] / medians[best]:.3f}"
    return row


def _words(case: dict, rival: str) -> str:
    over = case["ratios"][f"ON/{rival}"]
    ratio = with_interval(over["median"], over["interval"], 3)
    bounds = over["interval"] and (
        over["median"],
        over["interval"]["low"],
        over["interval"]["high"],
    )
    word = "cannot be told"
    if bounds and min(bounds) > 1:
        word = "slower"
    elif bounds and max(bounds) < 1:
        word = "faster"
    return f"{word}: ON/{rival} {ratio}"
