"""Trials' records to one summary: what was measured, over trials, and which trials pass."""

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from . import over_trials, records
from .cautions import cautions
from .errors import FusionError
from .judging import Thresholds, drifting, verdict
from .pairs import ratio_pairs

# What all trials of an experiment must share; a difference refuses the table.
SHARED = ("arch", "entries", "protocol")


def summarize(
    experiment: str,
    trials: list[Path],
    verified: list[Path],
    compiled: list[Path],
    passing: dict,
    thresholds: Thresholds,
) -> dict:
    """The body of a summary record. Raises FusionError where the records are not of one run.

    passing: max_cv and min_slowdown. A trial passes if the CV of both ON and OFF is at most max_cv
    and ON/OFF is at least min_slowdown (TVM issue 20342's criterion); one over max_cv stays in.
    thresholds: what verdicts and warnings go by.
    """
    read = [(path, records.read(path, "time")) for path in trials]
    _require_same(read)
    compiles = {_key(r): r for r in (records.read(p, "compile") for p in compiled)}
    verifies = {r["case"]["name"]: r for r in (records.read(p, "verify") for p in verified)}
    names = list(dict.fromkeys(r["case"]["name"] for _, r in read))
    # What a run shares is read off a trial that measured something, if there is one.
    first = next((r for _, r in read if r["variants"]), read[0][1])
    some_compile = next((r for r in compiles.values() if "failed" not in r), {"compiler": {}})
    return {
        "experiment": experiment,
        "arch": first["arch"],
        "device": {k: first["device"].get(k) for k in ("kind", "name", "driver")},
        "environment": first["environment"],
        "compiler": {k: some_compile["compiler"].get(k) for k in ("name", "version", "options")},
        "toolchains": first.get("toolchains", {}),
        "variants": _entries(first),
        "floor": _floor(first),
        "peers": first.get("peers", {}),
        "pairs": [f"{a}/{b}" for a, b in ratio_pairs(_entries(first))],
        "protocol": first["protocol"],
        "control": first["control"],
        "measured": _measured([record for _, record in read]),
        "passing": passing,
        "judging": asdict(thresholds),
        "cases": [
            _case(
                [r for _, r in read if r["case"]["name"] == name],
                compiles,
                verifies[name],
                passing,
                thresholds,
            )
            for name in names
        ],
    }


def _case(
    trials: list[dict], compiles: dict, verify: dict, passing: dict, thresholds: Thresholds
) -> dict:
    trials = sorted(trials, key=lambda r: r["trial"])
    case = trials[0]["case"]
    failed = {name: why for r in trials for name, why in r.get("failed", {}).items()}
    variants = [v for v in trials[0]["variants"] if v not in failed]
    if not variants:
        return _nothing_measured(case, failed, trials)
    built = {v: compiles[case["name"], v] for v in variants}
    rows = [_trial(r, passing) for r in trials]
    judged = [row["passes"] for row in rows if row["passes"] is not None]
    intervals = {
        pair: over_trials.interval(trials, pair, thresholds.confidence)
        for pair in ratio_pairs(variants)
    }
    control = over_trials.control_interval(trials, thresholds.confidence)
    flagged = over_trials.flagged(trials)
    names = [name for name in rows[0]["median_us"] if name not in failed]
    latency = {name: _over([r["median_us"][name] for r in rows]) for name in names}
    against = [c for c in verify["comparisons"] if c["against"] == "reference"]
    return {
        "case": case,
        "failed": failed,
        "reference": verify.get("reference", {"by": "NumPy"}),
        "partitions": {v: built[v]["partition"] for v in variants if built[v].get("partition")},
        "ratios": {
            "/".join(pair): {
                **_over([r["ratios"]["/".join(pair)] for r in rows]),
                "interval": over.as_record() if over else None,
                "block_means": over_trials.block_means(trials, pair),
            }
            for pair, over in intervals.items()
        },
        "verdicts": {
            "/".join(pair): verdict(over, control, flagged["share"], thresholds)
            for pair, over in intervals.items()
        },
        "control": control
        and {
            **control.as_record(),
            "half_width": round(control.half_width, 6),
            "drifting": drifting(control, thresholds.max_half_width),
        },
        "warnings": cautions(trials, intervals, control, flagged, passing["max_cv"], thresholds),
        "median_us": latency,
        "over_floor": _over_floor(trials, rows, latency, thresholds.confidence),
        "regret": over_trials.regret(
            trials, {v: latency[v]["median"] for v in variants}, thresholds.confidence
        ),
        "flagged": flagged,
        "trials_passing": {"passing": sum(judged), "of": len(judged)},
        "trials": rows,
        "calls": {v: built[v]["calls"]["found"] for v in variants},
        "code": {v: built[v]["code"]["sha256"] for v in variants},
        "verified": {
            v: {
                "draws": sum(c["variant"] == v for c in against),
                "bit_equal": sum(c["variant"] == v and c["bit_equal"] for c in against),
                "max_abs_error": max(c["max_abs_error"] for c in against if c["variant"] == v),
            }
            for v in [*variants, *trials[0].get("peers", {})]
        },
        "held_s": _over([r["held_s"] for r in trials]),
    }


