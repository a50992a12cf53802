"""Parts of HTML documents, for reports and for what notebooks show of an object (`_repr_html_`).

Texts may come from strangers, so `text` is the only way from a text to HTML: it escapes what HTML reads as markup, and
writes out characters that steer a display or turn the direction of writing. Fragments have no scripts, reach for no
other host, and take their colours from the notebook around them, light or dark.

    cell(table(("rule", "facts"), [[text("prp-trp"), text("7")]]))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

MOST_ROWS: Final = 50
"""How many rows of a table a notebook shows; what is left out is counted."""
LONGEST: Final = 500
"""How many characters of a text a notebook shows."""

_LINE: Final = "color-mix(in srgb, currentColor 25%, transparent)"
_STYLE: Final = f"""
.kgreason {{ overflow-wrap: anywhere; }}
.kgreason table {{ border-collapse: collapse; }}
.kgreason th, .kgreason td {{ text-align: left; vertical-align: top; padding: .15rem .8rem .15rem 0;
  border-bottom: 1px solid {_LINE}; background: none; }}
.kgreason .number {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
.kgreason summary {{ cursor: pointer; }}
.kgreason .nested {{ margin-left: .45rem; padding-left: .8rem; border-left: 1px solid {_LINE}; }}
.kgreason .leaf {{ padding-left: 1.1rem; }}
.kgreason .faint, .kgreason .more {{ opacity: .7; }}
.kgreason .mark {{ border: 1px solid {_LINE}; border-radius: .6rem; padding: 0 .4rem; font-size: .85em; }}
.kgreason .asserted {{ font-weight: 600; }}
.kgreason code {{ background: none; color: inherit; }}
"""


def printable(text: str) -> str:
    """A text on one line without characters that steer a terminal or turn the direction of writing."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(ord(c)) for c in text)


def _escaped(code: int) -> str:
    return f"\\u{code:04X}" if code < 1 << 16 else f"\\U{code:08X}"


def text(content: str, longest: int = LONGEST) -> str:
    """A text as HTML, cut off where it is longer than `longest` characters."""
    shown = content if len(content) <= longest else f"{content[:longest]}..."
    return escape(printable(shown))


def code(content: str) -> str:
    """A term or a rule as HTML."""
    return f"<code>{text(content)}</code>"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> Iterator[str]:
    """A table whose cells are HTML; with `numbers` all columns but the first stand on the right."""
    style = ' class="number"' if numbers else ""

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(f"<{tag}{style if place else ''}>{each}</{tag}>" for place, each in enumerate(texts))

    yield f'<div class="scroll"><table><thead><tr>{cells("th", list(map(escape, header)))}</tr></thead><tbody>'
    yield from (f"<tr>{cells('td', row)}</tr>" for row in rows)
    yield "</tbody></table></div>"


def more(count: int, limit: int | None) -> Iterator[str]:
    """How many there are beyond the limit, if there are any."""
    if limit is not None and count > limit:
        yield f'<p class="more">... and {count - limit:,} more</p>'


def details(summary: str, content: Iterable[str], *, is_open: bool = False) -> Iterator[str]:
    """What unfolds below a summary; both are HTML."""
    yield f'<details{" open" if is_open else ""}><summary>{summary}</summary><div class="nested">'
    yield from content
    yield "</div></details>"


def cell(content: Iterable[str]) -> str:
    """What a notebook shows: HTML with its style, whose names hold for nothing around it."""
    return f'<div class="kgreason"><style>{_STYLE}</style>{"".join(content)}</div>'
