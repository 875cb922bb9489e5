"""What changed between two measurements of the same cases and variants, and what lies behind it.

Either under two TVMs in one run, whose trials are interleaved, so that ratios are paired block by
block; or in two runs, where nothing is paired and the interval is Welch's over the trials.
"""

import math
from dataclasses import dataclass

from .entries import toolchain_of, toolchains_of, variant_of
from .intervals import Interval, welch_interval
from .judging import change
from .pairs import toolchain_pairs


@dataclass(frozen=True)
class Change:
    """One case and variant. before, after: names of what is compared (toolchains or runs);
    before_us, after_us: medians over trials, or None where it failed. ratio: after over before.
    evidence: what changed in the compiled code, in words; {} where nothing is known of it.
    """

    case: dict
    variant: str
    before: str
    after: str
    before_us: float | None
    after_us: float | None
    ratio: float | None
    interval: Interval | dict | None
    verdict: str
    reason: str
    evidence: dict[str, str]


def between_toolchains(summary: dict, audits: dict) -> list[Change]:
    """Each variant under every further TVM against the first. audits: by (case, entry)."""
    judging = summary["judging"]
    first = toolchains_of(summary["variants"])[0]
    found = []
    for case in summary["cases"]:
        for name, base in toolchain_pairs(summary["variants"]):
            over = case["ratios"].get(f"{name}/{base}")
            words = _judged(over and over["interval"], case, judging)
            failures = [n for n in (base, name) if n not in case["median_us"]]
            if failures:
                words = {"verdict": "–", "reason": _failed(case, failures)}
            found.append(
                Change(
                    case=case,
                    variant=variant_of(name),
                    before=first,
                    after=toolchain_of(name),
                    before_us=_median(case, base),
                    after_us=_median(case, name),
                    ratio=over and over["median"],
                    interval=over and over["interval"],
                    evidence=evidence(
                        *(audits.get((case["case"]["name"], n)) for n in (base, name))
                    ),
                    **words,
                )
            )
    return found


def between_runs(first: dict, second: dict, audits: tuple[dict, dict]) -> list[Change]:
    """Each name of the first run's cases against the same in the second's.

    first, second: summaries of the same cases. audits: of each, by (case, entry).
    """
    judging, found = second["judging"], []
    for left, right in zip(first["cases"], second["cases"], strict=True):
        where = left["case"]["name"]
        names = dict.fromkeys([*left["median_us"], *right["median_us"]])
        for name in [n for n in names if n in first["variants"]]:
            failures = [c for c in (left, right) if name not in c["median_us"]]
            over, ratio = None, None
            words = {"verdict": "–", "reason": _failed(failures[0], [name]) if failures else ""}
            if not failures:
                logs = [
                    [math.log(t["median_us"][name]) for t in c["trials"]] for c in (left, right)
                ]
                over = welch_interval(*logs, judging["confidence"])
                ratio = _median(right, name) / _median(left, name)
                words = _judged(over and over.as_record(), right, judging, control=False)
            found.append(
                Change(
                    case=right,
                    variant=name,
                    before="first",
                    after="second",
                    before_us=_median(left, name),
                    after_us=_median(right, name),
                    ratio=ratio,
                    interval=over and over.as_record(),
                    evidence=evidence(*(a.get((where, name)) for a in audits))
                    or _from_summaries(left, right, name),
                    **words,
                )
            )
    return found


def evidence(before: dict | None, after: dict | None) -> dict[str, str]:
    """What differs between two audits of a variant: calls, rules, registers and the code itself."""
    if not before or not after or "failed" in before or "failed" in after:
        return {}
    facts = {
        "calls": lambda a: str(a["totals"]["calls"]),
        "rule": lambda a: ", ".join(dict.fromkeys(k["rule"] for k in a["kernels"])),
        "registers": lambda a: ", ".join(
            dict.fromkeys(str(k["registers"]) for k in a["kernels"] if k["registers"] is not None)
        ),
    }
    found = {}
    for name, read_off in facts.items():
        one, other = read_off(before), read_off(after)
        if one or other:
            found[name] = one if one == other else f"{one} → {other}"
    found["code"] = "equal" if before["code_sha256"] == after["code_sha256"] else "differs"
    return found


def _from_summaries(left: dict, right: dict, name: str) -> dict[str, str]:
    """What two summaries say of a variant's code, where there are no audits of both."""
    if name not in left["code"] or name not in right["code"]:
        return {}
    one, other = (case["calls"][name] for case in (left, right))
    equal = left["code"][name] == right["code"][name]
    calls = f"{one}" if one == other else f"{one} → {other}"
    return {"calls": calls, "code": "equal" if equal else "differs"}


def _judged(over: dict | None, case: dict, judging: dict, *, control: bool = True) -> dict:
    drifting = bool(control and case["control"] and case["control"]["drifting"])
    share = case["flagged"]["share"]
    return change(over, same_of(judging), share, judging["max_flagged"], drifting)


def _median(case: dict, name: str) -> float | None:
    over = case["median_us"].get(name)
    return over and over["median"]


def _failed(case: dict, names: list[str]) -> str:
    why = {n: case.get("failed", {}).get(n, {"stage": "not measured"})["stage"] for n in names}
    return "; ".join(f"{name} failed ({stage})" for name, stage in why.items())


def same_of(judging: dict) -> float:
    """judging.same; summaries of before there was one are judged by the default configuration's."""
    return judging.get("same", 0.02)


def several(summary: dict) -> list[str]:
    """The names of a summary's toolchains; [] where it has one."""
    return [name for name in toolchains_of(summary["variants"]) if name]
