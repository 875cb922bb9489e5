"""The evidence of an issue: correctness, calls, machine code, profiles, environment, as lines."""

from collections.abc import Iterable

from . import audit_tables, profile_tables
from .breakdown import breakdowns
from .issue_markdown import Room, cell, span
from .tables import sizes_of
from .workloads import WORKLOADS

NOT_KEPT = "not kept here"


def correctness(summary: dict, verified: list[dict], room: Room) -> list[str]:
    """Against what, how closely, over which draws; a row a case and variant."""
    records = {record["case"]["name"]: record for record in verified}
    records = {name: r for name, r in records.items() if r["comparisons"]}
    if not records:
        return ["Verify records: not kept here, or nothing was verified.", ""]
    first = next(iter(records.values()))
    drawn, bounds = first["inputs"], first["tolerance"]
    stated = bounds.get("stated", bounds)
    by = dict.fromkeys(r.get("reference", {"by": "NumPy"})["by"] for r in records.values())
    how = {r["reference"].get("how", "") for r in records.values() if "reference" in r}
    words = f"; {'; '.join(sorted(how))}" if any(how) else ", rounded after every operator"
    pairwise = [
        c for r in records.values() for c in r["comparisons"] if c["against"] != "reference"
    ]
    lines = [
        f"Every variant was run on {len(drawn['seeds'])} draws (seeds "
        f"{', '.join(map(str, drawn['seeds']))}; values in [{drawn['low']:g}, {drawn['high']:g}) "
        "where an input has no range of its own) before anything was timed. It is compared with "
        f"{' and '.join(map(span, by))}{span(words)}: an error may be at most "
        f"atol + rtol × abs(wanted), rtol {stated['rtol']:g}, atol {stated['atol']:g}"
        + (", more for long sums (each case's own stands in its record)" if _grown(records) else "")
        + ". Outputs hold NaN before the call, so that an unwritten element shows. Of the "
        f"{len(pairwise)} comparisons of variants with each other, "
        f"{sum(c['bit_equal'] for c in pairwise)} are bit-equal.",
        "",
    ]
    rows = [
        sizes_of(summary, case) | {"variant": variant} | _agreement(found)
        for case in summary["cases"]
        for record in [records.get(case["case"]["name"])]
        if record
        for variant, found in _against_reference(record).items()
    ]
    return [*lines, *room.table(rows, "verify/<case>.json"), *source("verify/<case>.json")]


def _grown(records: dict) -> bool:
    return any(
        r["tolerance"]["rtol"] > r["tolerance"].get("stated", r["tolerance"])["rtol"]
        for r in records.values()
    )


def _against_reference(record: dict) -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = {}
    for one in record["comparisons"]:
        if one["against"] == "reference":
            found.setdefault(one["variant"], []).append(one)
    return found


def _agreement(found: list[dict]) -> dict:
    largest = [one["max_abs_error"] for one in found if one["max_abs_error"] is not None]
    return {
        "draws": len(found),
        "within tolerance": sum(one["passed"] for one in found),
        "bit-equal to the reference": sum(one["bit_equal"] for one in found),
        "largest absolute error": f"{max(largest):.3g}" if largest else "–",
    }


def calls(summary: dict, compiled: list[dict], room: Room) -> list[str]:
    """How often each variant calls relax.call_tir, beside what its workload states."""
    known = [record for record in compiled if "failed" not in record]
    if not known:
        return ["Compile records: not kept here, or nothing was compiled.", ""]
    by_case: dict[str, dict] = {}
    for record in known:
        found, expected = record["calls"]["found"], record["calls"].get("expected")
        said = f" (expected {expected})" if expected is not None else ""
        by_case.setdefault(record["case"]["name"], {})[record["variant"]] = f"{found}{said}"
    rows = [
        sizes_of(summary, case) | by_case[case["case"]["name"]]
        for case in summary["cases"]
        if case["case"]["name"] in by_case
    ]
    where = "compile/<case>/<variant>/record.json"
    return [
        "Calls of `relax.call_tir` before VM lowering; a number that differs from the expected one "
        "fails the job:",
        "",
        *room.table(rows, where),
        *source(where, note="; the IR after every pass lies in `ir/` beside it"),
    ]


def machine_code(audits: list[dict], room: Room) -> list[str]:
    """What the compiled code says: executed operations by variant, and every kernel."""
    known = audit_tables.compiled_of(audits)
    if not known:
        return ["Static evidence (audit): not run, or not kept here.", ""]
    kernels = audit_tables.kernel_rows(known)
    rules = dict.fromkeys(row["rule"] for row in kernels)
    notes = [audit_tables.EXECUTED_NOTE, audit_tables.BYTES_NOTE]
    if known[0]["arch"] == "llvm":
        notes = [audit_tables.CPU_NOTE, audit_tables.BYTES_NOTE]
    lines = [*audit_tables.flags(known)]
    lines += [*room.table(audit_tables.total_rows(known), "tables/audit_totals.csv")]
    lines += [line for note in notes for line in (note, "")]
    lines += [f"Every kernel; schedule rules of dlight: {', '.join(map(span, rules))}:", ""]
    lines += room.table(kernels, "tables/audit.csv")
    if any(kernel["backward_branches"] for audit in known for kernel in audit["kernels"]):
        lines += [audit_tables.BACKWARD_NOTE, ""]
    tools = ", ".join(dict.fromkeys(tool for audit in known for tool in audit.get("tools", [])))
    note = ", the disassembly beside it" + (f" ({tools})" if tools else "")
    return [*lines, *source("audit/<case>/<variant>.json", note=note)]


