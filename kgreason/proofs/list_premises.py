"""The list atoms of a rule, matched cell by cell: their premises are the rdf:first and rdf:rest triples passed.

A list that is cut off or cyclic says nothing, so even a `member` goes on to rdf:nil and rests on all cells of the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from kgreason.algebra.expressions.tree import Variable
from kgreason.proofs.fact_reader import Premises, Reader, State
from kgreason.proofs.rule_patterns import (
    Binding,
    EveryPattern,
    IdArgument,
    ListPattern,
    MemberPattern,
    PathPattern,
    Pattern,
    Vocabulary,
)
from kgreason.proofs.steps import TRIPLE, Fact, IdFact
from kgreason.rdf.model import Literal
from kgreason.rdf.vocabulary import XSD_INTEGER

Matches: TypeAlias = Iterator[tuple[Binding, Premises]]
Cell: TypeAlias = tuple[int, IdArgument, Binding, Premises]
"""The next cell, where a path has got to, and what holds up to there."""
Cells: TypeAlias = Iterator[Cell]
CellVisit: TypeAlias = Callable[[int, Cell], Cells]
"""From the position of a cell, and the cell, to what may come after it; rdf:nil for the end."""


class ListWalk:
    """Walks along lists; a cell may have several members and several cells behind it, and then each way counts."""

    def __init__(
        self,
        facts: Reader,
        vocabulary: Vocabulary,
        match: Callable[[Pattern, Binding, Premises], Matches],
        solutions: Callable[[State], Iterator[State]],
    ) -> None:
        self._facts = facts
        self._vocabulary = vocabulary
        self._match = match
        self._solutions = solutions

    def matches(self, part: ListPattern, binding: Binding, premises: Premises) -> Matches:
        """The ways to match a list atom whose list has a value."""
        first = binding[part.list]
        match part:
            case MemberPattern():
                visit, start = self._member_visit(part), part.entry.arguments[0]
            case EveryPattern():
                visit, start = self._every_visit(part), part.member
            case PathPattern():
                visit, start = self._path_visit(part), part.start
        return self._walk((first, start, binding, premises), visit)

    def _walk(self, first: Cell, visit: CellVisit) -> Matches:
        """Depth first without recursion, because lists may be long. No way passes a cell twice."""
        if first[0] == self._vocabulary.nil:
            return
        waiting: list[Cells] = [iter((first,))]
        way: list[int] = []
        passed: set[int] = set()
        while waiting:
            cell = next(waiting[-1], None)
            if cell is None:
                waiting.pop()
                if way:
                    passed.discard(way.pop())
            elif cell[0] == self._vocabulary.nil:
                yield cell[2], cell[3]
            elif cell[0] not in passed:
                way.append(cell[0])
                passed.add(cell[0])
                waiting.append(visit(len(way) - 1, cell))

    def _member_visit(self, part: MemberPattern) -> CellVisit:
        """Cells have rdf:nil for where they have got to once the member was passed."""

        def visit(position: int, cell: Cell) -> Cells:
            place = self._vocabulary.terms.encode(Literal(str(position), XSD_INTEGER))
            for following, member, binding, premises in self._entries(cell):
                is_past = cell[1] == self._vocabulary.nil
                extended = None if is_past else part.entry.unify((place, member), binding)
                if extended is not None:
                    yield following, self._vocabulary.nil, extended, premises
                if is_past or following != self._vocabulary.nil:
                    yield following, cell[1], binding, premises

        return visit

    def _every_visit(self, part: EveryPattern) -> CellVisit:
        def visit(_: int, cell: Cell) -> Cells:
            for following, member, binding, premises in self._entries(cell):
                inner = {v: value for v, value in binding.items() if v not in part.local} | {part.member: member}
                for state in self._solutions(State(inner, part.atoms, (), premises)):
                    outer = {v: value for v, value in state.binding.items() if v not in part.local}
                    yield following, part.member, outer, state.premises

        return visit

    def _path_visit(self, part: PathPattern) -> CellVisit:
        def visit(position: int, cell: Cell) -> Cells:
            for following, member, binding, premises in self._entries(cell):
                is_last = following == self._vocabulary.nil
                target = part.end if is_last else Variable(f"step {position}")
                is_open = member == self._vocabulary.type and isinstance(target, Variable)
                pattern = Pattern(TRIPLE, (cell[1], member, target), is_open)
                for extended, found in self._match(pattern, binding, premises):
                    if isinstance(target, Variable) and not is_last:
                        without = {variable: extended[variable] for variable in extended if variable != target}
                        yield following, extended[target], without, found
                    else:
                        yield following, cell[1], extended, found

        return visit

    def _entries(self, cell: Cell) -> Iterator[tuple[int, int, Binding, Premises]]:
        """The ways on from a cell: the next cell, a member, the binding, and the premises with their triples."""
        for following, rest in self._objects(cell[0], self._vocabulary.rest):
            for member, first in self._objects(cell[0], self._vocabulary.first):
                yield following, member, cell[2], (rest, (first, cell[3]))

    def _objects(self, subject: int, predicate: int) -> Iterator[tuple[int, IdFact]]:
        for arguments in self._facts.matches(TRIPLE, (subject, predicate, None)):
            yield arguments[2], Fact(TRIPLE, arguments)
