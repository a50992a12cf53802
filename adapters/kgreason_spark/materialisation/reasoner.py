"""The driver's part: schema and closures, reasoned over by the engine of every store, and the rules for the cluster.

Some relations *reside* on the driver: those that guards and lists are made of, and those that schemes keep as
closures. The engine holds all facts of them, and everything that follows from them alone. Whatever rules join them
with other relations is the cluster's work; what it derives of resident relations comes back here.

Rules with negation are the cluster's altogether, since the driver does not see all that they deny: they get one
more body atom here, of a relation without facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from kgreason.datalog.model import FactAtom, Program, Rule
from kgreason.datalog.stratification import check_stratification
from kgreason.engine.engine import Engine
from kgreason.engine.facts import Changes
from kgreason.engine.modules.list_cells import Break
from kgreason.engine.rules.families import Family
from kgreason.engine.strata.choice import Choice
from kgreason.engine.strata.strata import Strata
from kgreason.engine.strategy import Strategy
from kgreason.knowledge.defective_lists import Describer
from kgreason.knowledge.operations import Operations
from kgreason.knowledge.specialiser import Specialiser
from kgreason.schemes.catalogue import AUTO, SYMMETRIC, UNION, Definition
from kgreason.schemes.closures import standard_catalogue
from kgreason.schemes.relations import AUXILIARY, CLASS, identifier_of, kind_of, property_code, table_of
from kgreason.schemes.scheme import Columns, Table
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.model import IRI
from kgreason.terms.vocabulary import RDF_TYPE
from kgreason_spark.materialisation.groups import RuleGroup

_ELSEWHERE: Final = FactAtom("evaluated by Spark", (IRI("urn:x-kgreason:anything"),))


@dataclass(slots=True)
class Reasoner:
    """An engine over the resident relations."""

    program: Program
    dictionary: Dictionary = field(default_factory=Dictionary)
    engine: Engine = field(init=False)
    _specialiser: Specialiser = field(init=False)
    _choice: Choice = field(init=False)
    _hidden: int = field(init=False)
    _elsewhere: int = field(init=False)

    def __post_init__(self) -> None:
        check_stratification(self.program)
        self._hidden = property_code(self.dictionary.encode(IRI(RDF_TYPE)))
        self._choice = Choice(standard_catalogue(AUTO), Strategy(skip_repeating=False))
        self.engine = Engine(Operations(self.dictionary), hidden=self._hidden, choice=self._choice)
        self._specialiser = Specialiser(self.engine, self.dictionary)
        self._elsewhere = self._specialiser.relations.auxiliary(_ELSEWHERE.name, 1)
        self._specialiser.add(_moved(rule) if rule.negated else rule for rule in self.program.rules if rule.heads)

    def begin(self) -> dict[int, Table]:
        """What follows from the rules alone, by the driver's codes: to be called once, before anything is added."""
        return dict(self.engine.apply(Changes(), self._specialiser).added)

    def add(self, facts: Mapping[int, Columns]) -> dict[int, Table]:
        """Take facts in, by the driver's codes and ids; what is new of any relation.

        A list of which only a part is known yet says nothing, and what it says when it is whole comes with the rest.
        """
        changes = Changes()
        for code, columns in facts.items():
            table = table_of(columns)
            known = self.engine.explicit.get(code)
            if known is not None:
                table = table.difference(known)
            if table:
                changes.replace(code, table, None)
        if not changes.added:
            return {}
        net = self.engine.apply(changes, self._specialiser)
        assert not any(net.removed.values()), "a rule without negation took a fact back"
        return {code: table for code, table in net.added.items() if table}

    def breaks(self) -> list[Break]:
        """Where lists are cut off or cyclic, as far as facts are known; `describer` puts that into words."""
        return self._specialiser.lists.breaks(self.engine.facts.get)

    def describer(self) -> Describer:
        """Names lists by their terms, and those of their axioms that are known here."""
        return Describer(self.engine, self._specialiser, self.dictionary)

    def table(self, code: int) -> Table | None:
        """All facts of a resident relation, None when there are none."""
        return self.engine.facts.get(code)

    def name(self, code: int) -> str:
        """The IRI of a class or property, or what rules call an auxiliary relation."""
        if kind_of(code) != AUXILIARY:
            return self.dictionary.key(identifier_of(code))
        return next(name for (name, _), known in self._specialiser.relations.auxiliaries.items() if known == code)

    def arity(self, code: int) -> int:
        """The arity of a relation."""
        if kind_of(code) != AUXILIARY:
            return 1 if kind_of(code) == CLASS else 2
        return next(arity for (_, arity), known in self._specialiser.relations.auxiliaries.items() if known == code)

    def width(self) -> int:
        """The most arguments that a fact on the cluster can have: of the heads that there are now, which new
        lengths of lists do not add to."""
        heads = [family.shape.head for family in self.engine.families if family.shape.head is not None]
        return max([2, *(len(head.arguments) for head in heads)])

    # -- the plan of the work -----------------------------------------------------------------------------------

    def residents(self, possible: Iterable[int], movable: Mapping[int, int], limit: int) -> set[int]:
        """The relations to be kept on the driver.

        Args:
            possible: the relations with facts, here or on the cluster.
            movable: how many facts the cluster has of a relation.
            limit: a relation with more facts stays on the cluster, if it only helps to derive schema facts.
        """
        dependencies = list(self.engine.lists.dependencies()) if self.engine.lists is not None else []
        strata = Strata(self.engine.families, {*possible, *self.engine.facts}, dependencies, self._hidden, self._choice)
        found = {link.source for link in dependencies} | {link.target for link in dependencies}
        found |= {family.guard for family in self.engine.families if family.guard is not None}
        waiting = list(found)
        while waiting:
            for source in self._sources_of(waiting.pop()):
                if source not in found and movable.get(source, 0) <= limit:
                    found.add(source)
                    if kind_of(source) == AUXILIARY:
                        waiting.append(source)
        return found | _closed(strata.definitions())

    def groups(self) -> list[RuleGroup]:
        """All rules with heads, as they are now."""
        return [
            self._group(number, family)
            for number, family in enumerate(self.engine.families)
            if family.shape.head is not None and len(family.rows)
        ]

    def _group(self, number: int, family: Family) -> RuleGroup:
        """The rules of a family, without the atom that keeps rules from the engine."""
        shape, parameters = family.shape, family.parameters
        body = tuple(atom for atom in shape.body if not (parameters[:, atom.relation] == self._elsewhere).all())
        if len(body) < len(shape.body):
            shape = replace(shape, body=body)
        return RuleGroup(number, family.name, shape, parameters, family.guard)

    def _sources_of(self, code: int) -> Iterable[int]:
        """The body relations of the rules that derive a relation."""
        for family in self.engine.families:
            if family.shape.head is not None and len(family.rows):
                rows = family.parameters[family.parameters[:, family.shape.head.relation] == code]
                for atom in family.shape.body if len(rows) else ():
                    yield from np.unique(rows[:, atom.relation]).tolist()


def _moved(rule: Rule) -> Rule:
    return replace(rule, body=(*rule.body, _ELSEWHERE))


def _closed(definitions: Mapping[int, Definition]) -> set[int]:
    """The relations that are closures, or include one, with all that they are made of."""
    found: set[int] = set()
    distinct: Sequence[Definition] = list(dict.fromkeys(definitions.values()))
    while True:
        before = len(found)
        for definition in distinct:
            members = {member.code for member in definition.members}
            reads = {source.code for source in definition.reads}
            if definition.closure not in (UNION, SYMMETRIC) or (members | reads) & found:
                found |= members | reads
        if len(found) == before:
            return found
