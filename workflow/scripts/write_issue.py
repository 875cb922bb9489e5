"""Write a run as an issue that can be pasted into a tracker: issue.md.

Reads records alone. Only --summary is needed; what else is not given, or does not exist any more,
is said to be not kept or not run.
"""

import argparse
import json
from pathlib import Path

from fusion import issue_text, issue_traces, records
from fusion.errors import FusionError, run_program

KINDS = {
    "compiled": ("compile", "compile records"),
    "verified": ("verify", "verify records"),
    "trials": ("time", "time records"),
    "audits": ("audit", "audit records"),
    "profiles": ("profile", "profile records"),
}


def main() -> None:
    args = parse()
    kept = {
        name: [records.read(path, kind) for path in getattr(args, name) if path.exists()]
        for name, (kind, _) in KINDS.items()
    }
    summary = records.read(args.summary, "summary")
    kept["traces"] = issue_traces.read(args.compiled)
    kept = {name: in_order(summary, found) for name, found in kept.items()}
    given = issue_text.Records(summary, **kept, overlay=args.overlay, address=args.address)
    text = issue_text.issue(given)
    records.write_text(args.out, text)
    print(f"{text.splitlines()[0].removeprefix('# ')}\n{len(text):,} characters in {args.out}")


def in_order(summary: dict, found: list[dict]) -> list[dict]:
    """The records of the summary's cases, in the order of its cases and variants."""
    cases = [case["case"]["name"] for case in summary["cases"]]
    names = [*summary["variants"], *summary["peers"]]
    found = [record for record in found if record["case"]["name"] in cases]
    return sorted(
        found,
        key=lambda record: (
            cases.index(record["case"]["name"]),
            names.index(record["variant"]) if record.get("variant") in names else len(names),
        ),
    )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@", description=__doc__.splitlines()[0])
    parser.add_argument("--summary", required=True, type=Path, help="tables/summary.json")
    for name, (_, words) in KINDS.items():
        parser.add_argument(f"--{name}", nargs="*", default=[], type=Path, help=words)
    parser.add_argument(
        "--overlay",
        type=_object,
        metavar="JSON",
        help="what of the configuration differs from config/config.yaml, for the reproduction",
    )
    parser.add_argument("--address", default="", help="of this pipeline, to clone it from")
    parser.add_argument("--out", required=True, type=Path, help="the file to write (Markdown)")
    return parser.parse_args()


def _object(text: str) -> dict:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        found = error
    if not isinstance(found, dict):
        raise FusionError("--overlay is not understood", expected="a JSON object", found=str(found))
    return found


if __name__ == "__main__":
    run_program(main)
