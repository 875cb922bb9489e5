"""The words of compile_variant.py and build_variant.py, and what they check. Needs no TVM."""

import argparse
from pathlib import Path

from . import entries, failures, nvrtc
from .cases import Case, add_arguments, case_from
from .errors import FusionError, choose
from .variants import VARIANTS, Variant

BUILDING = ".building-"  # a build's own folder, in the folder that it writes to


def parse(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    add_arguments(parser)
    parser.add_argument("--variant", required=True, help=f"one of {', '.join(VARIANTS)}")
    parser.add_argument("--arch", required=True, help="llvm, or an architecture such as sm_86")
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    parser.add_argument("--rates", type=Path, help="calibrate_device.py's record, for SPLIT")
    parser.add_argument("--toolchain", help="the TVM's name in the configuration; else this one's")
    parser.add_argument(
        "--several", action="store_true", help="the variant is named with its TVM, as ON@tvm-0.26"
    )
    parser.add_argument(
        "--any-calls",
        action="store_true",
        help="record the calls without holding them to the workload's expectation",
    )
    failures.add_arguments(parser, "compile_s")
    return parser.parse_args()


def checked(args: argparse.Namespace) -> tuple[Case, Variant]:
    """The case and the variant that the words name, or a FusionError."""
    case = case_from(args)
    choose("variant", args.variant, VARIANTS)
    variant = VARIANTS[args.variant]
    kind = kind_of(args.arch)
    if kind not in variant.targets:
        raise FusionError(
            f"variant {variant.name} is not for {args.arch}",
            expected=f"a {' or '.join(variant.targets)} target",
        )
    if kind == "cuda":
        nvrtc.require_arch(args.arch)
    return case, variant


def entry_of(args: argparse.Namespace) -> str:
    """The name under which the variant is recorded."""
    return entries.entry(args.variant, args.toolchain if args.several else None)


def kind_of(arch: str) -> str:
    return "llvm" if arch == "llvm" else "cuda"
