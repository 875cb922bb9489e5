"""What an issue is about: the worst thing that the records confirm, in one title.

A failure comes first, then the largest confirmed slowdown. Confirmed is what has the verdict
SLOWER: of all that TVM offers by itself, fusing all (ON) against the faster of OFF and PARTIAL, or
a variant under one TVM against the same under the first. Nothing else is called a bug.
"""

from dataclasses import dataclass

from .answers import CHOICES
from .entries import entry, toolchain_of, toolchains_of, variant_of
from .issue_markdown import span
from .tables import sizes_of

DONE = {"compile": "does not compile", "load": "does not load", "run": "fails while it runs"}
DONE |= {"verify": "computes another result", "time": "fails while it is timed"}
FAILED, SLOWER, RELEASE, NOTHING, OPEN = "failed", "slower", "release", "nothing", "open"


@dataclass(frozen=True)
class Finding:
    """kind: one of the five above. case: of the summary, which it is about, if it is about one.
    slow, fast: the entries of the pair. ratio: slow over fast, the median over trials.
    """

    kind: str
    case: dict | None = None
    slow: str = ""
    fast: str = ""
    ratio: float = 0.0

    @property
    def pair(self) -> str:
        return f"{self.slow}/{self.fast}"


def find(summary: dict) -> Finding:
    """The worst of a summary."""
    failing = [case for case in summary["cases"] if case.get("failed")]
    if failing:
        # What fails only in some variants says most, and of variants ON, which is what users get.
        case = min(failing, key=lambda one: not one["median_us"])
        return Finding(FAILED, case, min(case["failed"], key=lambda n: variant_of(n) != "ON"))
    slower = slowdowns(summary)
    if slower:
        return max(slower, key=lambda finding: finding.ratio)
    judged = [v["verdict"] for case in summary["cases"] for v in fusing_verdicts(case).values()]
    clear = judged and all(verdict == "NOT SLOWER" for verdict in judged)
    return Finding(NOTHING if clear else OPEN)


def slowdowns(summary: dict) -> list[Finding]:
    """Each case's confirmed ones, in the order of the cases; fusing before releases."""
    found = []
    for case in summary["cases"]:
        for one in toolchains_of(summary["variants"]):
            pairs = _confirmed(case, [(entry("ON", one), entry(b, one)) for b in CHOICES])
            if pairs:
                worst = max(pairs, key=pairs.get)
                found.append(Finding(SLOWER, case, *worst, pairs[worst]))
        first, *others = toolchains_of(summary["variants"])
        names = [n for n in summary["variants"] if toolchain_of(n) in others]
        pairs = _confirmed(case, [(n, entry(variant_of(n), first)) for n in names])
        found += [Finding(RELEASE, case, *pair, ratio) for pair, ratio in pairs.items()]
    return found


def _confirmed(case: dict, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """The ratios of those pairs that are SLOWER."""
    return {
        pair: case["ratios"]["/".join(pair)]["median"]
        for pair in pairs
        if case["verdicts"].get("/".join(pair), {}).get("verdict") == "SLOWER"
    }


def fusing_verdicts(case: dict) -> dict:
    """The verdicts on ON against OFF and PARTIAL."""
    return {
        pair: found
        for pair, found in case["verdicts"].items()
        for slow, _, fast in [pair.partition("/")]
        if variant_of(slow) == "ON"
        and variant_of(fast) in CHOICES[:2]
        and toolchain_of(slow) == toolchain_of(fast)
    }


def title(summary: dict, finding: Finding) -> str:
    """A title in the form of TVM's: what, where, how much."""
    device = f"on {span(summary['device']['name'])} ({device_word(summary)})"
    what = _what(summary, finding.case)
    if finding.kind == FAILED:
        stage = finding.case["failed"][finding.slow]["stage"]
        done = DONE.get(stage, f"fails in {stage}")
        return f"[Bug][Relax] {what}: {span(finding.slow)} {done} for {summary['arch']}"
    if finding.kind == RELEASE:
        return (
            f"[Bug][Performance Regression][Relax] {what}: {variant_of(finding.slow)} is "
            f"{finding.ratio:.2f}x slower under {toolchain_of(finding.slow)} than under "
            f"{toolchain_of(finding.fast)} {device}"
        )
    if finding.kind == SLOWER:
        under = toolchain_of(finding.slow)
        return (
            f"[Bug][Relax] {what}: FuseOps/FuseTIR makes ON {finding.ratio:.2f}x slower than "
            f"{variant_of(finding.fast)} {device}" + (f" under {under}" if under else "")
        )
    if finding.kind == NOTHING:
        return f"[Relax] {what}: fusing is not slower {device}"
    return f"[Relax] {what}: whether fusing is slower cannot be told {device}"


def device_word(summary: dict) -> str:
    return "a CPU, LLVM" if summary["device"]["kind"] == "llvm" else summary["arch"]


def _what(summary: dict, case: dict | None) -> str:
    """exp_chain_add float16, depth 16; without a case what all have in common."""
    cases = [case] if case else summary["cases"]
    names = list(dict.fromkeys(one["case"]["workload"] for one in cases))
    dtypes = list(dict.fromkeys(one["case"]["dtype"] for one in cases))
    words = span(names[0]) if len(names) == 1 else f"{len(names)} workloads"
    words += f" {dtypes[0]}" if len(dtypes) == 1 and dtypes[0] else ""
    if case and len(summary["cases"]) > 1:
        sizes = sizes_of(summary, case).items()
        words += "".join(f", {span(k)} {v}" for k, v in sizes if k not in ("workload", "dtype"))
    return words
