"""A summary as frames for CSV, and the words and cells that tables and figures share."""

import pandas as pd


def varying_sizes(summary: dict) -> list[str]:
    """The sizes, and dtype, in which the cases differ; depth (or the first) where none does."""
    cases = [{**c["case"]["sizes"], "dtype": c["case"]["dtype"]} for c in summary["cases"]]
    found = [key for key in cases[0] if len({case[key] for case in cases}) > 1]
    return found or [next(iter(cases[0]))]


def point(case: dict) -> dict:
    """A case's sizes with its dtype."""
    return {**case["case"]["sizes"], "dtype": case["case"]["dtype"]}


def subtitle(summary: dict) -> str:
    """What all cases share, on one line: device, TVM, compiler, shape."""
    varying = varying_sizes(summary)
    fixed = {k: v for k, v in point(summary["cases"][0]).items() if k not in varying}
    shape = ", ".join(str(v) if k == "dtype" else f"{k} {v}" for k, v in fixed.items())
    kind = "CPU" if summary["device"]["kind"] == "llvm" else "GPU"
    compiler = summary["compiler"]
    return (
        f"{kind} {summary['device']['name']} ({summary['arch']}), "
        f"TVM {summary['environment']['tvm']}, {compiler['name']} {compiler['version']}, "
        f"{summary['cases'][0]['case']['workload']}: {shape}"
    )


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
    """A ratio with its interval in brackets: 1.3856 [1.3812, 1.3900]."""
    if interval is None:
        return f"{middle:.{digits}f} (no interval)"
    return f"{middle:.{digits}f} [{interval['low']:.{digits}f}, {interval['high']:.{digits}f}]"


def with_range(over: dict, digits: int) -> str:
    """A median over trials with their range in brackets."""
    middle = f"{over['median']:.{digits}f}"
    if len(over["values"]) == 1:
        return f"{middle} (one trial)"
    return f"{middle} [{over['min']:.{digits}f}, {over['max']:.{digits}f}]"


def markdown_table(rows: list[dict]) -> list[str]:
    """Lines of a Markdown table with the first row's keys as its head; words to the left.

    No rows give no lines.
    """
    if not rows:
        return []
    head = list(rows[0])
    numbers = {key: all(str(row[key])[:1] in "-–0123456789" for row in rows) for key in head}
    rule = "".join("---:|" if numbers[key] else "---|" for key in head)
    lines = ["| " + " | ".join(head) + " |", "|" + rule]
    return lines + ["| " + " | ".join(str(row[key]) for key in head) + " |" for row in rows]


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
            row[f"{variant} regret"] = case["regret"][variant]["ratio"]
        control = case["control"] or {"ratio": None, "low": None, "high": None, "drifting": None}
        row |= {f"control {k}": control[k] for k in ("ratio", "low", "high", "drifting")}
        row |= {"flagged_blocks": case["flagged"]["blocks"], "blocks": case["flagged"]["of"]}
        passing = case["trials_passing"]
        row |= {"trials_passing": passing["passing"], "trials": passing["of"]}
        row["warnings"] = " ".join(case["warnings"])
        rows.append(row)
    return pd.DataFrame(rows)
