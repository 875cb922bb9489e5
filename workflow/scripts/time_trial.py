"""Time every variant of a verified case once more: one trial, in a process of its own.

Loads what the compile stage recorded, compiles nothing, and keeps every sample.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fusion import artifacts, flagging, inputs, peers, records, session
from fusion.errors import FusionError, run_program
from fusion.memory import require_memory
from fusion.pairs import CONTROL, FLOORS, named_pairs, require_control
from fusion.trial_statistics import summarize


def main() -> None:
    args = parse()
    compiled = artifacts.read_artifacts(args.records)
    case, arch = artifacts.case_of(compiled), artifacts.arch_of(compiled)
    names = [artifact.variant for artifact in compiled]
    require_control(args.control, names)
    # The control is loaded and timed as if it were another variant.
    again = [(CONTROL, artifact) for artifact in compiled if artifact.variant == args.control]
    entries = [*zip(names, compiled, strict=True), *again]
    enough = stopping_rule(args, names)
    require_verified(compiled, args.peers, args.verified)
    device = session.choose(arch, args.gpu)
    floors = [] if args.floor == "none" else [args.floor]
    require_memory(case, device, len(entries) + len(floors) + len(args.peers))

    from fusion import floor, loading, peer_process, provenance, sampling, targets
    from fusion.peer_timer import PeerTimer

    protocol = sampling.Protocol(
        **{key: getattr(args, key) for key in sampling.Protocol.__dataclass_fields__}
    )
    draw = inputs.draw(case, args.seed, args.low, args.high)
    blocks: list[dict] = []
    drawn_by = (args.seed, args.low, args.high)
    with (
        session.hold(device, args, f"trial {args.trial} of {case.name}") as held,
        peer_process.serving(args.peers, case, arch, *drawn_by) as serving,
    ):
        started = time.time()
        loaded = {name: loading.load(artifact) for name, artifact in entries}
        arrays = targets.to_device(draw, arch)
        timers = {n: sampling.Timer(v, arrays, arch, protocol) for n, v in loaded.items()}
        copied = None
        for name in floors:
            copy, source = floor.copy_of(case, arch)
            copied = {"name": name, "bytes": copy.bytes}
            timers[name] = sampling.Timer(copy, source, arch, protocol)
        described = peer_process.as_record(serving)
        timers |= {name: PeerTimer(p, name, protocol) for name, p in serving.items()}
        held.started_computing({process.pid for process in serving.values()})
        for timer in timers.values():
            timer.warm_up()
        marks = [held.mark()]
        known = {process.pid for process in held.others}
        for block in sampling.blocks(timers, args.trial, protocol):
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
    summary = summarize(blocks, names, [*floors, *args.peers])
    records.write(
        args.out,
        "time",
        {
            "case": case.as_record(),
            "arch": arch,
            "trial": args.trial,
            "device": held.as_record(),
            "variants": names,
            "floor": copied,
            "peers": described,
            "control": None if args.control == "none" else {"name": CONTROL, "of": args.control},
            "protocol": {
                **protocol.as_record(),
                "call": "vm.time_evaluator('invoke_stateful')",
                "seed": args.seed,
                "low": args.low,
                "high": args.high,
            },
            "modules": loading.hashes(loaded),
            **summary,
            "other_processes": {
                "before": [p.as_record() for p in held.others],
                "at_start": marks[0]["others"],
                "at_end": marks[-1]["others"],
            },
            "started": started,
            "held_s": round(seconds, 3),
            "waited_s": round(held.waited, 3),
            "environment": provenance.environment(),
            "blocks": blocks,
            "telemetry": marks,
        },
    )
    ratios = ", ".join(f"{k} {v:.4f}" for k, v in summary["ratios"].items())
    print(
        f"{case.name} trial {args.trial}: {ratios}; {len(blocks)} blocks, "
        f"{sum(bool(b['flags']) for b in blocks)} flagged; held the device for {seconds:.1f} s"
    )


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
    return parser.parse_args()


def stopping_rule(args: argparse.Namespace, names: list[str]) -> Callable[[list[dict]], bool]:
    """Whether the blocks so far are enough; --stop fixed never says so before the last."""
    pairs = named_pairs(args.precision_pairs, names)
    if args.stop == "fixed":
        return lambda blocks: False

    from fusion import stopping  # needs SciPy, which the fixed protocol does without

    return partial(
        stopping.enough, pairs=pairs, precision=args.precision, min_blocks=args.min_blocks
    )


def require_verified(compiled: list, others: list[str], verified: Path) -> None:
    """Raise a FusionError unless these very modules, and the peers, passed verification."""
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
    for peer in others:
        if peer not in record.get("peers", {}):
            raise FusionError(
                f"the peer {peer} was not verified",
                expected=f"its name among the peers of {verified}",
                found=", ".join(record.get("peers", {})) or "none",
                do="run the verify stage again",
            )


def report(trial: int, blocks: list[dict], protocol, names: list[str]) -> None:
    """One line of progress with the ratios so far."""
    ratios = ", ".join(f"{k} {v:.3f}" for k, v in summarize(blocks, names)["ratios"].items())
    print(f"trial {trial}, block {len(blocks)}/{protocol.blocks}: {ratios}", flush=True)


if __name__ == "__main__":
    run_program(main)
