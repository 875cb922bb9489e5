"""A summary as Markdown that renders on GitHub."""

from .answers import answer
from .failures import words
from .summary_basis import basis
from .tables import (
    escaped,
    markdown_table,
    sizes_of,
    subtitle,
    where_of,
    with_interval,
    with_range,
)
from .words import percent

CPU_NOTE = (
    "**This is a CPU, not a GPU** ({name}, LLVM): no number here says how fast a GPU is. OFF, "
    "PARTIAL and ON are what TVM's CPU pipeline makes of the graph, which inlines nothing."
)
INLINED_NOTE = (
    " INLINED is ON after dlight's `try_inline`, the step by which the CUDA pipeline moves the "
    "producer into its consumer: compare INLINED with ON to see the mechanism."
)
FLOOR_NOTE = (
    "COPY, timed in the same blocks, copies on the device half of the bytes that the case's inputs "
    "and output hold: it reads and writes as much as the case must at least."
)
PEERS_NOTE = (
    "Peers (EAGER and INDUCTOR of PyTorch, XLA of JAX) are called from Python, as their users call "
    "them: where a call takes longer than its kernels, Python's dispatch is what is timed. "
    "`_GRAPH` replays the same kernels as a CUDA graph, each time into the same memory; the "
    "profile stage has their kernels alone."
)


def markdown(summary: dict) -> str:
    """The issue's table, the verdicts, what speaks against them, and what they rest on."""
    device = summary["device"]
    lines = [f"# {summary['experiment']}", "", f"{subtitle(summary)}.", ""]
    if device["kind"] == "llvm":
        note = CPU_NOTE + (INLINED_NOTE if "INLINED" in summary["variants"] else "")
        lines += [f"> {note.format(name=device['name'])}", ""]
    answers = [sizes_of(summary, case) | answer(case) for case in summary["cases"]]
    if any(map(answer, summary["cases"])):
        lines += ["## In short", "", *markdown_table(answers), ""]
    lines += _failure_lines(summary)
    lines += ["## Ratios", "", *markdown_table(ratio_rows(summary)), "", reading(summary), ""]
    lines += ["## Verdicts", "", *markdown_table(verdict_rows(summary)), "", *warnings(summary)]
    lines += ["## Latency, µs a call", "", *markdown_table(latency_rows(summary)), ""]
    lines += floor_lines(summary)
    lines += ["## Regret", "", *markdown_table(regret_rows(summary)), ""]
    lines += ["Regret is a variant's latency over that of the case's best variant.", ""]
    lines += ["## Steadiness", "", *markdown_table(steadiness_rows(summary)), ""]
    lines += [steadiness(summary), "", "## Every trial", ""]
    lines += [*markdown_table(trial_rows(summary)), ""]
    if any(t["over_max_cv"] for c in summary["cases"] for t in c["trials"]):
        lines += [f"† CV over {percent(summary['passing']['max_cv'])}; the trial stays in.", ""]
    if any(t["other_processes"] for c in summary["cases"] for t in c["trials"]):
        lines += ["‡ Other processes were on the GPU during the trial.", ""]
    lines += ["### What the intervals rest on", "", *markdown_table(_block_rows(summary)), ""]
    lines += ["A trial's mean over its unflagged blocks (of the log of the ratio of medians).", ""]
    return "\n".join([*lines, "## What this rests on", "", *basis(summary), ""])


def _failure_lines(summary: dict) -> list[str]:
    """A row a variant that failed, with the stage and its own words."""
    rows = [
        sizes_of(summary, case)
        | {"variant": name, "failed in": why["stage"], "message": escaped(words(why))}
        for case in summary["cases"]
        for name, why in case.get("failed", {}).items()
    ]
    if not rows:
        return []
    measured = any(case["median_us"] for case in summary["cases"])
    rest = "The others were measured." if measured else "Nothing was measured."
    return ["## Failed", "", *markdown_table(rows), "", rest, ""]


def reading(summary: dict) -> str:
    passing, judging = summary["passing"], summary["judging"]
    return (
        "A ratio above 1 means that the first is slower. The number is the median over trials of "
        "the ratio of a trial's medians; in brackets stands Student's "
        f"{percent(judging['confidence'])} interval over the trials, each with its mean log ratio "
        "of block medians; a median that lies outside (few blocks, or unsteady ones) is marked °. "
        "A trial passes, as in TVM issue 20342, if the CV of both ON and OFF is "
        f"at most {percent(passing['max_cv'])} and ON/OFF is at least "
        f"{passing['min_slowdown']:.2f}: it shows that fusing made it slower."
    )


def warnings(summary: dict) -> list[str]:
    lines = []
    for case in summary["cases"]:
        where = where_of(summary, case)
        lines += [f"- {where}: {warning}" for warning in case["warnings"]]
    return ["Warnings:", "", *lines, ""] if lines else []


