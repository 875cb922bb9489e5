"""Run every variant of a case on its device and compare it with NumPy and with the others.

A variant that fails makes the program fail, so that nothing of it is ever timed; what was found
is then in --out with `.failed` before its suffix.
"""

import argparse
import itertools
from pathlib import Path

from fusion import artifacts, inputs, peers, records, session
from fusion.comparing import compare
from fusion.errors import FusionError, run_program
from fusion.memory import require_memory


def main() -> None:
    args = parse()
    compiled = artifacts.read_artifacts(args.records)
    case, arch = artifacts.case_of(compiled), artifacts.arch_of(compiled)
    device = session.choose(arch, args.gpu)
    require_memory(case, device, len(compiled) + len(args.peers))

    from fusion import loading, peer_process, poison, provenance, targets

    draws = {seed: inputs.draw(case, seed, args.low, args.high) for seed in args.seeds}
    outputs = {(s, "reference"): inputs.reference(case, draw) for s, draw in draws.items()}
    drawn_by = (args.seeds[0], args.low, args.high)
    with (
        session.hold(device, args, f"verify {case.name}") as held,
        peer_process.serving(args.peers, case, arch, *drawn_by) as serving,
    ):
        loaded = [loading.load(artifact) for artifact in compiled]
        arrays = targets.to_device(draws[args.seeds[0]], arch)
        for seed, draw in draws.items():
            # Into the same memory: what a CUDA graph has captured keeps its addresses.
            for array, values in zip(arrays, draw, strict=True):
                array.copyfrom(values)
            for variant in loaded:
                outputs[seed, variant.variant] = poison.run(variant, arrays, case)
            for process in set(serving.values()):
                process.set_inputs(draw)
            for name, process in serving.items():
                outputs[seed, name] = process.output(name)
        described = peer_process.as_record(serving)
        seconds = held.held()
    found = compare_all(outputs, [v.variant for v in loaded], args)
    body = {
        "case": case.as_record(),
        "arch": arch,
        "device": held.as_record(),
        "passed": all(f["passed"] for f in found),
        "tolerance": {"rtol": args.rtol, "atol": args.atol},
        "inputs": {"seeds": args.seeds, "low": args.low, "high": args.high},
        "outputs_poisoned": True,  # the variants'; a peer allocates its own
        "peers": described,
        "modules": loading.hashes({v.variant: v for v in loaded}),
        "comparisons": found,
        "held_s": round(seconds, 3),
        "environment": provenance.environment(),
    }
    report(case.name, body, args.out)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", nargs="+", required=True, type=Path, help="compile records")
    parser.add_argument("--out", required=True, type=Path, help="the record to write (JSON)")
    parser.add_argument("--seeds", nargs="+", type=int, required=True, help="one a draw of inputs")
    inputs.add_range_arguments(parser)
    parser.add_argument("--rtol", type=float, required=True, help="relative tolerance")
    parser.add_argument("--atol", type=float, required=True, help="absolute tolerance")
    peers.add_arguments(parser)
    session.add_arguments(parser)
    return parser.parse_args()


def compare_all(outputs: dict, names: list[str], args: argparse.Namespace) -> list[dict]:
    """Each variant and peer against the reference, and each pair of variants, for every draw.

    outputs: {(seed, variant or "reference"): array}.
    """
    against = [(name, "reference") for name in [*names, *args.peers]]
    pairs = against + list(itertools.combinations(names, 2))
    return [
        {
            "seed": seed,
            "variant": left,
            "against": right,
            **compare(outputs[seed, left], outputs[seed, right], args.rtol, args.atol).as_record(),
        }
        for seed in args.seeds
        for left, right in pairs
    ]


def report(name: str, body: dict, out: Path) -> None:
    """Write the record and say what it holds; a failure is written apart and raised."""
    found, tolerance = body["comparisons"], body["tolerance"]
    failed = [f for f in found if not f["passed"]]
    failure = out.with_suffix(f".failed{out.suffix}")
    if failed:
        records.write(failure, "verify", body)
        raise FusionError(
            f"{name} fails verification; nothing of it is timed",
            expected=f"shape, dtype, finite values, rtol {tolerance['rtol']}, "
            f"atol {tolerance['atol']}",
            found="; ".join(map(_describe, failed[:6])),
            do=f"read {failure}",
        )
    failure.unlink(missing_ok=True)
    records.write(out, "verify", body)
    equal = sum(f["bit_equal"] for f in found)
    largest = max(f["max_abs_error"] for f in found)
    draws = len(body["inputs"]["seeds"])
    who = f"{len(body['modules'])} variants"
    who += f" and {', '.join(body['peers'])}" if body["peers"] else ""
    print(
        f"{name}: {who} verified over {draws} draws; {equal} of {len(found)} "
        f"comparisons bit-equal, largest absolute error {largest:.3g}"
    )


def _describe(f: dict) -> str:
    return (
        f"seed {f['seed']} {f['variant']} against {f['against']}: {f['beyond_tolerance']} elements "
        f"beyond tolerance, {f['non_finite']} not finite, largest error {f['max_abs_error']}"
    )


if __name__ == "__main__":
    run_program(main)
