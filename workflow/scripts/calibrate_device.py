"""Measure the rates of a device for SPLIT: bandwidth, a launch, and each kind of operation.

Compiles chains of one operator for the device of this machine and times them, alone on it. Prints
the entry for workflow/scripts/fusion/device_rates.py and writes the record with every time.
"""

import argparse
import multiprocessing
import os
import signal
import statistics
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import resource_tracker
from pathlib import Path

from fusion import rates_record, records, session, without_torch
from fusion.costs import Rates
from fusion.device_rates import operators
from fusion.errors import FusionError, choose, run_program
from fusion.workloads import FLOATS


def main() -> None:
    args = parse()
    device = session.choose(args.arch, args.gpu)
    if device.gpu:  # the first, since TVM is imported before the lock is taken
        device = device.only(device.gpu)
        session.show_only(device.gpu)
    require_place(args.out)

    import numpy as np

    from fusion import calibration, pacing, provenance, targets

    known = operators(args.arch)
    for kind in args.kinds or known:
        choose("kind", kind, known)
    kinds = [k for k in known if not args.kinds or k in {*args.kinds, "add"}]
    protocol = pacing.Protocol(
        blocks=1,
        number=3,
        repeat=5,
        min_repeat_ms=args.min_repeat_ms,
        warmup_calls=3,
        warmup_seconds=args.warmup_seconds,
        headroom=0.05,
    )
    with tempfile.TemporaryDirectory() as folder:
        compiled = compile_all(args, kinds, Path(folder))
        print(f"{len(compiled)} modules compiled", flush=True)
        with session.hold(device, args, "calibration") as held:
            targets.to_device([np.zeros(1, "float32")], args.arch)
            held.started_computing()
            before = held.mark()
            times = {
                key: calibration.measure_us(point, artifact, args.arch, protocol)
                for key, (point, artifact) in compiled.items()
            }
            after, seconds, found = held.mark(), held.held(), held.as_record()
    rates = {dtype: of_dtype(times, dtype, kinds, args.rows, args.cols) for dtype in args.dtypes}
    source = f"calibrate_device.py, {args.out.name}"
    print(entry(args.arch, rates_record.rates_from(found["name"], source, rates)))
    records.write(
        args.out,
        "rates",
        {
            "arch": args.arch,
            "device": found,
            "rows": args.rows,
            "cols": args.cols,
            "rates": rates,
            "times_us": [
                {"dtype": d, "kind": k, "length": n, "variant": v, "us": round(us, 4)}
                for (d, k, n, v), us in times.items()
            ],
            "protocol": protocol.as_record(),
            "compiler": next(iter(compiled.values()))[1].record["compiler"],
            "state": {"before": before, "after": after},
            "environment": provenance.environment(),
            "held_s": round(seconds, 1),
        },
    )
    if not list(rates_record.missing(rates, args.arch)):
        print(f"rates: {args.out} in a configuration makes SPLIT go by them")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", required=True, help="llvm, or this machine's sm_XX")
    parser.add_argument("--out", required=True, type=Path, help="record to write")
    parser.add_argument("--rows", type=at_least_8, default=4096, help="of the tensors")
    parser.add_argument("--cols", type=at_least_8, default=4096, help="of the tensors")
    parser.add_argument("--dtypes", nargs="+", choices=list(FLOATS), default=list(FLOATS))
    parser.add_argument("--kinds", nargs="+", help="only these, and add; default all")
    parser.add_argument("--min-repeat-ms", type=int, default=20, help="least length of a sample")
    parser.add_argument("--warmup-seconds", type=float, default=0.05, help="of each module")
    session.add_arguments(parser)
    return parser.parse_args()


def at_least_8(word: str) -> int:
    if int(word) < 8:
        raise argparse.ArgumentTypeError(f"{word}: too small to be measured; 8 or more")
    return int(word)


def require_place(out: Path) -> None:
    """Raise a FusionError now, and not after a minute, where the record cannot be written."""
    try:
        with tempfile.TemporaryFile(dir=out.parent):
            found = "a folder" if out.is_dir() else None
    except OSError as error:
        found = error.strerror
    if found:
        raise FusionError(
            f"{out} cannot be written",
            expected="the path of a file in a folder that can be written to",
            found=found,
            do="give another --out",
        )


def compile_all(args: argparse.Namespace, kinds: list[str], folder: Path) -> dict:
    """(dtype, kind, length, variant) -> (point, artifact), compiled by all cores."""
    from fusion import calibration

    fused = calibration.fused_variant(args.arch)
    keys = [
        key
        for dtype in args.dtypes
        for key in [
            (dtype, "add", 0, fused),
            (dtype, "add", 1, "PARTIAL"),
            *((dtype, "add", n - 1, "OFF") for n in calibration.LAUNCHES),
            *((dtype, kind, n, fused) for kind in kinds for n in calibration.KINDS[kind].lengths),
        ]
    ]
    points = [
        calibration.point(k, n, *calibration.shape(v, args.rows, args.cols), d, args.arch)
        for d, k, n, v in keys
    ]
    context = multiprocessing.get_context("spawn")  # a fork would share TVM's threads
    lean = without_torch.install
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context, initializer=lean) as pool:
        # Ctrl-C is for this process alone: workers start with it blocked, and end what they are at.
        resource_tracker.ensure_running()  # which would unblock it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        futures = [
            pool.submit(calibration.compile_point, point, key[3], args.arch, folder / str(number))
            for number, (key, point) in enumerate(zip(keys, points, strict=True))
        ]
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        try:
            artifacts = [future.result() for future in futures]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return dict(zip(keys, zip(points, artifacts, strict=True), strict=True))


def of_dtype(times: dict, dtype: str, kinds: list[str], rows: int, cols: int) -> dict:
    """The rates of one dtype; see costs.Rates for their units."""
    from fusion import calibration

    own = {key[1:]: us for key, us in times.items() if key[0] == dtype}
    one = next(us for (_, length, _), us in own.items() if length == 0)
    moved = FLOATS[dtype] * (2 * rows * cols + rows)
    launched = [own["add", n - 1, "OFF"] for n in calibration.LAUNCHES]
    lines = {
        kind: calibration.line(
            kind, {n: us for (k, n, v), us in own.items() if k == kind and v != "OFF"}, rows * cols
        )
        for kind in kinds
    }
    steps = {kind: found["step_ps"] for kind, found in lines.items()}
    intercepts = [found["intercept_ps"] for found in lines.values()]
    prices = calibration.prices(steps)
    element = statistics.median(intercepts) - prices["add"]
    return {
        "gb_per_s": float(f"{moved / one / 1e3:.5g}"),
        "launch_us": round(max(0.0, own["add", 1, "PARTIAL"] - one), 2),
        **calibration.host(*launched),
        "element_ps": round(max(0.0, element), 4),
        "operator_ps": prices,
        "lines": lines,
    }


def entry(arch: str, rates: Rates) -> str:
    """The measured rates as an entry of device_rates.MEASURED."""
    fields = [f"        {key}={value!r}," for key, value in vars(rates).items()]
    return "\n".join([f'    "{arch}": Rates(', *fields, "    ),"])


if __name__ == "__main__":
    run_program(main)
