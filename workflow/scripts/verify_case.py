"""Run every variant of a case on its device and compare it with the reference and the others.

A variant that fails makes the program fail, so that nothing of it is ever timed; what was found
is then in --out with `.failed` before its suffix. With --on-failure record the failure stands in
the record instead, and the other variants go on; each failure ends the process that ran it and no
other.
"""

import argparse
import itertools
import tempfile
from pathlib import Path

from fusion import artifacts, failures, inputs, peers, records, session, verifying
from fusion.comparing import compare_all
from fusion.entries import toolchain_of
from fusion.errors import FusionError, run_program
from fusion.memory import require_memory


def main() -> None:
    args = parse()
    given = artifacts.read_artifacts(args.records)
    case, arch = artifacts.case_of(given), artifacts.arch_of(given)
    failed = {a.variant: a.failed for a in given if a.failed}
    failures.require_none(failed, args.on_failure)
    compiled = [a for a in given if not a.failed]
    device = session.choose(arch, args.gpu)

    from fusion import peer_process, references

    body = {"case": case.as_record(), "arch": arch}
    if not compiled:  # nothing to run, and nothing to compare it with
        body |= {"device": session.describe(device), "passed": False, "failed": failed}
        body |= {"modules": {}, "comparisons": [], "peers": {}}
        records.write(args.out, "verify", body)
        print(f"{case.name}: no variant to verify; {len(failed)} failed")
        return
    signature = artifacts.signature_of(compiled[0])
    require_memory(case.name, signature, device, len(compiled) + len(args.peers))
    draws = {s: inputs.draw(signature.inputs, s, args.low, args.high) for s in args.seeds}
    of = toolchain_of(compiled[0].variant)
    reference = references.of(case, signature, draws, of, args.limit)
    outputs = {(s, "reference"): found for s, found in reference.outputs.items()}
    drawn_by = (args.seeds[0], args.low, args.high)
    with (
        session.hold(device, args, f"verify {case.name}") as held,
        tempfile.TemporaryDirectory(prefix="fuse-or-not-") as folder,
        peer_process.serving(args.peers, case, arch, *drawn_by) as serving,
    ):
        ran = verifying.run_all(compiled, arch, args, Path(folder))
        outputs |= ran.outputs
        failed |= ran.failed
        for seed, draw in draws.items():
            for process in set(serving.values()):
                process.set_inputs(draw)
            for name, process in serving.items():
                outputs[seed, name] = process.outputs(name)
        described = peer_process.as_record(serving)
        seconds = held.held()
    tolerance = {"rtol": args.rtol + reference.rtol, "atol": args.atol + reference.atol}
    names = list(ran.modules)
    found = compare_names(outputs, names, tolerance, args)
    body |= {
        "device": held.as_record(),
        "passed": all(f["passed"] for f in found),
        "failed": failed,
        "tolerance": {**tolerance, "stated": {"rtol": args.rtol, "atol": args.atol}},
        "reference": reference.described,
        "inputs": {"seeds": args.seeds, "low": args.low, "high": args.high},
        "outputs_poisoned": True,  # the variants'; a peer allocates its own
        "peers": described,
        "modules": ran.modules,
        "comparisons": found,
        "held_s": round(seconds, 3),
        "environment": ran.environment,
    }
    report(case.name, body, args)


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
    failures.add_arguments(parser, "run_s")
    return parser.parse_args()


def compare_names(outputs: dict, names: list[str], tolerance: dict, args) -> list[dict]:
    """Each variant and peer against the reference, and each pair of variants, for every draw.

    outputs: {(seed, variant or "reference"): arrays}.
    """
    against = [(name, "reference") for name in [*names, *args.peers]]
    pairs = against + list(itertools.combinations(names, 2))
    bounds = tolerance["rtol"], tolerance["atol"]
    return [
        {
            "seed": seed,
            "variant": left,
            "against": right,
            **compare_all(outputs[seed, left], outputs[seed, right], *bounds).as_record(),
        }
        for seed in args.seeds
        for left, right in pairs
    ]


def report(name: str, body: dict, args: argparse.Namespace) -> None:
    """Write the record and say what it holds; a failure is written apart and raised, or, with
    --on-failure record, noted for the variant.
    """
    found, tolerance = body["comparisons"], body["tolerance"]
    wrong = [f for f in found if not f["passed"]]
    failure = args.out.with_suffix(f".failed{args.out.suffix}")
    if wrong and args.on_failure == "record" and not _of_peers(wrong, args.peers):
        body["failed"] |= verifying.blame(wrong, _describe)
        body["passed"] = True  # what has not failed
    elif wrong:
        records.write(failure, "verify", body)
        raise FusionError(
            f"{name} fails verification; nothing of it is timed",
            expected=f"shape, dtype, finite values, rtol {tolerance['rtol']:.6g}, "
            f"atol {tolerance['atol']:.6g}",
            found="; ".join(map(_describe, wrong[:6])),
            do=f"read {failure}",
        )
    failure.unlink(missing_ok=True)
    records.write(args.out, "verify", body)
    equal = sum(f["bit_equal"] for f in found)
    largest = max((f["max_abs_error"] or 0 for f in found), default=0)
    draws = len(body["inputs"]["seeds"])
    who = f"{len(set(body['modules']) - set(body['failed']))} variants"
    who += f" and {', '.join(body['peers'])}" if body["peers"] else ""
    print(
        f"{name}: {who} verified over {draws} draws; {equal} of {len(found)} "
        f"comparisons bit-equal, largest absolute error {largest:.3g}"
    )
    for variant, why in body["failed"].items():
        print(f"{name}: {variant} failed ({why['stage']}): {failures.words(why)}")


def _of_peers(wrong: list[dict], names: list[str]) -> bool:
    return any(f["variant"] in names for f in wrong)


def _describe(f: dict) -> str:
    return (
        f"seed {f['seed']} {f['variant']} against {f['against']}: {f['beyond_tolerance']} elements "
        f"beyond tolerance, {f['non_finite']} not finite, largest error {f['max_abs_error']}"
    )


if __name__ == "__main__":
    run_program(main)
