"""Triples whose predicate is a variable: the relations of all predicates, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.pieces import extend_in_pieces
from kgreason.algebra.planner import Domains
from kgreason.algebra.row_keys import rows_of_each
from kgreason.columns.id_columns import repeated
from kgreason.relations.codes import CLASS, PROPERTY, identifier_of
from kgreason.sparql import query_tuning
from kgreason.sparql.algebra import Atom as Pattern
from kgreason.sparql.algebra import Names
from kgreason.sparql.patterns.atoms import End, atom_of
from kgreason.sparql.patterns.pattern_relations import relation_of
from kgreason.sparql.solutions import Ids, Solutions
from kgreason.sparql.source import Source


@dataclass(frozen=True, slots=True)
class AnyPredicate:
    """A triple pattern whose predicate is a variable."""

    source: Source
    ends: tuple[End, End]
    predicate: str
    pattern: Pattern

    @property
    def variables(self) -> Names:
        return frozenset(end for end in (*self.ends, self.predicate) if isinstance(end, str))

    @property
    def join(self) -> None:
        return None

    def planned(self) -> AnyPredicate:
        return self

    def growth(self, domains: Domains[str]) -> tuple[float, float]:
        places = self._places()
        made, seen = float(self.source.estimate), {*domains}
        for name, domain in places:
            if isinstance(name, int) or name in seen:
                made /= domain
            if isinstance(name, str):
                seen.add(name)
        bound = any(isinstance(end, int) or end in domains for end in self.ends)
        return made, (places[-1][1] if bound else 1.0) + made

    def domains_after(self, domains: Domains[str], rows: float) -> Domains[str]:
        after = dict(domains)
        for name, domain in self._places():
            if isinstance(name, str):
                after[name] = min(after.get(name, domain), domain)
        return after

    def _places(self) -> tuple[tuple[End, float], ...]:
        """The ends and the predicate, each with about how many ids there are in its place."""
        nodes = max(1.0, self.source.estimate / 4)
        kinds = float(max(1, len(self._predicates())))
        return (self.ends[0], nodes), (self.ends[1], nodes), (self.predicate, kinds)

    def sampled(self, rows: Solutions) -> float | None:
        return None

    def apply(self, rows: Solutions, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        if self.predicate in rows.columns:
            for predicate, some in rows_of_each(rows.columns[self.predicate]):
                yield from self._of(predicate, rows.take(some), kept, multiplicity)
            return
        single = self._single(rows)
        if single is not None:
            yield from single
            return
        is_end = self.predicate in self.ends
        for predicate in self._predicates():
            extended = rows.with_columns({self.predicate: repeated(predicate, rows.length)})
            if is_end or self.predicate in kept:
                yield from self._of(predicate, extended, kept, multiplicity)
            else:
                yield from self._of(predicate, rows, kept, multiplicity)

    def _of(self, predicate: int, rows: Solutions, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        relation = relation_of(self.source, predicate)
        pieces = extend_in_pieces(rows, atom_of(self.ends), relation, kept, multiplicity, first=query_tuning.JOIN_FIRST)
        return (found for found in pieces if found.length)

    def _single(self, rows: Solutions) -> list[Solutions] | None:
        """Of a few rows with a known end: by the indexes of what a term takes part in."""
        known = [isinstance(end, int) or end in rows.columns for end in self.ends]
        if rows.length > query_tuning.FEW_WITH_ENDS or not any(known) or len({*self.ends, self.predicate}) < 3:
            return None
        return [self._of_row(rows.slice(row, row + 1)) for row in range(rows.length)] or [rows]

    def _of_row(self, row: Solutions) -> Solutions:
        subject, object = (
            end if isinstance(end, int) else int(row.columns[end][0]) if end in row.columns else None
            for end in self.ends
        )
        chunks = list(self.source.match(subject, None, object))
        columns: dict[str, Ids] = {}
        for name, position in ((self.ends[0], 0), (self.predicate, 1), (self.ends[1], 2)):
            if isinstance(name, str) and name not in row.columns:
                parts = [chunk[position] for chunk in chunks]
                columns[name] = np.concatenate(parts) if parts else np.empty(0, dtype=np.uint32)
        size = sum(len(chunk[0]) for chunk in chunks)
        return row.take(np.zeros(size, dtype=np.int64)).with_columns(columns)

    def _predicates(self) -> list[int]:
        found = dict.fromkeys(identifier_of(code) for code in self.source.codes(PROPERTY))
        if self.source.codes(CLASS):
            found[self.source.type_id] = None
        return list(found)
