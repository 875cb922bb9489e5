"""Markdown to a page of HTML that needs nothing else and whose tables can be sorted.

The Markdown comes from records and configurations: HTML in it is shown as text, nothing in it is
run, and nothing is fetched (which the page's own policy forbids as well).
"""

import base64
import hashlib
import html
import itertools
from pathlib import Path

from markdown_it import MarkdownIt

STYLE, SCRIPT = (Path(__file__).with_name(name).read_text() for name in ("page.css", "page.js"))


def page(markdown: str) -> str:
    """The page; its title is the first heading."""
    # Without images: they would be fetched from wherever the text says.
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = reader.parse(markdown)
    heads = [text for head, text in itertools.pairwise(tokens) if head.type == "heading_open"]
    title = html.escape(heads[0].content if heads else "fuse-or-not")
    body = reader.renderer.render(tokens, reader.options, {})
    body = body.replace("<table>", '<div class="table"><table>')
    body = body.replace("</table>", "</table></div>")
    script = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            f"<title>{title}</title>",
            f"<style>{STYLE}</style>",
            f"<body>{body}",
            f"<script>{SCRIPT}</script>",
            "",
        ]
    )
