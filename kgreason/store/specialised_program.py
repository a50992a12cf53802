"""The rules of a program with what they became in the engine, as a value, and edits of such a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from kgreason.algebra.expressions.tree import Variable
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.program.aggregation import expanded, main_rule
from kgreason.program.list_rules import demands, list_variables, unfold
from kgreason.program.negation import projected
from kgreason.program.rules import Program, Rule, TripleAtom
from kgreason.program.specialisation import Template
from kgreason.store.compiler import RelationCodes

PlainRule: TypeAlias = tuple[str, RuleTemplate, tuple[int, ...]]
"""Name, template and parameters of a rule that needs no specialisation."""


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """The specialised rules of a rule of the program: plain rules, and groups by their numbers; `known` are the
    unfolded and typed rules that were seen to already."""

    plain: tuple[PlainRule, ...] = ()
    groups: tuple[int, ...] = ()
    known: frozenset[Rule] = frozenset()


@dataclass(frozen=True, slots=True)
class SpecialisedProgram:
    """The rules of a program, and what they became in the engine.

    Args:
        counts: how often each rule was added.
        plain: how many rules became a plain rule.
        owners: the rule that became a group, by the group's number, and by way of which template.
        guards: how many guard relations there ever were.
        auxiliaries: the codes of auxiliary relations, by name and arity.
    """

    counts: Mapping[Rule, int] = field(default_factory=dict)
    plain: Mapping[PlainRule, int] = field(default_factory=dict)
    records: Mapping[Rule, RuleRecord] = field(default_factory=dict)
    owners: Mapping[int, tuple[Rule, Template]] = field(default_factory=dict)
    guards: int = 0
    auxiliaries: Mapping[tuple[str, int], int] = field(default_factory=dict)

    @property
    def rules(self) -> Program:
        """The rules of the program, each once."""
        return Program(tuple(self.counts))

    def list_atoms(self) -> list[tuple[TripleAtom, Variable]]:
        """The atoms by which rules name lists, each with its variable for the list: O(rules)."""
        found: dict[tuple[TripleAtom, Variable], None] = {}
        for demand in (demand for rule in self.counts for part in expanded(rule) for demand in demands(part)):
                variable, atom = demand.heads[0].arguments[0], demand.body[0]
                assert isinstance(variable, Variable)
                assert isinstance(atom, TripleAtom)
                found[atom, variable] = None
        return list(found)

    def plain_owners(self) -> dict[tuple[str, RuleTemplate, int], Rule]:
        """The rule of the program that became a plain one, by its name, template and head: O(rules)."""
        found: dict[tuple[str, RuleTemplate, int], Rule] = {}
        for rule, record in self.records.items():
            for name, template, parameters in record.plain:
                if template.head is not None:
                    found.setdefault((name, template, parameters[template.head.relation]), rule)
        return found

    def constraints(self, sequences: Iterable[int]) -> Iterator[Rule]:
        """The integrity conditions, unfolded for lists of some lengths."""
        for rule in self.counts:
            if not rule.heads:
                yield from self.unfolded(main_rule(rule), sequences)

    @staticmethod
    def unfolded(rule: Rule, sequences: Iterable[int]) -> Iterator[Rule]:
        """A rule without aggregates, unfolded for lists of some lengths."""
        return (projected(unfolded)[0] for unfolded in unfolded_rules(rule, sorted(sequences)))

    def relations(self, dictionary: Dictionary) -> RelationCodes:
        """The codes of relations, for what reads: names that are new to it get codes of their own there alone."""
        return RelationCodes(dictionary, dict(self.auxiliaries))

    def auxiliary(self, name: str, arity: int) -> int | None:
        """The code of an auxiliary relation, None for one that no rule mentions."""
        return self.auxiliaries.get((name, arity))


@dataclass(frozen=True, slots=True)
class RuleEdit:
    """Rules that are added to a program, and rules that are taken away from it, as often as they are given."""

    added: tuple[Rule, ...] = ()
    removed: tuple[Rule, ...] = ()

    @classmethod
    def between(cls, before: Mapping[Rule, int], after: Mapping[Rule, int]) -> RuleEdit:
        """The edit that leads from some counts of rules to others."""
        more, less = Counter(after) - Counter(before), Counter(before) - Counter(after)
        return cls(tuple(more.elements()), tuple(less.elements()))

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


def unfolded_rules(rule: Rule, lengths: Iterable[int]) -> Iterator[Rule]:
    """A rule for each choice of the lengths of its lists."""
    names = [variable for variable, sequences in list_variables(rule).items() if sequences]
    for some in product(lengths, repeat=len(names)):
        yield unfold(rule, dict(zip(names, some, strict=True)))
