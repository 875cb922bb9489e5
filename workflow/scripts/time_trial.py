"""Time every variant of a verified case once more: one trial, in a process of its own.

Loads what the compile stage recorded, compiles nothing, and keeps every sample.
"""

import argparse
import time
from pathlib import Path

from fusion import artifacts, records, session
from fusion.errors import FusionError, run_program
from fusion.memory import require_memory


def main() -> None:
    args = parse()
    compiled = artifacts.read_artifacts(args.records)
    case, arch = artifacts.case_of(compiled), artifacts.arch_of(compiled)
    require_verified(compiled, args.verified)
    device = session.choose(arch, args.gpu)
    require_memory(case, device, len(compiled))

    from fusion import inputs, loading, provenance, sampling, targets, trial_statistics

    protocol = sampling.Protocol(
        blocks=args.blocks,
        number=args.number,
        repeat=args.repeat,
        min_repeat_ms=args.min_repeat_ms,
        warmup_calls=args.warmup_calls,
        warmup_seconds=args.warmup_seconds,
        headroom=args.headroom,
    )
    draw = inputs.draw(case, args.seed, args.low, args.high)
    blocks: list[dict] = []
    with session.hold(device, args, f"trial {args.trial} of {case.name}") as held:
        started = time.time()
        loaded = [loading.load(artifact) for artifact in compiled]
        arrays = targets.to_device(draw, arch)
        timers = {v.variant: sampling.Timer(v, arrays, arch, protocol) for v in loaded}
        held.started_computing()
        names = list(timers)
        marks = []
        for timer in timers.values():
            timer.warm_up()
        marks.append(held.mark())
        for block in sampling.blocks(timers, args.trial, protocol):
            blocks.append(block)
            if len(blocks) % max(1, protocol.blocks // 4) == 0:
                report(args.trial, blocks, protocol, names)
        marks.append(held.mark())
        seconds = held.held()
    summary = trial_statistics.summarize(blocks, names)
    records.write(
        args.out,
        "time",
        {
            "case": case.as_record(),
            "arch": arch,
            "trial": args.trial,
            "device": held.as_record(),
            "variants": names,
            "protocol": {
                **protocol.as_record(),
                "call": "vm.time_evaluator('invoke_stateful')",
                "seed": args.seed,
                "low": args.low,
                "high": args.high,
            },
            "modules": loading.hashes(loaded),
            **summary,
            "device_at_start": marks[0]["state"],
            "device_at_end": marks[1]["state"],
            "other_processes": {
                "before": [p.as_record() for p in held.others],
                "at_start": marks[0]["others"],
                "at_end": marks[1]["others"],
            },
            "started": started,
            "held_s": round(seconds, 3),
            "waited_s": round(held.waited, 3),
            "environment": provenance.environment(),
            "blocks": blocks,
        },
    )
    ratios = ", ".join(f"{k} {v:.4f}" for k, v in summary["ratios"].items())
    print(f"{case.name} trial {args.trial}: {ratios}; held the device for {seconds:.1f} s")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", nargs="+", required=True, type=Path, help="compile records")
    parser.add_argument("--verified", required=True, type=Path, help="the case's verify record")
    parser.add_argument("--out", required=True, type=Path, help="the record to write (JSON)")
    parser.add_argument("--trial", required=True, type=int, help="number of the trial, from 1")
    parser.add_argument("--seed", required=True, type=int, help="seed of the inputs")
    parser.add_argument("--low", type=float, required=True, help="inputs' least value")
    parser.add_argument("--high", type=float, required=True, help="inputs' bound above")
    parser.add_argument("--blocks", type=int, required=True, help="rounds over all variants")
    parser.add_argument("--number", type=int, required=True, help="least calls in a sample")
    parser.add_argument("--repeat", type=int, required=True, help="samples a block and variant")
    parser.add_argument("--min-repeat-ms", type=int, required=True, help="a sample's least length")
    parser.add_argument("--warmup-calls", type=int, required=True, help="untimed calls a variant")
    parser.add_argument(
        "--warmup-seconds", type=float, required=True, help="then timed batches, a variant"
    )
    parser.add_argument(
        "--headroom", type=float, required=True, help="planned length over --min-repeat-ms, minus 1"
    )
    session.add_arguments(parser)
    return parser.parse_args()


def require_verified(compiled: list, verified: Path) -> None:
    """Raise a FusionError unless these very modules passed verification."""
    record = records.read(verified, "verify")
    for artifact in compiled:
        wanted = record["modules"].get(artifact.variant, {}).get("module_sha256")
        found = artifact.record["module"]["sha256"]
        if not record["passed"] or wanted != found:
            raise FusionError(
                f"{artifact.variant}: this module was not verified",
                expected=f"module.so with SHA-256 {wanted}, as in {verified}",
                found=found,
                do="run the verify stage again",
            )


def report(trial: int, blocks: list[dict], protocol, names: list[str]) -> None:
    """One line of progress with the ratios so far."""
    from fusion.trial_statistics import summarize

    ratios = ", ".join(f"{k} {v:.3f}" for k, v in summarize(blocks, names)["ratios"].items())
    print(f"trial {trial}, block {len(blocks)}/{protocol.blocks}: {ratios}", flush=True)


if __name__ == "__main__":
    run_program(main)
