"""The difference of two graphs as people and programs read it: text with + and -, RDF Patch, JSON."""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.lookup.readable_terms import ReadableTerms
from kgreason.rdf.model import BlankNode

if TYPE_CHECKING:
    from kgreason.comparison.comparison import Comparison
    from kgreason.io.quads import Quads
    from kgreason.store.knowledge_base import KnowledgeBase
    from kgreason.store.triple_view import TripleView

_DEEPEST: Final = 8
_MOST: Final = 40
"""How much of a blank node that is added or removed as a whole is shown where it is named."""
_COLOURS: Final = {"-": "\033[31m", "+": "\033[32m", "@": "\033[36m"}
_PLAIN: Final = "\033[0m"
Row = tuple[int, int, int, int]
"""Graph, subject, predicate, object."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one side of a difference has and the other lacks; `sign` is + or -."""

    sign: str
    knowledge: KnowledgeBase
    other: KnowledgeBase
    explicit: Quads
    inferred: TripleView

    @classmethod
    def both(cls, comparison: Comparison) -> tuple[Side, Side]:
        """What was removed, and what was added."""
        before, after, inferred = comparison.before, comparison.after, comparison.inferred
        return (
            cls("-", before, after, comparison.explicit.removed, inferred.removed),
            cls("+", after, before, comparison.explicit.added, inferred.added),
        )

    def explicit_rows(self) -> list[Row]:
        """The quads that are explicit."""
        quads = self.explicit
        columns = (quads.graph, quads.subject, quads.predicate, quads.object)
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def inferred_rows(self) -> Iterator[Row]:
        """The triples that follow."""
        for chunk in self.inferred.match(None, None, None):
            for triple in zip(*(column.tolist() for column in chunk), strict=True):
                yield (DEFAULT_GRAPH, *triple)

    def follows_elsewhere(self, row: Row) -> bool:
        """Whether the other side has the triple, too, explicit in another graph or inferred."""
        return self.other.all().contains(*row[1:])


# -- text ---------------------------------------------------------------------------------------------------------


def text_lines(
    comparison: Comparison, prefixes: Mapping[str, str], limit: int | None = None
) -> Iterator[str]:
    """Lines that begin with - or +, and sections that begin with @@; `limit` is how many triples of each sign a section
    has at most.

    Statements of a blank node that is added or removed as a whole stand within the one that names it; those of another
    one follow a line without a sign that says where it is.
    """
    sides = Side.both(comparison)
    before = _Reader(sides[0], prefixes)
    readers = (before, _Reader(sides[1], prefixes, before))
    yield from _explicit_lines(sides, readers, limit)
    if comparison.inferred:
        yield "@@ inferred @@"
        yield from _merged(
            line
            for reader, side in zip(readers, sides, strict=True)
            for line in reader.lines(islice(side.inferred_rows(), limit))
        )
        yield from _more((len(side.inferred) for side in sides), limit)
    if comparison.rules:
        yield "@@ rules @@"
        for sign, rules in ("-", comparison.rules.removed), ("+", comparison.rules.added):
            yield from (f"{sign} {' '.join(str(rule).split())}" for rule in rules)


def _explicit_lines(sides: tuple[Side, Side], readers: tuple[_Reader, _Reader], limit: int | None) -> Iterator[str]:
    """The explicit triples graph by graph, the default graph first."""
    explicit = [reader.explicit() for reader in readers]
    graphs = sorted({row[0] for rows in explicit for row in rows}, key=lambda graph: (graph != DEFAULT_GRAPH, graph))
    for graph in graphs:
        if graphs != [DEFAULT_GRAPH]:
            shown = "default graph" if graph == DEFAULT_GRAPH else f"graph {readers[0].term(graph, sides[1])}"
            yield f"@@ {shown} @@"
        parts = [[row for row in rows if row[0] == graph] for rows in explicit]
        yield from _merged(
            line
            for reader, rows in zip(readers, parts, strict=True)
            for line in reader.lines(rows[:limit], is_explicit=True)
        )
        yield from _more((len(rows) for rows in parts), limit)


def coloured(line: str) -> str:
    """A line for a terminal: red for what is removed, green for what is added."""
    colour = _COLOURS.get(line[:1])
    return line if colour is None else f"{colour}{line}{_PLAIN}"


def wants_colours() -> bool:
    """Whether stdout is a terminal that shows colours."""
    return sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _more(counts: Iterable[int], limit: int | None) -> Iterator[str]:
    for sign, count in zip("-+", counts, strict=True):
        if limit is not None and count > limit:
            yield f"{sign} ... and {count - limit:,} more"


def summary(comparison: Comparison) -> str:
    """How many triples are explicit or inferred in one alone."""
    removed, added = Side.both(comparison)
    return (
        f"explicit: {len(removed.explicit):,} removed, {len(added.explicit):,} added; "
        f"inferred: {len(removed.inferred):,} removed, {len(added.inferred):,} added"
    )


def _merged(lines: Iterable[tuple[tuple[str, ...], str, str]]) -> Iterator[str]:
    """Lines by subject and predicate, with the place of a blank node before its own."""
    context = ""
    for _, place, line in sorted(lines):
        if place != context:
            context = place
            if place:
                yield f"  {place}"
        yield line


