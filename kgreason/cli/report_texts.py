"""A report as text and as JSON, and its terms as people read them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from kgreason.html_fragments import printable
from kgreason.lookup.readable_terms import ReadableTerms
from kgreason.proofs.proof import Proof
from kgreason.quality.check import SEVERITIES
from kgreason.rdf.model import BlankNode, Literal, Term
from kgreason.rdf.vocabulary import RDFS, SKOS

if TYPE_CHECKING:
    from kgreason.quality.check import Cell, Finding
    from kgreason.quality.report import Contradiction, Report
    from kgreason.store.knowledge_base import KnowledgeBase

_LABELS: Final = (SKOS + "prefLabel", RDFS + "label")
_FEW: Final = 5
"""So many terms of a group are named in a cell."""
_LONGEST: Final = 80


class ReportTexts:
    """Texts of terms and cells; `limit` is how many findings of a check are shown, None for all."""

    def __init__(
        self, knowledge: KnowledgeBase, prefixes: Mapping[str, str], language: str, limit: int | None
    ) -> None:
        """Labels are in the language where there are some in it."""
        self.limit = limit
        self._prefixes = prefixes
        self._language = language.lower()
        self._dictionary = knowledge.dictionary
        self._explicit = knowledge.explicit()
        self._terms = ReadableTerms(knowledge, prefixes)

    def name(self, term: int) -> str:
        """A term as in Turtle."""
        return self._terms.term(self._dictionary.decode(term))

    def label(self, term: int) -> str:
        """What people call a term, "" without a label."""
        found: list[Literal] = []
        for property in _LABELS:
            identifier = self._dictionary.lookup_key(property)
            if identifier is None or found:
                continue
            for _, _, objects in self._explicit.match(term, identifier, None):
                terms = map(self._dictionary.decode, objects.tolist())
                found += [literal for literal in terms if isinstance(literal, Literal)]
        wanted = sorted(found, key=lambda literal: ((literal.language or "").lower() != self._language, str(literal)))
        return printable(wanted[0].lexical) if wanted else ""

    def cell(self, cell: Cell) -> str:
        """A cell on one line: terms with their labels, of many terms the first."""
        if isinstance(cell, str):
            return printable(cell)
        if isinstance(cell, int):
            name, label = self.name(cell), self.label(cell)
            # A label that says no more than the name does.
            return name if not label or label.casefold() in name.casefold() else f'{name} "{_short(label)}"'
        more = [f"... ({len(cell):,})"] if len(cell) > _FEW else []
        return ", ".join([*map(self.cell, cell[:_FEW]), *more])

    def proof(self, proof: Proof[Term]) -> str:
        """A proof as an indented tree."""
        shown = replace(
            proof.with_prefixes(self._prefixes),
            show=lambda term: self._terms.term(term) if isinstance(term, BlankNode) else str(term),
        )
        return "\n".join(printable(line) for line in str(shown).split("\n"))

    def triple(self, triple: Iterable[Term]) -> str:
        """A triple on one line."""
        return self._terms.triple(triple)

    def plain(self, cell: Cell) -> Any:
        """A cell for JSON: terms as in N-Triples."""
        if isinstance(cell, str):
            return cell
        if isinstance(cell, int):
            return str(self._dictionary.decode(cell))
        return [str(self._dictionary.decode(term)) for term in cell]


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def by_severity(report: Report) -> Iterator[Finding]:
    """The findings that found something, errors first."""
    for severity in SEVERITIES:
        yield from (each for each in report.findings if each.rows and each.check.severity == severity)


def totals(report: Report) -> list[tuple[str, int]]:
    """The counts in one column."""
    counts = report.counts
    found = [("explicit triples", counts.explicit), ("inferred triples", counts.inferred), *counts.terms]
    if len(counts.graphs) > 1 or any(name is not None for name, _ in counts.graphs):
        found.append(("graphs", len(counts.graphs)))
    return found


def tables(report: Report, texts: ReportTexts) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """The counts in tables: title, header, rows."""
    counts = report.counts

    def named(rows: Iterable[tuple[int, ...]]) -> list[tuple[str, ...]]:
        return [(texts.name(term), *(f"{number:,}" for number in numbers)) for term, *numbers in rows]

    graphs: list[tuple[str, ...]]
    spaces: list[tuple[str, ...]]
    languages: list[tuple[str, ...]]
    graphs = [("default graph" if name is None else texts.name(name), f"{count:,}") for name, count in counts.graphs]
    spaces = [(printable(name) or "none", f"{count:,}") for name, count in counts.namespaces]
    languages = [(printable(name) or "none", f"{count:,}") for name, count in counts.languages]
    found: list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]] = [
        ("Graphs", ("graph", "triples"), graphs if len(graphs) > 1 else []),
        ("Axioms", ("property or class", "explicit"), named(counts.axioms)),
        ("Classes", ("class", "explicit members", "inferred"), named(counts.classes[: texts.limit])),
        ("Properties", ("property", "explicit triples", "inferred"), named(counts.properties[: texts.limit])),
        ("Languages of labels", ("language", "labels"), languages),
        ("Namespaces", ("namespace", "IRIs"), spaces[: texts.limit]),
    ]
    return [table for table in found if table[2]]


def verdict(report: Report) -> str:
    """One line: how much was found."""
    counts = dict.fromkeys(SEVERITIES, 0)
    for finding in report.findings:
        counts[finding.check.severity] += len(finding.rows)
    parts = [f"{count:,} {name}{'' if count == 1 else 's'}" for name, count in counts.items()]
    count = len(report.contradictions)
    return ", ".join([f"{count:,} inconsistenc{'y' if count == 1 else 'ies'}", *parts])


def text_lines(report: Report, texts: ReportTexts) -> Iterator[str]:
    """The report for a terminal."""
    width = max(len(name) for name, _ in totals(report))
    for name, count in totals(report):
        yield f"{name.ljust(width)}  {count:>12,}"
    for title, header, rows in tables(report, texts):
        yield ""
        yield f"{title}:"
        yield from _aligned(header, rows)
    for contradiction in report.contradictions[: texts.limit]:
        yield ""
        yield from _contradiction_lines(contradiction, texts)
    if texts.limit is not None and len(report.contradictions) > texts.limit:
        yield f"... and {len(report.contradictions) - texts.limit:,} more"
    for finding in by_severity(report):
        yield ""
        yield from _finding_lines(finding, texts)
        if finding.check.name == "unsatisfiable-class":
            for proof in report.unsatisfiable[: texts.limit]:
                yield from (f"      {line}" for line in texts.proof(proof).splitlines())
    yield ""
    yield verdict(report)


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows of a name and numbers, in columns as wide as their header and cells need."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    for row in rows:
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        yield f"  {row[0].ljust(widths[0])}  {numbers}"


def _contradiction_lines(contradiction: Contradiction, texts: ReportTexts) -> Iterator[str]:
    found = contradiction.inconsistency
    yield f"inconsistent: {found.rule or 'rule without a name'}: {printable(found.reason)}".rstrip()
    yield from (f"  {texts.triple(triple)} ." for triple in found.triples)
    for proof in contradiction.proofs:
        yield from (f"    {line}" for line in texts.proof(proof).splitlines())


def _finding_lines(finding: Finding, texts: ReportTexts) -> Iterator[str]:
    check = finding.check
    yield f"{check.severity}: {check.name}: {len(finding.rows):,}"
    yield f"  {check.meaning}"
    yield f"  {' | '.join(check.columns)}:"
    yield from (f"    {' | '.join(map(texts.cell, row))}" for row in finding.rows[: texts.limit])
    if texts.limit is not None and len(finding.rows) > texts.limit:
        yield f"    ... and {len(finding.rows) - texts.limit:,} more"


def json_text(report: Report, texts: ReportTexts) -> str:
    """Everything as one JSON object."""
    counts = report.counts

    def named(rows: Iterable[tuple[int | None, ...]]) -> list[Any]:
        return [[None if term is None else texts.plain(term), *numbers] for term, *numbers in rows]

    document = {
        "problems": report.has_problems,
        "counts": {
            "explicit": counts.explicit,
            "inferred": counts.inferred,
            **dict(counts.terms),
            "graphs": named(counts.graphs),
            "namespaces": [list(row) for row in counts.namespaces],
            "languages": [list(row) for row in counts.languages],
            "axioms": named(counts.axioms),
            "members": named(counts.classes),
            "statements": named(counts.properties),
        },
        "inconsistencies": [
            {
                "rule": each.inconsistency.rule,
                "reason": each.inconsistency.reason,
                "triples": [[str(term) for term in triple] for triple in each.inconsistency.triples],
                "proofs": [json.loads(proof.to_json()) for proof in each.proofs],
            }
            for each in report.contradictions[: texts.limit]
        ],
        "unsatisfiable": [json.loads(proof.to_json()) for proof in report.unsatisfiable],
        "checks": [
            {
                "name": finding.check.name,
                "severity": finding.check.severity,
                "meaning": finding.check.meaning,
                "count": len(finding.rows),
                "columns": finding.check.columns,
                "findings": [[texts.plain(cell) for cell in row] for row in finding.rows[: texts.limit]],
            }
            for finding in report.findings
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
