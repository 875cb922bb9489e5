"""Read what a compiled variant's machine code says about itself; needs no GPU and no TVM.

Writes the disassembly (SASS, or LLVM's assembly) and a record: for each kernel its launch geometry,
the dlight rule that scheduled it, registers, stack, shared, local, spills (LDL and STL), opcodes,
MUFU sites by function, and executed operations: sites x launched threads x calls. A site inside a
loop counts once, and one that a guard skips counts too; `backward_branches` above zero says that a
kernel may have loops.
"""

import argparse
from pathlib import Path

from fusion import artifacts, audit, cuda_tools, records
from fusion.errors import run_program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", required=True, type=Path, help="record.json of the compile")
    parser.add_argument("--out", required=True, type=Path, help="the record to write (JSON)")
    parser.add_argument(
        "--listing", type=Path, help="the disassembly to write; by default beside --out"
    )
    args = parser.parse_args()
    artifact = artifacts.read_artifacts([args.record])[0]
    if artifact.failed:
        write_failed(artifact, args)
        return
    artifacts.require_whole(artifact)
    compiled, cuda = artifact.record, artifact.record["code"]["format"] == "cubin"
    listing = args.listing or args.out.with_suffix(".sass" if cuda else ".s")

    text, kernels = audit.listing_of(artifact), audit.kernels_of(artifact)
    totals = audit.totals_of(artifact, kernels)
    records.write_text(listing, text)
    records.write(
        args.out,
        "audit",
        {
            **{key: compiled[key] for key in ("case", "variant", "arch")},
            "code_sha256": compiled["code"]["sha256"],
            "tools": [cuda_tools.version(name) for name in cuda_tools.PACKAGES] if cuda else [],
            "compiler": compiled["compiler"],
            "environment": compiled["environment"],
            "listing": {"file": listing.name, "sha256": records.sha256(text.encode())},
            "kernels": kernels,
            "totals": totals,
        },
    )
    executed = ", ".join(
        f"{n} {v:,}" if v != audit.SYMBOLIC else f"{n} {v}"
        for n, v in (totals["mufu_executed"] or {}).items()
    )
    print(
        f"{compiled['case']['name']} {compiled['variant']} for {compiled['arch']}: "
        f"{totals['calls']} calls, executed {executed or 'operations not known'}"
    )


def write_failed(artifact: artifacts.Artifact, args: argparse.Namespace) -> None:
    """The record of a variant that was not compiled: its failure, and no kernel."""
    record = artifact.record
    listing = args.listing or args.out.with_suffix(".s")
    records.write_text(listing, "")
    body = {key: record[key] for key in ("case", "variant", "arch", "failed")}
    records.write(args.out, "audit", body)
    print(f"{record['case']['name']} {record['variant']} was not compiled: nothing to audit")


if __name__ == "__main__":
    run_program(main)
