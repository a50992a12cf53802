"""Defective lists in words: which list, where it breaks, the axioms that name it, and how far it goes.

An axiom whose list is cut off or cyclic says nothing (`kgreason.engine.modules.lists`). That is not a contradiction,
but as bad as one for the author of the axiom. So `inconsistencies` lists it under the name `LIST`, and a change that
leaves such a list warns of it, or raises in a knowledge base that is `strict`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from kgreason.algebra.expressions.tree import Variable
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.facts import Facts
from kgreason.engine.modules.list_cells import CYCLE, Break, ListCells
from kgreason.errors import ListWarning, level_of_caller
from kgreason.program.rules import TripleAtom
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_REST
from kgreason.store.compiler import RelationCodes
from kgreason.store.specialised_program import SpecialisedProgram

Triple: TypeAlias = tuple[Term, Term, Term]

LIST: Final = "list"
"""The name of a defective list among inconsistencies, which otherwise have names of rules."""
NAMED: Final = 10
"""So many lists are named in the warnings of one change; the others are counted."""


@dataclass(frozen=True, slots=True)
class DefectiveList:
    """A list that breaks at a cell; the triples of the axioms that name it, and of its cells as far as it goes."""

    list: Term
    cell: Term
    fault: str
    axioms: tuple[Triple, ...]
    cells: tuple[Triple, ...] = ()

    def __str__(self) -> str:
        return f"the list {self.list} is {self._reason()}{self._place()}"

    def _reason(self) -> str:
        if self.fault == CYCLE:
            return f"cyclic: the rdf:rest of its cell {self.cell} leads back"
        if isinstance(self.cell, Literal):
            return f"cut off: its cell {self.cell} is a literal"
        return f"cut off: its cell {self.cell} has {self.fault}"

    def _place(self) -> str:
        if not self.axioms:
            return ""
        others = f" and {len(self.axioms) - 1} more" if len(self.axioms) > 1 else ""
        return f" (axiom: {' '.join(map(str, self.axioms[0]))}{others})"


class Describer:
    """Puts breaks into words, by the rules and the facts of one moment."""

    def __init__(self, facts: Facts, cells: ListCells, program: SpecialisedProgram, dictionary: Dictionary) -> None:
        self._facts = facts
        self._relations: RelationCodes = program.relations(dictionary)
        self._cells = cells
        self._atoms = program.list_atoms()
        self._dictionary = dictionary

    def describe(self, place: Break) -> DefectiveList:
        """The description of one list: O(its cells and axioms)."""
        return replace(self.named(place), cells=tuple(self._triples(place.list)))

    def named(self, place: Break) -> DefectiveList:
        """The same without the triples of its cells, which its text does not need: O(axioms)."""
        decode = self._dictionary.decode
        axioms = dict.fromkeys(axiom for atom, variable in self._atoms for axiom in self._axioms(atom, variable, place))
        return DefectiveList(decode(place.list), decode(place.cell), place.fault, tuple(axioms))

    def _axioms(self, atom: TripleAtom, variable: Variable, place: Break) -> Iterator[Triple]:
        """The triples that match an atom of a rule with the list as the value of its list variable."""
        decode, listed = self._dictionary.decode, place.list
        parts = (atom.subject, atom.object)
        code = (
            self._relations.of_property(_term(atom.predicate))
            if isinstance(atom.object, Variable)
            else self._relations.of_triple(_term(atom.predicate), atom.object)
        )
        table = self._facts.get(code)
        if not table:
            return
        bound = {
            number: listed if part == variable else self._dictionary.encode(_term(part))
            for number, part in enumerate(parts[: table.arity])
            if part == variable or not isinstance(part, Variable)
        }
        columns = table.select({number: bound[number] for number in bound if parts[number] == variable})
        for row in zip(*(column.tolist() for column in columns), strict=True):
            if all(row[number] == value for number, value in bound.items()):
                last = decode(row[1]) if table.arity > 1 else _term(atom.object)
                yield decode(row[0]), _term(atom.predicate), last

    def _triples(self, listed: int) -> Iterator[Triple]:
        decode = self._dictionary.decode
        for cell in self._cells.reachable(listed):
            for predicate, values in ((RDF_FIRST, self._cells.firsts(cell)), (RDF_REST, self._cells.rests(cell))):
                for value in values:
                    yield decode(cell), IRI(predicate), decode(value)


def warn_of(places: Sequence[Break], describer: Describer) -> None:
    """Warn of lists that are defective, the first of them by name, at the line of the user that led here."""
    level = level_of_caller()
    for place in places[:NAMED]:
        warnings.warn(str(describer.named(place)), ListWarning, stacklevel=level)
    if len(places) > NAMED:
        text = f"{len(places) - NAMED:,} more lists are cut off or cyclic: inconsistencies() names them"
        warnings.warn(text, ListWarning, stacklevel=level)


def _term(argument: object) -> Term:
    assert isinstance(argument, Term)
    return argument
