"""Rates from a record of calibrate_device.py, in place of the table's."""

import statistics
from collections.abc import Iterator
from pathlib import Path

from . import records
from .costs import Rates
from .device_rates import operators
from .errors import FusionError
from .workloads import FLOATS


def read_rates(path: Path | str, arch: str) -> Rates:
    """The rates of a record (kind `rates`), which must be of this arch; else a FusionError."""
    expected = f"a record of calibrate_device.py for {arch}"
    do = f"python3 workflow/scripts/calibrate_device.py --arch {arch} --out FILE, or rates: table"
    if not Path(path).exists():
        raise FusionError(f"no rates at {path}", expected=expected, do=do)
    try:
        record = records.read(path, "rates")
    except FusionError as error:  # it says how a run would mend it, but no run makes this record
        raise FusionError(error.problem, expected=expected, found=error.found, do=do) from None
    if record["arch"] != arch:
        raise FusionError(
            f"{path} holds the rates of another device",
            expected=f"rates of {arch}",
            found=f"of {record['arch']} ({record['device']['name']})",
            do=do,
        )
    lacks = list(missing(record["rates"], arch))
    if lacks:
        more = f", {len(lacks) - 4} more" if len(lacks) > 4 else ""
        raise FusionError(
            f"{path} does not hold all rates",
            expected=f"call_us and {len(operators(arch))} operators of {', '.join(FLOATS)}",
            found=f"no {', no '.join(lacks[:4])}{more}",
            do=f"{do}, by this release and with all dtypes and kinds",
        )
    device = record["device"]
    where = device.get("uuid", "this CPU")
    source = f"calibrate_device.py, {record['written']}, {where}"
    return rates_from(device["name"], source, record["rates"])


def missing(found: dict[str, dict], arch: str) -> Iterator[str]:
    """What a calibration with --dtypes or --kinds, or an older one, did not measure."""
    for dtype in FLOATS:
        if dtype not in found:
            yield dtype
            continue
        if "call_us" not in found[dtype]:
            yield f"call_us of {dtype}"
        yield from (
            f"{op} of {dtype}" for op in operators(arch) if op not in found[dtype]["operator_ps"]
        )


def rates_from(name: str, source: str, found: dict[str, dict]) -> Rates:
    """What was measured by dtype, as one object. What is of no dtype is the median over them."""
    times = {
        key: statistics.median(each[key] for each in found.values())
        for key in ("launch_us", "host_us", "call_us")
    }
    by_dtype = {
        key: {dtype: each[key] for dtype, each in found.items()}
        for key in ("gb_per_s", "element_ps", "operator_ps")
    }
    return Rates(name=name, source=source, **times, **by_dtype)
