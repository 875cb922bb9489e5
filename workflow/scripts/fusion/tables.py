"""A summary as frames for CSV, and the words and cells that tables and figures share."""

import pandas as pd

from .failures import words


def varying_sizes(summary: dict) -> list[str]:
    """Of workload, sizes and dtype, those in which the cases differ; depth where none does.

    A size that not all workloads have counts where cases of one workload differ in it.
    """
    points = [point(case) for case in summary["cases"]]
    keys = dict.fromkeys(key for one in points for key in one)
    found = [key for key in keys if _varies(key, points)]
    return found or [next(iter(summary["cases"][0]["case"]["sizes"]), "workload")]


def _varies(key: str, points: list[dict]) -> bool:
    if all(key in one for one in points):
        return len({one[key] for one in points}) > 1
    pairs = {(one["workload"], one[key]) for one in points if key in one}
    return len(pairs) > len({workload for workload, _ in pairs})


def point(case: dict) -> dict:
    """A case's workload, sizes and dtype."""
    found = case["case"]
    dtype = {"dtype": found["dtype"]} if found["dtype"] else {}  # a model has its own
    return {"workload": found["workload"], **found["sizes"], **dtype}


def point_words(where: dict) -> str:
    """A point, or a part of one, in words: exp_chain_add, depth 16, float16."""
    named = ("workload", "dtype")
    return ", ".join(str(v) if k in named else f"{k} {v}" for k, v in where.items())


def sizes_of(summary: dict, case: dict) -> dict:
    """The parts of a case in which the summary's cases differ."""
    return {key: point(case).get(key, "–") for key in varying_sizes(summary)}


def where_of(summary: dict, case: dict) -> str:
    """The same in words: depth 8."""
    return ", ".join(f"{key} {value}" for key, value in sizes_of(summary, case).items())


def subtitle(summary: dict) -> str:
    """What all cases share, on one line: device, TVM, compiler, shape."""
    varying = varying_sizes(summary)
    points = [point(case) for case in summary["cases"]]
    fixed = {
        k: v
        for k, v in points[0].items()
        if k not in varying and all(k in other for other in points)
    }
    workload = fixed.pop("workload", None)
    kind = "CPU" if summary["device"]["kind"] == "llvm" else "GPU"
    compiler = summary["compiler"]
    shared = [f"{workload}: {point_words(fixed)}" if workload else point_words(fixed)]
    return ", ".join(
        [
            f"{kind} {summary['device']['name']} ({summary['arch']})",
            f"TVM {_tvms(summary)}",
            *([f"{compiler['name']} {compiler['version']}"] if compiler["name"] else []),
            *filter(None, shared),
        ]
    )


def _tvms(summary: dict) -> str:
    """The TVM's version, or those of several."""
    several = [found["tvm"] for found in summary.get("toolchains", {}).values()]
    return ", ".join(several) or summary["environment"].get("tvm", "not run")


def measured(summary: dict) -> str:
    """When and on which device the trials ran, and for how long they held it."""
    found = summary["measured"]
    start, end = (found[key].replace("T", " ").removesuffix("+00:00") for key in ("first", "last"))
    return (
        f"measured from {start} to {end} UTC on {', '.join(found['devices'])}, which "
        f"{sum(len(case['trials']) for case in summary['cases'])} trials held for "
        f"{found['held_s']:.1f} s"
    )


def with_interval(middle: float, interval: dict | None, digits: int = 4) -> str:
    """A ratio with its interval in brackets: 1.3856 [1.3812, 1.3900].

    A degree sign marks a median that lies outside the interval, which is of the trials' means.
    """
    if interval is None:
        return f"{middle:.{digits}f} (no interval)"
    low, high = (round(interval[end], digits) for end in ("low", "high"))
    outside = "" if low <= round(middle, digits) <= high else "°"
    return f"{middle:.{digits}f}{outside} [{low:.{digits}f}, {high:.{digits}f}]"


