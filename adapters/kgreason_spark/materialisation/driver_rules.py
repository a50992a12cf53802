"""The rules of a program as the driver's engine has them, and its specialised ones as the cluster evaluates them.

Rules with negation are the cluster's altogether, since the driver does not see all that they deny: the engine gets them
with one more body atom, of a relation without facts. So it does grouping rules, which the cluster has evaluated when
what they group is complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from kgreason.engine.rules.groups import RuleGroup as Specialised
from kgreason.errors import RuleError
from kgreason.program.aggregation import expanded
from kgreason.program.rules import FactAtom, Program, Rule
from kgreason.program.safety import asserted_atoms
from kgreason.rdf.model import IRI
from kgreason_spark.materialisation.parameter_frames import RuleGroup

ELSEWHERE: Final = FactAtom("evaluated by Spark", (IRI("urn:x-kgreason:anything"),))
"""An atom that has no facts."""


def deriving_rules(program: Program) -> list[Rule]:
    """The rules that derive something, with those that stand for their aggregates; numbers of rules are those of the
    order here."""
    return [part for rule in program.rules if rule.heads for part in expanded(rule)]


def refuse_asserted(program: Program) -> None:
    """Raise RuleError for rules about asserted triples alone, which the cluster does not tell from the others."""
    for rule in program.rules:
        if any(asserted_atoms(rule)):
            reason = f"rule {rule.name!r} looks at asserted triples alone (DATA in a body): Spark does not"
            raise RuleError(reason, rule.position, expected="the rule in a store")


def beside_cluster(rule: Rule) -> Rule:
    """A rule for an engine that does not have all facts: one that the cluster alone evaluates comes to nothing here."""
    return replace(rule, body=(*rule.body, ELSEWHERE)) if rule.negated or rule.aggregates else rule


def cluster_group(number: int, group: Specialised, elsewhere: int) -> RuleGroup:
    """The rules of a group of the engine without the atom `ELSEWHERE`, whose relation has the code `elsewhere`."""
    template, parameters = group.template, group.parameters
    body = tuple(atom for atom in template.body if not (parameters[:, atom.relation] == elsewhere).all())
    if len(body) < len(template.body):
        template = replace(template, body=body)
    return RuleGroup(number, group.name, template, parameters, group.guard)


def sources_of(code: int, groups: Iterable[Specialised]) -> Iterator[int]:
    """The body relations of the rules that derive a relation: O(rules)."""
    for group in groups:
        if group.template.head is not None and len(group.rows):
            rows = group.parameters[group.parameters[:, group.template.head.relation] == code]
            for atom in group.template.body if len(rows) else ():
                yield from np.unique(rows[:, atom.relation]).tolist()
