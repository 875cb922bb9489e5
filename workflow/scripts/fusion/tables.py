"""A summary as Markdown that renders on GitHub, and as CSV."""

import pandas as pd

CPU_NOTE = (
    "**This is a CPU, not a GPU** ({name}, LLVM): no number here says how fast a GPU is. OFF, "
    "PARTIAL and ON are what TVM's CPU pipeline makes of the graph, which inlines nothing."
)
INLINED_NOTE = (
    " INLINED is ON after dlight's `try_inline`, the step by which the CUDA pipeline moves the "
    "producer into its consumer: compare INLINED with ON to see the mechanism."
)


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


def markdown(summary: dict) -> str:
    """The issue's table, each trial's values, latencies, and what they rest on."""
    protocol, passing = summary["protocol"], summary["passing"]
    device = summary["device"]
    lines = [f"# {summary['experiment']}", "", f"{subtitle(summary)}.", ""]
    if device["kind"] == "llvm":
        note = CPU_NOTE + (INLINED_NOTE if "INLINED" in summary["variants"] else "")
        lines += [f"> {note.format(name=device['name'])}", ""]
    lines += ["## Ratios", "", *_table(_ratio_rows(summary)), ""]
    lines += [
        "A ratio above 1 means that the first is slower. Each is the median over trials of the "
        "ratio of a trial's medians, with the range over trials in brackets. A trial passes, as "
        f"in TVM issue 20342, if the CV of both ON and OFF is at most {passing['max_cv']:.0%} and "
        f"ON/OFF is at least {passing['min_slowdown']:.2f}: it shows that fusing made it slower.",
        "",
        "## Latency, µs a call",
        "",
        *_table(_latency_rows(summary)),
        "",
        "## Every trial",
        "",
        *_table(_trial_rows(summary)),
        "",
    ]
    if any(t["over_max_cv"] for c in summary["cases"] for t in c["trials"]):
        lines += [f"† CV over {passing['max_cv']:.0%}; the trial stays in.", ""]
    if any(t["other_processes"] for c in summary["cases"] for t in c["trials"]):
        lines += ["‡ Other processes were on the GPU during the trial.", ""]
    lines += [
        "## What this rests on",
        "",
        f"- {protocol['blocks']} blocks a trial; in each, every variant once, in an order that "
        "cycles through all permutations; "
        f"{protocol['blocks'] * protocol['repeat']} samples a variant and trial, each at least "
        f"{protocol['min_repeat_ms']} ms of calls (`vm.time_evaluator`).",
        "- Inside the timing: the calls with the virtual machine's allocations. Outside: "
        "compilation, transfers, checks.",
        f"- Verified before timing: {_verified(summary)}.",
        f"- All trials of a case ran the same {'cubins' if device['kind'] == 'cuda' else 'code'}: "
        f"{_codes(summary)}.",
        f"- {_software(summary)}",
        "",
    ]
    return "\n".join(lines)


def trials_frame(summary: dict) -> pd.DataFrame:
    """One row a case and trial: sizes, ratios, medians in microseconds, CVs, marks."""
    rows = []
    for case in summary["cases"]:
        for trial in case["trials"]:
            rows.append(
                {
                    **point(case),
                    "trial": trial["trial"],
                    **trial["ratios"],
                    **{f"{v} median_us": m for v, m in trial["median_us"].items()},
                    **{f"{v} cv": c for v, c in trial["cv"].items()},
                    "over_max_cv": " ".join(trial["over_max_cv"]),
                    "passes": trial["passes"],
                    "other_processes": trial["other_processes"],
                }
            )
    return pd.DataFrame(rows)


def summary_frame(summary: dict) -> pd.DataFrame:
    """One row a case: sizes, each ratio and latency with its range over trials, trials passing."""
    rows = []
    for case in summary["cases"]:
        row = point(case)
        for name, over in [*case["ratios"].items(), *_suffixed(case["median_us"], "_us")]:
            row |= {name: over["median"], f"{name} min": over["min"], f"{name} max": over["max"]}
        passing = case["trials_passing"]
        row |= {"trials_passing": passing["passing"], "trials": passing["of"]}
        rows.append(row)
    return pd.DataFrame(rows)


def _suffixed(values: dict, suffix: str) -> list[tuple[str, dict]]:
    return [(f"{key}{suffix}", value) for key, value in values.items()]


def _ratio_rows(summary: dict) -> list[dict]:
    keys = varying_sizes(summary)
    rows = []
    for case in summary["cases"]:
        passing = case["trials_passing"]
        row = {key: point(case)[key] for key in keys}
        row |= {pair: _with_range(over, 4) for pair, over in case["ratios"].items()}
        row["trials passing"] = f"{passing['passing']}/{passing['of']}" if passing["of"] else "–"
        rows.append(row)
    return rows


def _latency_rows(summary: dict) -> list[dict]:
    keys = varying_sizes(summary)
    return [
        {key: point(case)[key] for key in keys}
        | {variant: _with_range(over, 2) for variant, over in case["median_us"].items()}
        for case in summary["cases"]
    ]


def _trial_rows(summary: dict) -> list[dict]:
    keys = varying_sizes(summary)
    rows = []
    for case in summary["cases"]:
        for trial in case["trials"]:
            mark = "‡" if trial["other_processes"] else ""
            row = {key: point(case)[key] for key in keys}
            row["trial"] = f"{trial['trial']}{mark}"
            row |= {pair: f"{value:.4f}" for pair, value in trial["ratios"].items()}
            for variant, cv in trial["cv"].items():
                dagger = " †" if variant in trial["over_max_cv"] else ""
                row[f"CV {variant}"] = f"{cv:.2%}{dagger}"
            row["passes"] = {True: "yes", False: "no", None: "–"}[trial["passes"]]
            rows.append(row)
    return rows


def _with_range(over: dict, digits: int) -> str:
    middle = f"{over['median']:.{digits}f}"
    if len(over["values"]) == 1:
        return f"{middle} (one trial)"
    return f"{middle} [{over['min']:.{digits}f}, {over['max']:.{digits}f}]"


def _table(rows: list[dict]) -> list[str]:
    head = list(rows[0])
    lines = ["| " + " | ".join(head) + " |", "|" + "---:|" * len(head)]
    return lines + ["| " + " | ".join(str(row[key]) for key in head) + " |" for row in rows]


def _verified(summary: dict) -> str:
    checked = [v for case in summary["cases"] for v in case["verified"].values()]
    draws, equal = sum(v["draws"] for v in checked), sum(v["bit_equal"] for v in checked)
    largest = max(v["max_abs_error"] for v in checked)
    return (
        f"{draws} outputs against the NumPy reference, {equal} of them bit-equal, "
        f"largest absolute error {largest:.3g}"
    )


def _codes(summary: dict) -> str:
    keys = varying_sizes(summary)
    parts = []
    for case in summary["cases"]:
        where = ", ".join(f"{key} {point(case)[key]}" for key in keys)
        hashes = ", ".join(f"{v} `{sha[:12]}`" for v, sha in case["code"].items())
        parts.append(f"{where}: {hashes}")
    return "; ".join(parts)


def _software(summary: dict) -> str:
    env = summary["environment"]
    driver = summary["device"].get("driver")
    words = [f"TVM {env['tvm']} (commit {env['tvm_commit']}), tvm-ffi {env['tvm_ffi']}"]
    words += [f"NVIDIA driver {driver}"] if driver else []
    words += [f"Python {env['python']}, NumPy {env['numpy']}, {env['os']}"]
    return ", ".join(words) + "."
