"""Time every variant of a verified case once more: one trial, in processes of its own.

Loads what the compile stage recorded, compiles nothing, and keeps every sample. Each TVM has one
process, each peer's framework too, and this one tells them by turns what to call; it computes
nothing itself. With --on-failure record a variant that fails while it is timed is left out, and the
trial of the others starts again.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fusion import artifacts, entries, failures, flagging, inputs, pacing, peers, records, session
from fusion.errors import FusionError, run_program
from fusion.memory import require_memory
from fusion.pairs import CONTROL, FLOORS, control_entry, named_pairs, require_control
from fusion.trial_statistics import summarize
from fusion.trials import Trial, VariantFailure


def main() -> None:
    args = parse()
    given = artifacts.read_artifacts(args.records)
    case, arch = artifacts.case_of(given), artifacts.arch_of(given)
    require_control(args.control, [a.variant for a in given])
    args.pairs = named_pairs(args.precision_pairs, [a.variant for a in given])
    failed = require_verified(given, args.peers, args.verified)
    failures.require_none(failed, args.on_failure)
    device = session.choose(arch, args.gpu)
    protocol = pacing.Protocol(
        **{key: getattr(args, key) for key in pacing.Protocol.__dataclass_fields__}
    )
    while True:
        compiled = [a for a in given if a.variant not in failed]
        if not compiled:
            break
        try:
            body = measure(compiled, case, arch, device, protocol, args)
            break
        except VariantFailure as error:
            if args.on_failure == "stop":
                raise
            failed[error.name] = failures.failed("time", error.why)
            print(f"{error.name} fails while it is timed; the trial starts again without it")
    if not compiled:
        body = nothing_measured(device)
    records.write(
        args.out,
        "time",
        {
            "case": case.as_record(),
            "arch": arch,
            "trial": args.trial,
            "entries": [a.variant for a in given],
            "failed": failed,
            "protocol": {
                **protocol.as_record(),
                "call": "vm.time_evaluator('invoke_stateful')",
                "seed": args.seed,
                "low": args.low,
                "high": args.high,
            },
            **body,
        },
    )
    ratios = ", ".join(f"{k} {v:.4f}" for k, v in body["ratios"].items())
    blocks = body["blocks"]
    print(
        f"{case.name} trial {args.trial}: {ratios or 'no ratio'}; {len(blocks)} blocks, "
        f"{sum(bool(b['flags']) for b in blocks)} flagged; held the device for "
        f"{body['held_s']:.1f} s"
    )


def measure(
    compiled: list, case, arch: str, device, protocol: pacing.Protocol, args: argparse.Namespace
) -> dict:
    """One whole trial of these variants; a VariantFailure where one of them fails."""
    names = [a.variant for a in compiled]
    again = control_entry(args.control, names)
    floors = [] if args.floor == "none" else [args.floor]
    enough = stopping_rule(args, names)
    signature = artifacts.signature_of(compiled[0])
    beside = len(floors) + len(args.peers) + bool(again)
    require_memory(case.name, signature, device, len(names) + beside)

    from fusion import peer_process

    drawn_by = (args.seed, args.low, args.high)
    blocks: list[dict] = []
    with (
        session.hold(device, args, f"trial {args.trial} of {case.name}") as held,
        tempfile.TemporaryDirectory(prefix="fuse-or-not-") as folder,
        peer_process.serving(args.peers, case, arch, *drawn_by) as serving,
        Trial(compiled, arch, Path(folder), args.limit) as trial,
    ):
        started = time.time()
        trial.load(again, drawn_by)
        copied = trial.copy(floors[0]) if floors else None
        described = peer_process.as_record(serving)
        timers = trial.timers(protocol, serving)
        held.started_computing(trial.pids | {process.pid for process in serving.values()})
        for timer in timers.values():
            timer.warm_up()
        marks = [held.mark()]
        known = {process.pid for process in held.others}
        for block in pacing.blocks(timers, args.trial, protocol):
            marks.append(held.mark())
            ends = marks[-2:]
            block["flags"] = flagging.flags(*ends, known, protocol.max_clock_fall)
            block["power_capped"] = flagging.power_capped(*ends)
            blocks.append(block)
            if len(blocks) % max(1, protocol.blocks // 4) == 0:
                report(args.trial, blocks, protocol, names)
            if enough(blocks):
                break
        seconds = held.held()
    return {
        "device": held.as_record(),
        "variants": names,
        "floor": copied,
        "peers": described,
        "control": again and {"name": CONTROL, "of": again},
        "modules": trial.modules,
        **summarize(blocks, names, [*floors, *args.peers]),
        "other_processes": {
            "before": [p.as_record() for p in held.others],
            "at_start": marks[0]["others"],
            "at_end": marks[-1]["others"],
        },
        "started": started,
        "held_s": round(seconds, 3),
        "waited_s": round(held.waited, 3),
        "environment": trial.environments[entries.toolchain_of(names[0])],
        "toolchains": {t: e for t, e in trial.environments.items() if t},
        "blocks": blocks,
        "telemetry": marks,
    }


def nothing_measured(device) -> dict:
    """What a trial's record says where every variant has failed."""
    empty = ("peers", "modules", "ratios", "median_us", "cv", "environment", "toolchains")
    return {
        "device": session.describe(device),
        "variants": [],
        "floor": None,
        "control": None,
        **{key: {} for key in empty},
        "other_processes": {"before": [], "at_start": [], "at_end": []},
        "started": time.time(),
        "held_s": 0.0,
        "waited_s": 0.0,
        "blocks": [],
        "telemetry": [],
    }


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", nargs="+", required=True, type=Path, help="compile records")
    parser.add_argument("--verified", required=True, type=Path, help="the case's verify record")
    parser.add_argument("--out", required=True, type=Path, help="the record to write (JSON)")
    parser.add_argument("--trial", required=True, type=int, help="number of the trial, from 1")
    parser.add_argument(
        "--control", default="none", help="the variant that enters every block twice, or none"
    )
    parser.add_argument(
        "--floor", choices=FLOORS, default="none", help="what else enters every block: a copy"
    )
    peers.add_arguments(parser)
    inputs.add_arguments(parser)
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
    parser.add_argument(
        "--stop", choices=["fixed", "precision"], default="fixed", help="when a trial ends"
    )
    parser.add_argument(
        "--precision", type=float, default=0.005, help="half-width that ends a trial, as a share"
    )
    parser.add_argument(
        "--precision-pairs", nargs="+", default=["all"], help="the ratios that must reach it"
    )
    parser.add_argument("--min-blocks", type=int, default=8, help="blocks that count, at least")
    parser.add_argument(
        "--max-clock-fall", type=float, default=0.0, help="share a clock may fall in a good block"
    )
    session.add_arguments(parser)
    failures.add_arguments(parser, "run_s")
    return parser.parse_args()


