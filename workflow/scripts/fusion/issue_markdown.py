"""Markdown that is safe to paste: names and code from elsewhere cannot become markup in it."""

import re
from dataclasses import dataclass

from .tables import markdown_table

PLAIN = re.compile(r"[\w .,;:'+=%()/×·–°µ-]*")
LINK = re.compile(r"://|www\.|(?<!\w)_|_(?!\w)")  # and emphasis


def span(text: str) -> str:
    """Words as they stand where nothing in them is markup, else in a code span, on one line.

    A code span keeps GitHub from reading @names, #numbers, links and HTML in it.
    """
    text = " ".join(str(text).split())
    return text if PLAIN.fullmatch(text) and not LINK.search(text) else code_span(text)


def code_span(text: str) -> str:
    """Text in as many backticks as it takes, on one line."""
    text = " ".join(str(text).split())
    ticks = "`" * (1 + _longest_run(text))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def cell(text: str) -> str:
    """A span for a table: a pipe would end the cell, and a backslash before it would undo that."""
    return span(re.sub(r"\\+(?=\|)", "", str(text))).replace("|", "\\|")


def fence(text: str, language: str = "") -> list[str]:
    """Lines of a fenced block that nothing in the text can close."""
    ticks = "`" * max(3, 1 + _longest_run(text))
    return [f"{ticks}{language}", *text.rstrip("\n").splitlines(), ticks]


@dataclass(frozen=True)
class Room:
    """How much of a long table or listing is shown, so that the whole stays under a limit."""

    rows: int
    lines: int

    def table(self, rows: list[dict], where: str) -> list[str]:
        """A table of the first rows, and how many more stand where."""
        shown = [{entries(k): entries(v) for k, v in row.items()} for row in rows[: self.rows]]
        lines = [*markdown_table(shown), ""] if rows else []
        left = len(rows) - self.rows
        return lines + ([f"{left} more rows are cut here; all are in `{where}`.", ""] * (left > 0))

    def listing(self, text: str, language: str = "") -> list[str]:
        """A fenced block of the first lines, each no longer than is readable."""
        lines = text.rstrip("\n").splitlines()
        kept = [line if len(line) <= 400 else f"{line[:399]}…" for line in lines[: self.lines]]
        cut = len(lines) - len(kept)
        wide = sum(one != other for one, other in zip(lines, kept, strict=False))
        notes = [f"{cut} more lines are cut here."] if cut else []
        notes += [f"{wide} lines are cut at their end (…)."] if wide else []
        return [*fence("\n".join(kept), language), "", *([" ".join(notes), ""] if notes else [])]


def entries(words) -> str:
    """Names such as ON@tvm-0.26 in code spans: GitHub would read them as addresses."""
    return re.sub(r"(?<![`\w])\w+@[\w.-]+(?:/\w+@[\w.-]+)?", r"`\g<0>`", str(words))


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