class _Reader:
    """Texts of one side."""

    def __init__(self, side: Side, prefixes: Mapping[str, str], places: _Reader | None = None) -> None:
        """`places` says where blank nodes are that both sides have."""
        self._side = side
        self._places = places
        self._decode = side.knowledge.dictionary.decode
        self._short = ReadableTerms(side.knowledge, prefixes)
        self._long = ReadableTerms(side.knowledge, prefixes, deepest=_DEEPEST, most=_MOST)
        self._explicit = side.knowledge.explicit()
        self._rows = side.explicit_rows()
        self._whole = self._whole_nodes()

    def term(self, identifier: int, other: Side) -> str:
        """A term of either side."""
        knowledge = self._side.knowledge if identifier < len(self._side.knowledge.dictionary) else other.knowledge
        return self._short.term(knowledge.dictionary.decode(identifier))

    def explicit(self) -> list[Row]:
        """The explicit quads, without those of blank nodes that are shown where they are named."""
        named = self._named()
        return [row for row in self._rows if row[1] not in named]

    def lines(self, rows: Iterable[Row], *, is_explicit: bool = False) -> Iterator[tuple[tuple[str, ...], str, str]]:
        """For each row what it is sorted by, where its subject is, and its line."""
        for row in rows:
            subject, predicate, object = map(self._decode, row[1:])
            terms = self._long if row[3] in self._whole else self._short
            place = self._place(row[1]) if isinstance(subject, BlankNode) and row[1] not in self._whole else ""
            first = self._short.term(subject)
            text = f"{first} {self._short.predicate(predicate)} {terms.term(object)} ."
            note = ""
            if is_explicit and self._side.follows_elsewhere(row):
                note = "  # still there" if self._side.sign == "-" else "  # was there"
            named = self._short.predicate(predicate)
            order = (place or first, f"{row[1]:010}" if place else "", "" if named == "a" else named)
            yield (*order, "0" if self._side.sign == "-" else "1"), place, f"{self._side.sign} {text}{note}"

    def _whole_nodes(self) -> set[int]:
        """The blank nodes of which all statements are in the difference."""
        counts: defaultdict[int, int] = defaultdict(int)
        for _, subject, _, _ in self._rows:
            counts[subject] += 1
        few = [node for node, count in counts.items() if count <= _MOST and isinstance(self._decode(node), BlankNode)]
        nodes = np.array(few, dtype=np.uint32)
        stays = np.zeros(len(nodes), dtype=np.bool_)
        for subjects, _, _ in self._side.other.explicit().match(None, None, None) if few else ():
            stays |= np.isin(nodes, subjects)
        return set(nodes[~stays].tolist())

    def _named(self) -> set[int]:
        """Whole nodes that are shown in full with a statement of a subject that is none."""
        below = defaultdict(list)
        for _, subject, _, object in self._rows:
            if object in self._whole:
                below[subject].append(object)
        level = {node for subject, nodes in below.items() if subject not in self._whole for node in nodes}
        found: set[int] = set()
        for _ in range(_DEEPEST - 1):
            found |= level
            level = {node for subject in level for node in below[subject]} - found
        return found

    def _place(self, node: int) -> str:
        """The statement of a term with a name that leads to a blank node, "" where there is none."""
        if self._places is not None and (found := self._places._place(node)):
            return found
        seen = {node}
        while True:
            above = next(self._explicit.match(None, None, node), None)
            if above is None:
                return ""
            subject, predicate, node = (int(column[0]) for column in above)
            if not isinstance(self._decode(subject), BlankNode):
                return self._short.triple(map(self._decode, (subject, predicate, node)))
            if subject in seen:
                return ""
            seen.add(subject)
            node = subject


# -- for programs -------------------------------------------------------------------------------------------------


def patch_lines(comparison: Comparison) -> Iterator[str]:
    """The explicit difference as RDF Patch, one transaction."""
    yield "TX ."
    for sign, side in zip("DA", Side.both(comparison), strict=True):
        decode = side.knowledge.dictionary.decode
        for graph, *triple in side.explicit_rows():
            terms = [*triple] if graph == DEFAULT_GRAPH else [*triple, graph]
            yield f"{sign} {' '.join(str(decode(term)) for term in terms)} ."
    yield "TC ."


def json_document(comparison: Comparison) -> dict[str, Any]:
    """Everything as data for JSON; terms are those of N-Triples."""
    removed, added = Side.both(comparison)
    return {
        "same": not comparison,
        "approximate": comparison.explicit.is_approximate,
        "explicit": {"removed": _rows(removed, True), "added": _rows(added, True)},
        "inferred": {"removed": _rows(removed, False), "added": _rows(added, False)},
        "rules": {
            "removed": [str(rule) for rule in comparison.rules.removed],
            "added": [str(rule) for rule in comparison.rules.added],
        },
    }


def json_text(comparison: Comparison, names: tuple[str, str]) -> str:
    """`json_document` with the names of both."""
    document = {"before": names[0], "after": names[1], **json_document(comparison)}
    return json.dumps(document, indent=2, ensure_ascii=False)


def _rows(side: Side, is_explicit: bool) -> list[dict[str, Any]]:
    decode = side.knowledge.dictionary.decode
    found = []
    for row in side.explicit_rows() if is_explicit else side.inferred_rows():
        graph, subject, predicate, object = row
        quad: dict[str, Any] = {
            "subject": str(decode(subject)),
            "predicate": str(decode(predicate)),
            "object": str(decode(object)),
        }
        if is_explicit:
            quad["graph"] = None if graph == DEFAULT_GRAPH else str(decode(graph))
            quad["elsewhere"] = side.follows_elsewhere(row)
        found.append(quad)
    return found