def stopping_rule(args: argparse.Namespace, names: list[str]) -> Callable[[list[dict]], bool]:
    """Whether the blocks so far are enough; --stop fixed never says so before the last."""
    pairs = [pair for pair in args.pairs if set(pair) <= set(names)]
    if args.stop == "fixed" or not pairs:
        return lambda blocks: False

    from fusion import stopping  # needs SciPy, which the fixed protocol does without

    return partial(
        stopping.enough, pairs=pairs, precision=args.precision, min_blocks=args.min_blocks
    )


def require_verified(given: list, others: list[str], verified: Path) -> dict[str, dict]:
    """The variants that failed before, by name; a FusionError unless the very modules of all
    others, and the peers, passed verification.
    """
    record = records.read(verified, "verify")
    failed = {a.variant: a.failed for a in given if a.failed} | record.get("failed", {})
    for artifact in given:
        if artifact.variant in failed:
            continue
        wanted = record["modules"].get(artifact.variant, {}).get("module_sha256")
        found = artifact.record["module"]["sha256"]
        if not record["passed"] or wanted != found:
            raise FusionError(
                f"{artifact.variant}: this module was not verified",
                expected=f"module.so with SHA-256 {wanted}, as in {verified}",
                found=found,
                do="run the verify stage again",
            )
    for peer in others:
        if peer not in record.get("peers", {}):
            raise FusionError(
                f"the peer {peer} was not verified",
                expected=f"its name among the peers of {verified}",
                found=", ".join(record.get("peers", {})) or "none",
                do="run the verify stage again",
            )
    return failed


def report(trial: int, blocks: list[dict], protocol, names: list[str]) -> None:
    """One line of progress with the ratios so far."""
    ratios = ", ".join(f"{k} {v:.3f}" for k, v in summarize(blocks, names)["ratios"].items())
    print(f"trial {trial}, block {len(blocks)}/{protocol.blocks}: {ratios}", flush=True)


if __name__ == "__main__":
    run_program(main)
