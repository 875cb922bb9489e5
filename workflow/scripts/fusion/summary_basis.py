"""What a summary rests on, in sentences."""

from .tables import measured, where_of
from .words import percent


def basis(summary: dict) -> list[str]:
    """Lines of a list: the protocol, what was verified, the code, the software, when and where."""
    protocol, device = summary["protocol"], summary["device"]
    many = "up to " if protocol["stop"] == "precision" else ""
    ended = (
        f" A trial ended once {_pairs(protocol)} had a half-width under "
        f"{percent(protocol['precision'])} over its blocks, {protocol['min_blocks']} at least."
        if many
        else ""
    )
    return [
        f"- {many}{protocol['blocks']} blocks a trial; in each, every variant once, in an order "
        "that cycles through all permutations; "
        f"{many}{protocol['blocks'] * protocol['repeat']} samples a variant and trial, each at "
        f"least {protocol['min_repeat_ms']} ms of calls (`vm.time_evaluator`).{ended}",
        "- Inside the timing: the calls with the virtual machine's allocations. Outside: "
        "compilation, transfers, checks.",
        f"- Verified before timing: {_verified(summary)}.",
        f"- All trials of a case ran the same {'cubins' if device['kind'] == 'cuda' else 'code'}: "
        f"{_codes(summary)}.",
        *_partitions(summary),
        f"- {_software(summary)}",
        f"- All of it was {measured(summary)}.",
    ]


def _pairs(protocol: dict) -> str:
    pairs = protocol["precision_pairs"]
    return "every ratio" if list(pairs) == ["all"] else " and ".join(pairs)


def _verified(summary: dict) -> str:
    checked = [v for case in summary["cases"] for v in case["verified"].values()]
    draws, equal = sum(v["draws"] for v in checked), sum(v["bit_equal"] for v in checked)
    largest = max((v["max_abs_error"] for v in checked), default=0)
    by = dict.fromkeys(case.get("reference", {"by": "NumPy"})["by"] for case in summary["cases"])
    by.pop("none", None)
    of = "the NumPy reference" if list(by) == ["NumPy"] else f"the reference ({', '.join(by)})"
    return (
        f"{draws} outputs against {of}, {equal} of them bit-equal, "
        f"largest absolute error {largest:.3g}"
    )


def _codes(summary: dict) -> str:
    parts = []
    for case in summary["cases"]:
        where = where_of(summary, case)
        hashes = ", ".join(f"{v} `{sha[:12]}`" for v, sha in case["code"].items())
        parts.append(f"{where}: {hashes}")
    return "; ".join(parts)


def _partitions(summary: dict) -> list[str]:
    """Where a variant that cuts has cut, if a workload does not mark it."""
    found = {
        f"{case['case']['workload']} {variant}: {where}"
        for case in summary["cases"]
        for variant, where in case.get("partitions", {}).items()
        if where != "cut marks"
    }
    return [f"- Cut where no mark says so: {'; '.join(sorted(found))}."] if found else []


def _software(summary: dict) -> str:
    env = summary["environment"]
    if not env:
        return "Nothing was measured, so no TVM is named."
    driver = summary["device"].get("driver")
    words = [f"TVM {env['tvm']} (commit {env['tvm_commit']}), tvm-ffi {env['tvm_ffi']}"]
    words += [f"NVIDIA driver {driver}"] if driver else []
    words += [f"Python {env['python']}, NumPy {env['numpy']}, {env['os']}"]
    return ", ".join(words) + "."
