"""The sentences of an issue: in short, what was expected, what happened, what is not known."""

from .answers import answer
from .entries import entry, toolchains_of
from .failures import words
from .issue_evidence import recomputed
from .issue_findings import (
    DONE,
    FAILED,
    NOTHING,
    OPEN,
    RELEASE,
    Finding,
    fusing_verdicts,
    slowdowns,
)
from .issue_markdown import Room, cell, span
from .tables import sizes_of, subtitle, where_of, with_interval


def in_short(summary: dict, about: Finding, audits: list[dict]) -> list[str]:
    """Two or three sentences: what, how much, and what it is not."""
    where = f"{subtitle(summary)}."
    if about.kind == FAILED:
        why = about.case["failed"][about.slow]
        done = DONE.get(why["stage"], f"fails in {why['stage']}")
        names = ", ".join(map(span, about.case["failed"]))
        text = f"{span(about.slow)} {done} ({where_of(summary, about.case)}). Failed: {names}. "
        return [f"{text}{where}", *_besides(summary)]
    if about.kind == NOTHING:
        return [f"Nothing is slower: {_fused(summary)} {where} This is no report of a bug."]
    if about.kind == OPEN:
        why = "not every verdict on ON is NOT SLOWER, and none is SLOWER."
        if not any(fusing_verdicts(case) for case in summary["cases"]):
            why = "ON was not compared with OFF or PARTIAL."
        return [f"No slowdown is confirmed: {why} {where} This is no report of a bug."]
    over = about.case["ratios"][about.pair]
    ratio = with_interval(over["median"], over["interval"])
    all_of = slowdowns(summary)
    cases = len({f.case["case"]["name"] for f in all_of})
    what = "FuseOps and FuseTIR, run over the whole graph (ON), make it"
    if about.kind == RELEASE:
        what = f"{span(about.slow)} is"
    text = (
        f"{what} {about.ratio:.2f} times as slow as {span(about.fast)} at "
        f"{where_of(summary, about.case)}: {ratio} over {len(about.case['trials'])} trials; a "
        f"slowdown is confirmed in {cases} of {len(summary['cases'])} cases. {where}"
    )
    mechanism = recomputed(about.case, about.slow, about.fast, audits)
    return [" ".join(filter(None, [text, mechanism])), *_against_off(about)]


def _against_off(about: Finding) -> list[str]:
    """Where ON is slower than PARTIAL and yet not than OFF, a reader must be told at once."""
    verdicts = about.case["verdicts"]
    if about.pair == "ON/PARTIAL" and verdicts.get("ON/OFF", {}).get("verdict") == "NOT SLOWER":
        over = about.case["ratios"]["ON/OFF"]
        ratio = with_interval(over["median"], over["interval"])
        return ["", f"Against no fusion at all (OFF), ON is not slower there: ON/OFF {ratio}."]
    return []


def _besides(summary: dict) -> list[str]:
    """The worst slowdown, where a failure is the point."""
    worst = max(slowdowns(summary), key=lambda one: one.ratio, default=None)
    if worst is None:
        return []
    over = worst.case["ratios"][worst.pair]
    return [
        "",
        f"Beside that, {span(worst.slow)} takes {with_interval(over['median'], over['interval'])} "
        f"times as long as {span(worst.fast)} at {where_of(summary, worst.case)}.",
    ]


def _fused(summary: dict) -> str:
    bound = summary["judging"]["slower"]
    return f"every ratio of ON to OFF and to PARTIAL lies wholly below {bound:.2f}."


def expected(summary: dict, about: Finding) -> str:
    """What a user of TVM may expect."""
    if about.kind == FAILED:
        return "Every variant compiles, runs, and computes what the reference does."
    bound = summary["judging"]["slower"]
    text = (
        "Fusing a graph (ON) is not slower than leaving it unfused (OFF), or than cutting it where "
        f"a producer's elements are reused (PARTIAL): the ratio's interval lies below {bound:.2f}."
    )
    if len(toolchains_of(summary["variants"])) > 1:
        text += " A variant is not slower under a further TVM than under the first."
    return text


