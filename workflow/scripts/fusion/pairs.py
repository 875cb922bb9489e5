"""Which variants are set against which, and the words by which a user names such pairs.

Standard library only: the configuration is checked with this, and the timing program uses it.
"""

from .errors import FusionError

RATIOS = (("ON", "OFF"), ("PARTIAL", "OFF"), ("ON", "PARTIAL"))
COPY = "COPY"  # the floor: a copy on the device of as many bytes as must be moved
FLOORS = ("none", COPY)
CONTROL = "CONTROL"  # the second name of the variant that enters every block twice


def ratio_pairs(variants: list[str]) -> list[tuple[str, str]]:
    """The pairs whose ratio is reported, of those that these variants can give; at least one.

    The three of TVM issue 20342 come first, then any further variant over OFF and over ON; where
    none of these is there, each variant over the first.
    """
    pairs = [p for p in RATIOS if set(p) <= set(variants)]
    named = {"ON", "OFF", "PARTIAL"}
    extra = [v for v in variants if v not in named]
    pairs += [(v, b) for v in extra for b in ("OFF", "ON") if b in variants]
    return pairs or [(v, variants[0]) for v in variants[1:]]


def named_pairs(words: list[str], variants: list[str]) -> list[tuple[str, str]]:
    """The pairs that words such as ON/PARTIAL name, or all for ["all"]; else a FusionError."""
    if words == ["all"]:
        return ratio_pairs(variants)
    pairs = [tuple(word.split("/")) for word in words]
    for word, pair in zip(words, pairs, strict=True):
        if len(pair) != 2 or not set(pair) <= set(variants):
            raise FusionError(
                f"{word!r} is no ratio of these variants",
                expected=f"all, or pairs such as {variants[-1]}/{variants[0]}",
                do="mend precision_pairs",
            )
    return pairs


def require_control(control: str, variants: list[str]) -> None:
    """Raise a FusionError unless the control is one of the variants, or none."""
    if control not in (*variants, "none"):
        raise FusionError(
            f"the control {control!r} is not among the variants",
            expected=f"none, or one of {', '.join(variants)}",
            do="set control beside variants",
        )
