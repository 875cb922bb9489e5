"""A run as an issue that can be pasted: what is wrong, how it was found, how to see it again."""

import copy
from dataclasses import dataclass, field

from . import issue_evidence as evidence
from . import issue_reproduction as reproduction
from . import issue_traces
from . import issue_workload as workload
from . import summary_text as text
from .answers import REMEDIES, answer
from .decision_tables import rows as decision_rows
from .entries import toolchains_of, variant_of
from .issue_actual import actual, expected, failures, in_short, unknown
from .issue_findings import FAILED, NOTHING, OPEN, Finding, find, title
from .issue_markdown import Room, cell, code_span, entries, fence, span
from .issue_script import script
from .summary_basis import basis
from .tables import sizes_of, with_interval, with_range
from .variants import VARIANTS
from .words import percent

LIMIT = 65_536  # characters that GitHub takes in one post
ROOMS = (Room(40, 200), Room(24, 120), Room(14, 80), Room(8, 60), Room(4, 30), Room(2, 10))
LABELS = ("needs-triage", "type: bug")


@dataclass(frozen=True)
class Records:
    """The records of a run, each kind as far as it is kept, in the order of the summary.

    traces: see issue_traces. overlay, address: see issue_reproduction.
    """

    summary: dict
    compiled: list[dict] = field(default_factory=list)
    verified: list[dict] = field(default_factory=list)
    trials: list[dict] = field(default_factory=list)
    audits: list[dict] = field(default_factory=list)
    profiles: list[dict] = field(default_factory=list)
    traces: list[dict] = field(default_factory=list)
    overlay: dict | None = None
    address: str = ""


def issue(records: Records) -> str:
    """The whole issue in Markdown, under GitHub's limit: long tables and listings are cut."""
    for room in ROOMS:
        found = "\n".join(_lines(records, room)) + "\n"
        if len(found) < LIMIT:
            return found
    note = "\n\nCut here: GitHub takes no longer post. The rest is in tables/summary.md.\n"
    return found[: LIMIT - len(note) - 1].rsplit("\n", 1)[0] + note


def _lines(given: Records, room: Room) -> list[str]:
    finding = find(given.summary)
    safe = _safe(given)
    summary = safe.summary
    about = find(summary)  # the same one, with the names made safe
    lines = [f"# {title(given.summary, finding)}", ""]
    if summary["device"]["kind"] == "llvm":
        note = text.CPU_NOTE.format(name=summary["device"]["name"])
        lines += [f"> {note} Nothing here says anything about a GPU.", ""]
    lines += [*in_short(summary, about, safe.audits), ""]
    if finding.kind == FAILED:
        lines += ["## What fails", "", *failures(summary, room)]
    lines += ["## Workload", "", *workload.lines(_shown(given, summary), given.compiled, room)]
    lines += ["## Results", "", *_results(summary, room)]
    lines += ["## Expected behavior", "", expected(summary, about), ""]
    lines += ["## Actual behavior", "", *actual(summary, about, room)]
    lines += ["## Correctness", "", *evidence.correctness(summary, safe.verified, room)]
    lines += ["## Evidence", "", *_mechanism(summary, about, safe.audits)]
    lines += ["### Calls", "", *evidence.calls(summary, safe.compiled, room)]
    lines += issue_traces.lines(summary, safe.traces, room)
    lines += ["### Machine code and executed operations", ""]
    lines += evidence.machine_code(safe.audits, room)
    lines += ["### Per-kernel profile", "", *evidence.profiled(safe.profiles, summary, room)]
    lines += _remedies(summary, safe.compiled, room)
    records = (safe.compiled, safe.trials, safe.profiles)
    lines += ["## Environment", "", *evidence.environment(given.summary, *records)]
    lines += [
        "## Steps to reproduce",
        "",
        *reproduction.lines(given.summary, given.overlay, given.address),
    ]
    lines += _alone(given.summary, finding, room)
    lines += ["## What is not known", "", *unknown(summary, about, safe.profiles), ""]
    if finding.kind in (NOTHING, OPEN):
        return lines
    return [*lines, "## Triage", "", *[f"* {label}" for label in LABELS]]


def _results(summary: dict, room: Room) -> list[str]:
    """Verdicts with ranges and intervals first, then the issue's table, and what it rests on."""
    where = "tables/summary.csv"
    if not any(case["median_us"] for case in summary["cases"]):
        return ["Nothing was measured.", ""]
    lines = [*_variants(summary), *room.table(_verdicts(summary), where)]
    lines += ["By case, as TVM issue 20342 shows it:", ""]
    lines += [*room.table(text.ratio_rows(summary), where), text.reading(summary), ""]
    lines += ["Latency, µs a call, with the range over the trials:", ""]
    lines += room.table(text.latency_rows(summary), where)
    regret = text.regret_rows(summary)
    lines += ["Regret, a variant's latency over that of the case's best variant:", ""]
    lines += room.table(regret, where)
    floor = text.floor_lines(summary)
    lines += ["Over the floor:", "", *floor[2:]] if floor and len(floor) < room.rows + 20 else []
    lines += ["The control, and blocks that do not count:", ""]
    lines += [
        *room.table(text.steadiness_rows(summary), where),
        entries(text.steadiness(summary)),
        "",
    ]
    lines += _warned(summary, room)
    lines += ["Every trial:", "", *room.table(text.trial_rows(summary), "tables/trials.csv")]
    if any(trial["over_max_cv"] for case in summary["cases"] for trial in case["trials"]):
        lines += [f"† CV over {percent(summary['passing']['max_cv'])}; the trial stays in.", ""]
    protocol = summary["protocol"]
    lines += [
        f"Protocol: {max(len(case['trials']) for case in summary['cases'])} trials a case, each a "
        f"process of its own; a warm-up of {protocol['warmup_calls']} calls and "
        f"{protocol['warmup_seconds']:g} s of timed batches a variant; at least "
        f"{protocol['number']} calls and {protocol['min_repeat_ms']:g} ms a sample, "
        f"{protocol['repeat']} samples a variant and block.",
        "",
        *map(entries, basis(summary)),
        "",
    ]
    return [*lines, *evidence.source("tables/summary.json")]