def profiled(profiles: list[dict], summary: dict, room: Room) -> list[str]:
    """Each kernel's duration and counters; or that it was not run, and why."""
    if not profiles:
        cpu = summary["device"]["kind"] == "llvm"
        why = " (a CPU has no GPU kernels)" if cpu else f", or {NOT_KEPT}"
        return [f"Per-kernel timings and counters: not run{why}.", ""]
    rows = profile_tables.call_rows(
        breakdowns(profiles, summary), summary, profile_tables.producers(profiles)
    )
    kernels = profile_tables.kernel_rows(profiles, summary)
    lines = ["Where a call's time goes, µs:", "", *room.table(rows, "tables/breakdown.csv")]
    lines += [profile_tables.NOTE, ""]
    if kernels:
        lines += ["Each kernel:", "", *room.table(kernels, "tables/profile_kernels.csv")]
        lines += [profile_tables.COUNTERS, ""]
    missing = profile_tables.not_run(profiles)
    lines += [*map(span, missing), ""] if missing else []
    tools = dict.fromkeys(p["counters"].get("tool") for p in profiles)
    named = ", ".join(filter(None, tools))
    note = f" (CUPTI{', ' if named else ''}{named})"
    return [*lines, *source("profile/<case>/<variant>.json", note=note)]


def recomputed(case: dict, slow: str, fast: str, audits: list[dict]) -> str:
    """How many more transcendental operations the slower of a pair executes; "" if none more."""
    found = {a["variant"]: a for a in audits if a["case"]["name"] == case["case"]["name"]}
    totals = {name: _executed(found.get(name)) for name in (slow, fast)}
    if not all(totals.values()) or totals[slow] <= totals[fast]:
        return ""
    text = (
        f"{span(slow)} executes {totals[slow]:,} transcendental operations (MUFU) a call where "
        f"{span(fast)} executes {totals[fast]:,}: {totals[slow] / totals[fast]:,.4g} times as many"
    )
    stated = WORKLOADS.get(case["case"]["workload"])
    once, reads = stated.reused(case["case"]["sizes"]) if stated and stated.reused else (0, 0)
    if (totals[fast], totals[slow]) == (once, once * reads):
        text += (
            f". That is the producer once ({once:,}), and once for each of the {reads:,} elements "
            "that read it"
        )
    return f"{text}."


def _executed(audit: dict | None) -> int:
    found = (audit or {}).get("totals", {}).get("mufu_executed") or {}
    return sum(found.values())


def environment(
    summary: dict, compiled: list[dict], trials: list[dict], profiles: list[dict]
) -> list[str]:
    """A table of all that the numbers depend on."""
    device, env = summary["device"], summary["environment"]
    cpu = device["kind"] == "llvm"
    known = [record for record in compiled if "failed" not in record]
    compiler = summary["compiler"]
    rows = [("CPU" if cpu else "GPU", f"{device['name']} ({summary['arch']})")]
    if not cpu:
        rows.append(("GPU's UUID", ", ".join(summary["measured"]["devices"])))
        rows.append(("NVIDIA driver", device.get("driver") or NOT_KEPT))
    if compiler.get("name"):
        rows.append(("kernels' compiler", f"{compiler['name']} {compiler['version']}"))
    rows += [
        (name, _all(key(record) for record in known))
        for name, key in (
            ("cuda-bindings", lambda r: r["compiler"].get("cuda_bindings")),
            ("LLVM in TVM", lambda r: r.get("llvm")),
            ("linker", lambda r: r["module"].get("linker")),
            ("target", lambda r: r.get("target")),
        )
    ]
    rows += [
        (name, env.get(key, ""))
        for name, key in (
            ("TVM", "tvm"),
            ("TVM's commit", "tvm_commit"),
            ("tvm-ffi", "tvm_ffi"),
            ("Python", "python"),
            ("NumPy", "numpy"),
            ("OS", "os"),
        )
    ]
    for name, found in summary.get("toolchains", {}).items():
        rows.append((f"TVM {name}", f"{found['tvm']} (commit {found['tvm_commit']})"))
    for name, found in summary["peers"].items():
        words = [f"{k} {v}" for k, v in found.items() if k not in ("device", "how") and v]
        rows.append((f"peer {name}", ", ".join(words)))
    rows += _state(trials)
    rows.append(("Nsight Compute", _all(p["counters"].get("tool") for p in profiles)))
    shown = [{"part": cell(name), "what": cell(value)} for name, value in rows if value]
    return [
        *Room(len(shown), 0).table(shown, ""),
        *source(
            "tables/summary.json",
            "compile/<case>/<variant>/record.json",
            "time/<case>/trial-<n>.json",
            "profile/<case>/<variant>.json",
        ),
    ]


def _state(trials: list[dict]) -> list[tuple[str, str]]:
    """The GPU's clocks, heat and power around the blocks; none of a CPU."""
    states = [t["state"] for r in trials for t in r.get("telemetry", []) if t.get("state")]
    names = {
        "SM clock, MHz": "sm_clock_mhz",
        "memory clock, MHz": "memory_clock_mhz",
        "temperature, °C": "temperature_c",
        "power, W": "power_w",
        "power limit, W": "power_limit_w",
    }
    found = []
    for name, key in names.items():
        values = [state[key] for state in states if state.get(key) is not None]
        if values:
            low, high = min(values), max(values)
            words = f"{low:g}" if low == high else f"{low:g} to {high:g}"
            found.append((f"{name}, around every block", words))
    return found


def _all(values: Iterable) -> str:
    return "; ".join(dict.fromkeys(str(value) for value in values if value))


def source(*files: str, note: str = "") -> list[str]:
    """Where the numbers above stand, as the last line of a part."""
    return [f"From {', '.join(f'`{file}`' for file in files)}{note}.", ""]
