"""Render Markdown files as HTML pages for the report: one file each, tables that can be sorted."""

import argparse
from pathlib import Path

from fusion import pages, records
from fusion.errors import FusionError, run_program


def main() -> None:
    args = parse()
    if len(args.names) != len(args.markdown):
        raise FusionError(
            "each page has one name and one Markdown file",
            expected=f"as many after --markdown as after --names: {len(args.names)}",
            found=str(len(args.markdown)),
        )
    for name, path in zip(args.names, args.markdown, strict=True):
        if not path.is_file():
            raise FusionError(f"no Markdown at {path}", do="run the stage that writes it first")
        text = pages.page(path.read_text())
        records.write_text(args.out / f"{name}.html", text)
        print(f"{args.out / name}.html from {path}: {len(text):,} characters")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", nargs="+", required=True, help="the pages, such as verdicts")
    parser.add_argument(
        "--markdown", nargs="+", required=True, type=Path, help="a file for each, in their order"
    )
    parser.add_argument("--out", required=True, type=Path, help="folder to write NAME.html to")
    return parser.parse_args()


if __name__ == "__main__":
    run_program(main)
