"""Which variants are set against which, and the words by which a user names such pairs.

Standard library only: the configuration is checked with this, and the timing program uses it.
Names are entries: a variant, or variant@toolchain where several TVMs are compared.
"""

from .entries import AT, entry, toolchains_of, under, variant_of
from .errors import FusionError

RATIOS = (("ON", "OFF"), ("PARTIAL", "OFF"), ("ON", "PARTIAL"))
COPY = "COPY"  # the floor: a copy on the device of as many bytes as must be moved
FLOORS = ("none", COPY)
CONTROL = "CONTROL"  # the second name of the variant that enters every block twice


def ratio_pairs(names: list[str]) -> list[tuple[str, str]]:
    """The pairs whose ratio is reported, of those that these names can give.

    Under each toolchain the three of TVM issue 20342 come first, then any further variant over OFF
    and over ON; where none of these is there, each variant over the first. Then each variant under
    a toolchain over the same under the first.
    """
    pairs = []
    for toolchain in toolchains_of(names):
        own = [variant_of(name) for name in under(names, toolchain)]
        pairs += [(entry(a, toolchain), entry(b, toolchain)) for a, b in _within(own)]
    return pairs + toolchain_pairs(names)


def toolchain_pairs(names: list[str]) -> list[tuple[str, str]]:
    """Each variant under a further toolchain, over the same under the first."""
    first, *others = toolchains_of(names) or [None]
    return [
        (name, base)
        for other in others
        for name in under(names, other)
        for base in [entry(variant_of(name), first)]
        if base in names
    ]


def _within(variants: list[str]) -> list[tuple[str, str]]:
    pairs = [p for p in RATIOS if set(p) <= set(variants)]
    named = {"ON", "OFF", "PARTIAL"}
    extra = [v for v in variants if v not in named]
    pairs += [(v, b) for v in extra for b in ("OFF", "ON") if b in variants]
    return pairs or [(v, variants[0]) for v in variants[1:]]


def named_pairs(words: list[str], names: list[str]) -> list[tuple[str, str]]:
    """The pairs that words such as ON/PARTIAL name, or all for ["all"]; else a FusionError.

    A pair of bare variants is meant under every toolchain.
    """
    if words == ["all"]:
        return ratio_pairs(names)
    found = []
    for word in words:
        parts = word.split("/")
        spread = [
            tuple(entry(p, t) if t and AT not in p else p for p in parts)
            for t in toolchains_of(names)
        ]
        pairs = [pair for pair in dict.fromkeys(spread) if set(pair) <= set(names)]
        if len(parts) != 2 or not pairs:
            raise FusionError(
                f"{word!r} is no ratio of these variants",
                expected=f"all, or pairs such as {variant_of(names[-1])}/{variant_of(names[0])}",
                do="mend precision_pairs",
            )
        found += pairs
    return found


def control_entry(control: str, names: list[str]) -> str | None:
    """The entry that is timed twice: the control under the first toolchain; None for none, or where
    that has failed.
    """
    known = [name for name in names if control in (name, variant_of(name))]
    return known[0] if known else None


def require_control(control: str, names: list[str]) -> None:
    """Raise a FusionError unless the control is one of the variants, or none."""
    if control != "none" and control_entry(control, names) is None:
        variants = dict.fromkeys(map(variant_of, names))
        raise FusionError(
            f"the control {control!r} is not among the variants",
            expected=f"none, or one of {', '.join(variants)}",
            do="set control beside variants",
        )