def _variants(summary: dict) -> list[str]:
    """What is compared and how each is made."""
    names = dict.fromkeys(map(variant_of, summary["variants"]))
    lines = [f"- **{name}**: {VARIANTS[name].summary}." for name in names if name in VARIANTS]
    several = [one for one in toolchains_of(summary["variants"]) if one]
    lines += [f"- Each under the TVMs {', '.join(map(span, several))}."] if several else []
    lines += [f"- **{summary['floor']}**: {text.FLOOR_NOTE}"] if summary.get("floor") else []
    if summary["peers"]:
        lines += [f"- {', '.join(f'**{name}**' for name in summary['peers'])}: {text.PEERS_NOTE}"]
    return [*lines, ""]


def _verdicts(summary: dict) -> list[dict]:
    """A row a case and pair; what is SLOWER first, the worst of it on top."""
    rows, interval = [], f"{percent(summary['judging']['confidence'])} interval"
    for case in summary["cases"]:
        for pair, found in case["verdicts"].items():
            over = case["ratios"][pair]
            row = sizes_of(summary, case) | {"ratio": pair, "verdict": f"**{found['verdict']}**"}
            row["median over trials"] = f"{over['median']:.6f}"
            row["range over trials"] = f"{over['min']:.4f} to {over['max']:.4f}"
            row[interval] = with_interval(over["median"], over["interval"]).partition(" ")[2]
            rows.append((found["verdict"] != "SLOWER", -over["median"], row | _why(found)))
    return [row for *_, row in sorted(rows, key=lambda one: one[:2])]


def _why(found: dict) -> dict:
    return {"reason": cell(found["reason"])} if found["verdict"] == "UNSTABLE" else {}


def _warned(summary: dict, room: Room) -> list[str]:
    lines = text.warnings(summary)
    listed = [line for line in lines if line.startswith("- ")]
    if not listed:
        return ["Warnings: none.", ""]
    left = len(listed) - room.rows
    more = [f"- {left} more are in `tables/summary.md`."] * (left > 0)
    return ["Warnings:", "", *map(entries, listed[: room.rows]), *more, ""]


def _mechanism(summary: dict, about: Finding, audits: list[dict]) -> list[str]:
    if not about.slow or about.kind == FAILED:
        return []
    words = evidence.recomputed(about.case, about.slow, about.fast, audits)
    where = ", ".join(f"{k} {v}" for k, v in sizes_of(summary, about.case).items())
    return [f"At {where}: {words}", ""] if words else []


def _remedies(summary: dict, compiled: list[dict], room: Room) -> list[str]:
    """What SPLIT and STAGED give, where they were among the variants."""
    lines = ["## What would help", ""]
    names = [n for n in summary["variants"] if variant_of(n) in REMEDIES]
    if not names:
        return [*lines, "The remedies SPLIT and STAGED were not run.", ""]
    rows = []
    for case in summary["cases"]:
        row = sizes_of(summary, case)
        row |= {n: with_range(case["median_us"][n], 2) for n in names if n in case["median_us"]}
        row |= {k: v for k, v in answer(case).items() if k != "fused or not"}
        rows.append(row)
    lines += ["Latency, µs a call, and over the fastest of OFF, PARTIAL and ON:", ""]
    lines += room.table(rows, "tables/summary.csv")
    decided = decision_rows([r for r in compiled if variant_of(r["variant"]) in names])
    words: dict[tuple[str, str], int] = {}
    for row in decided:
        key = row["variant"], row["decision"]
        words[key] = words.get(key, 0) + 1
    counted = "; ".join(f"{span(v)}: {n} × {done}" for (v, done), n in sorted(words.items()))
    lines += [f"Decisions over all cases: {counted}.", ""] if counted else []
    return [*lines, *evidence.source("tables/summary.json", "tables/decisions.md")]


def _alone(summary: dict, finding: Finding, room: Room) -> list[str]:
    """A script that needs TVM and nothing else, where one can be made of the case's function."""
    case = (finding.case or summary["cases"][0])["case"]
    made = script(summary, case)
    if made is None or made.count("\n") > room.lines:
        return []
    return [
        f"With TVM alone, {code_span(case['name'])} (without this protocol's interleaving, trials "
        f"and checks; written for TVM {span(summary['environment'].get('tvm', ''))}):",
        "",
        *fence(made, "python"),
        "",
    ]


def _shown(given: Records, safe: dict) -> dict:
    """The summary with its own names, which the workload's part makes safe itself."""
    return {**safe, "cases": given.summary["cases"]}


def _safe(given: Records) -> Records:
    """The same records with names that are no markup, for tables and sentences."""
    summary = copy.deepcopy(given.summary)
    summary["device"]["name"] = span(summary["device"]["name"])
    summary["experiment"] = span(summary["experiment"])
    kinds = ("compiled", "verified", "trials", "audits", "profiles", "traces")
    made = {
        kind: [{**record, "case": _safe_case(record["case"])} for record in getattr(given, kind)]
        for kind in kinds
    }
    for case in summary["cases"]:
        case["case"] = _safe_case(case["case"])
    return Records(summary, **made)


def _safe_case(case: dict) -> dict:
    sizes = {cell(key): value for key, value in case["sizes"].items()}
    return {**case, "workload": cell(case["workload"]), "sizes": sizes}
