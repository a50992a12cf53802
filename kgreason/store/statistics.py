"""Sizes of a knowledge base, as inert data."""

from __future__ import annotations

from dataclasses import dataclass

from kgreason.dictionary.dictionary import Dictionary
from kgreason.rdf.model import IRI
from kgreason.relations.codes import AUXILIARY, CLASS, identifier_of, kind_of
from kgreason.relations.table import Table
from kgreason.store.state import State


@dataclass(frozen=True, slots=True)
class RelationStatistics:
    """One relation: its IRI or auxiliary name, its storage scheme, the facts that it represents, written out or
    not, and the bytes held for them, external facts included."""

    name: str
    kind: str
    scheme: str
    facts: int
    bytes: int

    @property
    def bytes_per_fact(self) -> float:
        """Bytes held for each fact represented."""
        return self.bytes / self.facts if self.facts else 0.0


@dataclass(frozen=True, slots=True)
class Statistics:
    """Totals, and one entry per relation, the largest first. Bytes are an estimate for the terms."""

    triples: int
    explicit: int
    inferred: int
    terms: int
    rules: int
    specialised_rules: int
    bytes: int
    relations: tuple[RelationStatistics, ...]

    def _repr_html_(self) -> str:
        """Tables for a notebook, with the largest relations."""
        # Notebooks alone need it.
        from kgreason.html_fragments import MOST_ROWS, cell, code, more, table, text

        shown = self.relations[:MOST_ROWS]
        rows = (
            [code(each.name), text(each.kind), text(each.scheme), f"{each.facts:,}", f"{each.bytes:,}"]
            for each in shown
        )
        return cell(
            [
                *table(("", "count"), [[text(name), f"{count:,}"] for name, count in self.totals], numbers=True),
                *table(("relation", "kind", "scheme", "facts", "bytes"), rows, numbers=True),
                *more(len(self.relations), MOST_ROWS),
            ]
        )

    @property
    def totals(self) -> tuple[tuple[str, int], ...]:
        """The totals with their names."""
        return (
            ("triples", self.triples),
            ("explicit triples", self.explicit),
            ("inferred triples", self.inferred),
            ("terms", self.terms),
            ("rules", self.rules),
            ("specialised rules", self.specialised_rules),
            ("bytes", self.bytes),
        )


def collect_statistics(state: State, dictionary: Dictionary) -> Statistics:
    """Look at every relation once: O(relations)."""
    engine, program = state.engine, state.program
    auxiliaries = {code: name for (name, _), code in program.auxiliaries.items()}
    relations = []
    seen: set[int] = set()

    def own(*tables: Table | None) -> int:
        """The bytes of tables that were not counted before."""
        fresh = {id(table): table.nbytes for table in tables if table is not None and id(table) not in seen}
        seen.update(fresh)
        return sum(fresh.values())

    for code, table in engine.facts.items():
        kind = kind_of(code)
        if kind == AUXILIARY:
            name, label = auxiliaries[code], "auxiliary"
        else:
            term = dictionary.decode(identifier_of(code))
            name, label = term.value if isinstance(term, IRI) else str(term), "class" if kind == CLASS else "property"
        held = own(table, engine.external.get(code), *table.inputs())
        relations.append(RelationStatistics(name, label, table.scheme, len(table), held))
    explicit_bytes = own(*(table for _, table in engine.explicit.items()))
    triples = sum(entry.facts for entry in relations if entry.kind != "auxiliary")
    explicit = sum(len(table) for code, table in engine.explicit.items() if kind_of(code) != AUXILIARY)
    return Statistics(
        triples=triples,
        explicit=explicit,
        inferred=triples - explicit,
        terms=len(dictionary),
        rules=len(program.counts),
        specialised_rules=sum(len(group.parameters) for group in engine.rules.groups.values()),
        bytes=sum(entry.bytes for entry in relations) + explicit_bytes + state.views.nbytes + dictionary.memory(),
        relations=tuple(sorted(relations, key=lambda entry: (-entry.facts, entry.name))),
    )