def steadiness(summary: dict) -> str:
    judging, control = summary["judging"], summary["control"]
    text = (
        "A block during which a clock fell, a hardware or thermal slowdown occurred or another "
        "process appeared is flagged whole and left out of the intervals; over "
        f"{percent(judging['max_flagged'])} of them make the case UNSTABLE. A software power cap "
        "is reported and stays in."
    )
    if control:
        text += (
            f" The control is {control['of']}, loaded twice and timed under two names in every "
            "block: its ratio to itself is drifting if the interval leaves out 1, and cannot tell "
            f"where it is known to no better than ±{percent(judging['max_half_width'])}."
        )
    return text


def ratio_rows(summary: dict) -> list[dict]:
    rows = []
    for case in summary["cases"]:
        passing = case["trials_passing"]
        row = sizes_of(summary, case)
        row |= {
            pair: with_interval(over["median"], over["interval"])
            for pair, over in case["ratios"].items()
        }
        row["trials passing"] = f"{passing['passing']}/{passing['of']}" if passing["of"] else "–"
        rows.append(row)
    return rows


def verdict_rows(summary: dict) -> list[dict]:
    return [
        sizes_of(summary, case)
        | {"ratio": pair, "verdict": f"**{found['verdict']}**", "reason": found["reason"]}
        for case in summary["cases"]
        for pair, found in case["verdicts"].items()
    ]


def latency_rows(summary: dict) -> list[dict]:
    return [
        sizes_of(summary, case) | {v: with_range(o, 2) for v, o in case["median_us"].items()}
        for case in summary["cases"]
    ]


def floor_lines(summary: dict) -> list[str]:
    """Latency over the floor's, where one was timed, and what peers' numbers hold."""
    if not summary.get("floor"):
        return []
    rows = [
        sizes_of(summary, case)
        | {n: with_interval(o["median"], o["interval"], 3) for n, o in case["over_floor"].items()}
        for case in summary["cases"]
        if case["over_floor"]
    ]
    lines = ["## Latency over the floor", "", *markdown_table(rows), "", FLOOR_NOTE, ""]
    if summary["peers"]:
        versions = {
            ", ".join(f"{k} {v}" for k, v in found.items() if k not in ("device", "how") and v)
            for found in summary["peers"].values()
        }
        lines += [f"{PEERS_NOTE} Versions: {'; '.join(sorted(versions))}.", ""]
    return lines


def regret_rows(summary: dict) -> list[dict]:
    rows = []
    for case in summary["cases"]:
        row = sizes_of(summary, case)
        for variant, regret in case["regret"].items():
            best = regret["interval"] is None and regret["ratio"] == 1
            row[variant] = "best" if best else with_interval(regret["ratio"], regret["interval"], 3)
        rows.append(row)
    return rows


def steadiness_rows(summary: dict) -> list[dict]:
    rows = []
    for case in summary["cases"]:
        row = sizes_of(summary, case)
        if summary["control"]:
            of, control = summary["control"]["of"], case["control"]
            row[f"control {of}/{of}"] = (
                with_interval(control["ratio"], control, 6) if control else "no interval"
            )
            row["drifting"] = _drifting(control)
        flagged = case["flagged"]
        row["flagged blocks"] = f"{flagged['blocks']} of {flagged['of']}"
        row["blocks under a power cap"] = flagged["power_capped"]
        rows.append(row)
    return rows


def _drifting(control: dict | None) -> str:
    if control is None:
        return "–"
    if control["drifting"] is None:
        return f"cannot tell: known to ±{control['half_width']:.1%} only"
    return "**drifting**" if control["drifting"] else "no"


def trial_rows(summary: dict) -> list[dict]:
    rows = []
    for case in summary["cases"]:
        for trial in case["trials"]:
            mark = "‡" if trial["other_processes"] else ""
            row = sizes_of(summary, case) | {"trial": f"{trial['trial']}{mark}"}
            row |= {pair: f"{value:.4f}" for pair, value in trial["ratios"].items()}
            for variant in [v for v in summary["variants"] if v in trial["cv"]]:
                cv = trial["cv"][variant]
                dagger = " †" if variant in trial["over_max_cv"] else ""
                row[f"CV {variant}"] = f"{cv:.2%}{dagger}"
            row |= {"blocks": trial["blocks"], "flagged": trial["flagged"]}
            row["passes"] = {True: "yes", False: "no", None: "–"}[trial["passes"]]
            rows.append(row)
    return rows


def _block_rows(summary: dict) -> list[dict]:
    return [
        sizes_of(summary, case)
        | {"trial": trial["trial"]}
        | {
            pair: "–" if over["block_means"][place] is None else f"{over['block_means'][place]:.4f}"
            for pair, over in case["ratios"].items()
        }
        for case in summary["cases"]
        for place, trial in enumerate(case["trials"])
    ]
