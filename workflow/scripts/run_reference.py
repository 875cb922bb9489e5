"""Run a model as its own reference: OFF, compiled for LLVM in float32, under this interpreter.

Reads SEED-in.npz from --folder, writes SEED-out.npz for each seed, and how it was done to `how`.
"""

import argparse
from pathlib import Path

from fusion import arrays, supervise
from fusion.cases import add_arguments, case_from
from fusion.errors import run_program


def main() -> None:
    supervise.end_with_parent()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    parser.add_argument("--folder", required=True, type=Path, help="where the arrays lie")
    parser.add_argument("--seeds", nargs="+", required=True, type=int)
    args = parser.parse_args()
    case = case_from(args)

    from fusion import float32

    run, how = float32.reference_of(case, args.folder)
    for seed in args.seeds:
        arrays.save(
            args.folder / f"{seed}-out.npz", run(arrays.load(args.folder / f"{seed}-in.npz"))
        )
    (args.folder / "how").write_text(how)


if __name__ == "__main__":
    run_program(main)