def actual(summary: dict, about: Finding, room: Room) -> list[str]:
    """A row a case, and each confirmed slowdown."""
    if about.kind == FAILED and not any(case["median_us"] for case in summary["cases"]):
        return ["See above: nothing could be measured.", ""]
    rows = []
    for case in summary["cases"]:
        if found := answer(case):
            rows.append(sizes_of(summary, case) | found)
            continue
        for one in filter(None, toolchains_of(summary["variants"])):
            own = {
                name.partition("@")[0]: over
                for name, over in case["median_us"].items()
                if name.endswith(f"@{one}")
            }
            ratios = {
                f"ON/{b}": case["ratios"][f"{entry('ON', one)}/{entry(b, one)}"]
                for b in ("OFF", "PARTIAL")
                if f"{entry('ON', one)}/{entry(b, one)}" in case["ratios"]
            }
            found = answer({"median_us": own, "ratios": ratios}) if ratios else {}
            rows += [sizes_of(summary, case) | {"TVM": one} | found] if found else []
    lines = room.table(rows, "tables/summary.md")
    worst = sorted(slowdowns(summary), key=lambda one: -one.ratio)
    for one in worst[: room.rows]:
        over = one.case["ratios"][one.pair]
        lines.append(
            f"- {where_of(summary, one.case)}: {span(one.slow)} takes "
            f"{with_interval(over['median'], over['interval'])} times as long as {span(one.fast)}."
        )
    return [*lines, ""] if worst else [*lines, "No slowdown is confirmed.", ""]


def failures(summary: dict, room: Room) -> list[str]:
    """Each failure in its own words: a row each, then the whole message of each kind once."""
    rows, messages = [], {}
    for case in summary["cases"]:
        for name, why in case.get("failed", {}).items():
            row = sizes_of(summary, case) | {"variant": name, "failed in": why["stage"]}
            rows.append(row | {"message": cell(words(why))})
            messages.setdefault(words(why)[:60], (case, name, why))
    lines = room.table(rows, "tables/summary.md")
    for case, name, why in list(messages.values())[: room.rows]:
        lines += [f"{span(name)} at {where_of(summary, case)}, stage {span(why['stage'])}:", ""]
        lines += room.listing(why["message"])
    measured = any(case["median_us"] for case in summary["cases"])
    return [*lines, "The others were measured." if measured else "Nothing was measured.", ""]


def unknown(summary: dict, about: Finding, profiles: list[dict]) -> list[str]:
    """What was not run, and which verdicts are open, one a line."""
    cpu = summary["device"]["kind"] == "llvm"
    lines = [_profile_words(profiles, about, cpu)]
    open_ones = [
        f"{span(pair)} at {where_of(summary, case)} ({found['verdict']}: {span(found['reason'])})"
        for case in summary["cases"]
        for pair, found in case["verdicts"].items()
        if found["verdict"] in ("AMBIGUOUS", "UNSTABLE")
    ]
    if open_ones:
        more = f"; and {len(open_ones) - 6} more" if len(open_ones) > 6 else ""
        lines.append(f"- Not decided: {'; '.join(open_ones[:6])}{more}.")
    lines.append(
        "- Any GPU: not run." if cpu else f"- Other GPUs than {summary['device']['name']}: not run."
    )
    if len(toolchains_of(summary["variants"])) < 2:
        tvm = summary["environment"].get("tvm", "the one above")
        lines.append(f"- Other TVMs than {span(tvm)}: not run.")
    lines += ["- Peers (PyTorch, XLA): not run."] if not summary["peers"] else []
    lines += ["- The floor, a copy of the same bytes: not run."] if not summary.get("floor") else []
    lines += ["- The control: not run."] if not summary["control"] else []
    return lines


def _profile_words(profiles: list[dict], about: Finding, cpu: bool) -> str:
    """What TVM issue 20342 left open: how long each kernel takes, and how busy the SFU is."""
    question = "Per-kernel timings and the utilisation of the SFU (the XU pipe)"
    name = about.case["case"]["name"] if about.case else None
    counted = [
        kernel
        for profile in profiles
        if profile["variant"] == about.slow and profile["case"]["name"] == name
        for kernel in profile["counters"].get("kernels", [])
        if kernel["xu_percent_of_peak"] is not None and kernel["duration_us"] is not None
    ]
    if counted:
        longest = max(counted, key=lambda kernel: kernel["duration_us"])
        return (
            f"- {question}, which TVM issue 20342 left open, are above: the longest kernel of "
            f"{span(about.slow)} takes {longest['duration_us']:.1f} µs with the XU pipe at "
            f"{longest['xu_percent_of_peak']:.1f}% and DRAM at "
            f"{longest['dram_percent_of_peak']:.1f}% of peak. What else it waits for was not "
            "measured."
        )
    if profiles:
        return f"- {question}: see the profile above for what could be had."
    return f"- {question}: not run{' (there is no GPU)' if cpu else ''}."