def with_range(over: dict, digits: int) -> str:
    """A median over trials with their range in brackets."""
    middle = f"{over['median']:.{digits}f}"
    if len(over["values"]) == 1:
        return f"{middle} (one trial)"
    return f"{middle} [{over['min']:.{digits}f}, {over['max']:.{digits}f}]"


def escaped(text: str) -> str:
    """Text of others, such as a compiler's message, so that Markdown shows it as it is."""
    for sign, shown in (("&", "&amp;"), ("<", "&lt;"), ("|", "\\|"), ("`", "\\`"), ("$", "\\$")):
        text = text.replace(sign, shown)
    return " ".join(text.split())


def markdown_table(rows: list[dict]) -> list[str]:
    """Lines of a Markdown table with all rows' keys as its head; words to the left.

    What a row lacks is a dash. No rows give no lines.
    """
    head = list(dict.fromkeys(key for row in rows for key in row))
    if not head:
        return []
    full = [{key: str(row.get(key, "–")) for key in head} for row in rows]
    numbers = {key: all(row[key][:1] in "-–0123456789" for row in full) for key in head}
    rule = "".join("---:|" if numbers[key] else "---|" for key in head)
    lines = ["| " + " | ".join(head) + " |", "|" + rule]
    return lines + ["| " + " | ".join(row.values()) + " |" for row in full]


def trials_frame(summary: dict) -> pd.DataFrame:
    """One row a case and trial: sizes, ratios, medians in microseconds, CVs, marks."""
    rows = []
    for case in summary["cases"]:
        for place, trial in enumerate(case["trials"]):
            means = {f"{p} of blocks": o["block_means"][place] for p, o in case["ratios"].items()}
            rows.append(
                {
                    **point(case),
                    "trial": trial["trial"],
                    **trial["ratios"],
                    **means,
                    **{f"{v} median_us": m for v, m in trial["median_us"].items()},
                    **{f"{v} cv": c for v, c in trial["cv"].items()},
                    "blocks": trial["blocks"],
                    "flagged_blocks": trial["flagged"],
                    "held_s": trial["held_s"],
                    "over_max_cv": " ".join(trial["over_max_cv"]),
                    "passes": trial["passes"],
                    "other_processes": trial["other_processes"],
                }
            )
    return pd.DataFrame(rows)


def summary_frame(summary: dict) -> pd.DataFrame:
    """One row a case: each ratio with its range, interval and verdict; latencies; regret; marks."""
    rows = []
    for case in summary["cases"]:
        row = point(case)
        for pair, over in case["ratios"].items():
            bounds = over["interval"] or {"low": None, "high": None}
            row |= {pair: over["median"], f"{pair} min": over["min"], f"{pair} max": over["max"]}
            row |= {f"{pair} low": bounds["low"], f"{pair} high": bounds["high"]}
            row[f"{pair} verdict"] = case["verdicts"][pair]["verdict"]
        for variant, over in case["median_us"].items():
            row |= {f"{variant}_us": over["median"]}
            row |= {f"{variant}_us min": over["min"], f"{variant}_us max": over["max"]}
            if variant in case["regret"]:
                row[f"{variant} regret"] = case["regret"][variant]["ratio"]
        for name, over in (case.get("over_floor") or {}).items():
            bounds = over["interval"] or {"low": None, "high": None}
            row |= {f"{name} over floor": over["median"]}
            row |= {f"{name} over floor {end}": bounds[end] for end in ("low", "high")}
        control = case["control"] or {"ratio": None, "low": None, "high": None, "drifting": None}
        row |= {f"control {k}": control[k] for k in ("ratio", "low", "high", "drifting")}
        row |= {"flagged_blocks": case["flagged"]["blocks"], "blocks": case["flagged"]["of"]}
        passing = case["trials_passing"]
        row |= {"trials_passing": passing["passing"], "trials": passing["of"]}
        if any(other.get("failed") for other in summary["cases"]):
            row["failed"] = "; ".join(
                f"{name} ({why['stage']}): {words(why)}" for name, why in case["failed"].items()
            )
        row["warnings"] = " ".join(case["warnings"])
        rows.append(row)
    return pd.DataFrame(rows)