def _floor(record: dict) -> str | None:
    floor = record.get("floor")
    return floor and floor["name"]


def _entries(record: dict) -> list[str]:
    """What was to be timed; older records name only what was."""
    return record.get("entries", record["variants"])


def _nothing_measured(case: dict, failed: dict, trials: list[dict]) -> dict:
    """A case of which every variant failed in some trial."""
    empty = ("ratios", "verdicts", "median_us", "regret", "calls", "code", "verified", "partitions")
    return {
        "case": case,
        "failed": failed,
        "reference": {"by": "none"},
        **{key: {} for key in empty},
        "control": None,
        "warnings": [],
        "over_floor": None,
        "flagged": over_trials.flagged([]),
        "trials_passing": {"passing": 0, "of": 0},
        "trials": [],
        "held_s": _over([r["held_s"] for r in trials]),
    }


def _over_floor(
    trials: list[dict], rows: list[dict], latency: dict, confidence: float
) -> dict | None:
    """Each variant's and peer's latency over the floor's, in the same blocks; None without one."""
    floor = _floor(trials[0])
    if floor is None:
        return None
    found = {}
    for name in [n for n in rows[0]["median_us"] if n != floor and n in latency]:
        over = over_trials.interval(trials, (name, floor), confidence)
        ratios = [round(r["median_us"][name] / r["median_us"][floor], 6) for r in rows]
        found[name] = {**_over(ratios), "interval": over.as_record() if over else None}
    return found


def _measured(trials: list[dict]) -> dict:
    """When, on which devices, and for how many seconds in all the trials held them."""
    starts = [record["started"] for record in trials]
    ends = [record["started"] + record["held_s"] for record in trials]
    first, last = (
        datetime.fromtimestamp(stamp, UTC).isoformat(timespec="seconds")
        for stamp in (min(starts), max(ends))
    )
    devices = sorted(
        {record["device"].get("uuid") or record["device"]["name"] for record in trials}
    )
    held = round(sum(record["held_s"] for record in trials), 1)
    return {"first": first, "last": last, "devices": devices, "held_s": held}


def _trial(record: dict, passing: dict) -> dict:
    cv, ratios = record["cv"], record["ratios"]
    passes = None
    if "ON/OFF" in ratios:
        steady = max(cv["ON"], cv["OFF"]) <= passing["max_cv"]
        passes = steady and ratios["ON/OFF"] >= passing["min_slowdown"]
    return {
        "trial": record["trial"],
        "ratios": ratios,
        "median_us": record["median_us"],
        "cv": cv,
        "over_max_cv": [v for v, value in cv.items() if value > passing["max_cv"]],
        "passes": passes,
        "other_processes": any(record["other_processes"].values()),
        "blocks": len(record["blocks"]),
        "flagged": sum(bool(block["flags"]) for block in record["blocks"]),
        "held_s": record["held_s"],
        "uuid": record["device"].get("uuid"),
    }


def _over(values: list[float]) -> dict:
    """The median over trials, the range, and each trial's value."""
    return {"median": median(values), "min": min(values), "max": max(values), "values": values}


# And what those share that measured anything.
MEASURED = {
    "floor": lambda record: _floor(record),
    "peers": lambda record: record.get("peers"),
    "control": lambda record: record.get("control"),
    "device": lambda record: record["device"]["name"],
    "TVM": lambda record: record["environment"]["tvm"],
    "TVMs": lambda record: {n: e["tvm"] for n, e in record.get("toolchains", {}).items()},
}


def _key(record: dict) -> tuple[str, str]:
    return record["case"]["name"], record["variant"]


def _shared(record: dict, key: str):
    return _entries(record) if key == "entries" else record.get(key)


def _require_same(read: list[tuple[Path, dict]]) -> None:
    if not read:
        raise FusionError("there is no trial to aggregate", do="run the time stage first")
    path, first = next((pair for pair in read if pair[1]["variants"]), read[0])
    by_case: dict[str, tuple[Path, dict]] = {}
    for other, record in read:
        differences = [
            (key, _shared(first, key), _shared(record, key))
            for key in SHARED
            if _shared(record, key) != _shared(first, key)
        ]
        if not record["variants"]:
            continue  # it measured nothing that could differ
        for what, read_off in MEASURED.items():
            left, right = read_off(first), read_off(record)
            if what == "control" and (first.get("failed") or record.get("failed")):
                continue  # it may be what failed
            differences += [(what, left, right)] if left != right else []
        like, same_case = by_case.setdefault(record["case"]["name"], (other, record))
        code = {v: m["code_sha256"] for v, m in record["modules"].items()}
        for variant, module in same_case["modules"].items():
            if variant in code and code[variant] != module["code_sha256"]:
                what = f"code of {variant} (SHA-256)"
                differences.append((what, module["code_sha256"], code.get(variant)))
        if differences:
            what, left, right = differences[0]
            compared = like if what.startswith("code") else path
            raise FusionError(
                f"these trials cannot stand in one table: they differ in {what}",
                expected=f"{left}, as in {compared}",
                found=f"{right} in {other}",
                do="delete the trials of the other run and time them again",
            )
