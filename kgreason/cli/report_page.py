"""A report as one HTML page that needs nothing else: no script, no other host, light and dark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from kgreason.cli.report_texts import ReportTexts, by_severity, tables, totals, verdict
from kgreason.html_fragments import more, printable, table

if TYPE_CHECKING:
    from kgreason.quality.check import Cell, Finding
    from kgreason.quality.report import Contradiction, Report

_STYLE: Final = """
:root { color-scheme: light dark; --line: #d5dadd; --soft: #f4f6f7; --text: #1c2429; --faint: #5b6870;
  --error: #b3261e; --warning: #8a5a00; --note: #2f6690; }
@media (prefers-color-scheme: dark) { :root { --line: #3a4449; --soft: #1d2427; --text: #e4e9eb; --faint: #9aa7ad;
  --error: #ff8a80; --warning: #f2b84b; --note: #8ec5ec; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: Canvas; max-width: 70rem; margin: 0 auto;
  padding: 1.5rem; overflow-wrap: anywhere; }
h1 { font-size: clamp(1.2rem, 4vw, 1.6rem); margin: 0; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
.verdict, .meaning, .more { color: var(--faint); }
.totals { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: .75rem; padding: 0;
  margin: 1.5rem 0; list-style: none; }
.totals li { background: var(--soft); border-radius: .5rem; padding: .6rem .8rem; }
.totals b { display: block; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; font-weight: 600; }
summary .count { float: right; font-variant-numeric: tabular-nums; }
.error { color: var(--error); } .warning { color: var(--warning); } .note { color: var(--note); }
.tables { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
pre { background: var(--soft); padding: .6rem .8rem; border-radius: .4rem; overflow-x: auto; }
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(report: Report, texts: ReportTexts, name: str) -> str:
    """The page; `name` is of the data."""
    title = escape(printable(name))
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Report on {title}</title><style>{_STYLE}</style></head><body>",
            f'<h1>Report on {title}</h1><p class="verdict">{escape(verdict(report))}</p>',
            *_totals(report),
            *_contradictions(report.contradictions, texts),
            *_findings(report, texts),
            *_tables(report, texts),
            "</body></html>\n",
        ]
    )


def _totals(report: Report) -> Iterator[str]:
    yield '<ul class="totals">'
    yield from (f"<li><b>{count:,}</b>{escape(name)}</li>" for name, count in totals(report))
    yield "</ul>"


def _contradictions(found: Sequence[Contradiction], texts: ReportTexts) -> Iterator[str]:
    if not found:
        return
    yield "<h2>Inconsistencies</h2>"
    for contradiction in found[: texts.limit]:
        inconsistency = contradiction.inconsistency
        rule = escape(printable(inconsistency.rule or "rule without a name"))
        yield f'<details open><summary class="error">{rule}</summary>'
        if inconsistency.reason:
            yield f'<p class="meaning">{escape(printable(inconsistency.reason))}</p>'
        yield f"<pre>{escape(chr(10).join(f'{texts.triple(triple)} .' for triple in inconsistency.triples))}</pre>"
        for proof in contradiction.proofs:
            yield f"<p>Because:</p><pre>{escape(texts.proof(proof))}</pre>"
        yield "</details>"
    yield from more(len(found), texts.limit)


def _findings(report: Report, texts: ReportTexts) -> Iterator[str]:
    yield "<h2>Findings</h2>"
    for finding in by_severity(report):
        check = finding.check
        opened = " open" if finding.is_problem else ""
        yield (
            f'<details{opened}><summary><span class="{check.severity}">{check.severity}</span> {escape(check.name)}'
            f'<span class="count">{len(finding.rows):,}</span></summary>'
        )
        yield f'<p class="meaning">{escape(check.meaning)}</p>'
        yield from table(check.columns, ([_cell(cell, texts) for cell in row] for row in _shown(finding, texts)))
        yield from more(len(finding.rows), texts.limit)
        if check.name == "unsatisfiable-class":
            yield from (f"<pre>{escape(texts.proof(proof))}</pre>" for proof in report.unsatisfiable)
        yield "</details>"
    passed = [finding.check.name for finding in report.findings if not finding.rows]
    if passed:
        yield f"<details><summary>Nothing found<span class=\"count\">{len(passed)}</span></summary><ul>"
        meanings = {finding.check.name: finding.check.meaning for finding in report.findings}
        yield from (f"<li><b>{escape(name)}</b> {escape(meanings[name])}</li>" for name in passed)
        yield "</ul></details>"


def _tables(report: Report, texts: ReportTexts) -> Iterator[str]:
    yield '<h2>Counts</h2><div class="tables">'
    for title, header, rows in tables(report, texts):
        cells = ([f"<bdi>{escape(row[0])}</bdi>", *map(escape, row[1:])] for row in rows)
        yield f"<div><h3>{escape(title)}</h3>"
        yield from table(header, cells, numbers=True)
        yield "</div>"
    yield "</div>"


def _cell(cell: Cell, texts: ReportTexts) -> str:
    """A cell: a term with its label, several terms below each other."""
    if isinstance(cell, str):
        return f"<bdi>{escape(printable(cell))}</bdi>"
    if isinstance(cell, int):
        name, label = texts.name(cell), texts.label(cell)
        shown = f"<bdi>{escape(label)}</bdi> " if label else ""
        return f"{shown}<code>{escape(name)}</code>"
    few = "<br>".join(_cell(term, texts) for term in cell[:20])
    return few if len(cell) <= 20 else f"{few}<br>... ({len(cell):,})"


def _shown(finding: Finding, texts: ReportTexts) -> Sequence[tuple[Cell, ...]]:
    return finding.rows[: texts.limit]
