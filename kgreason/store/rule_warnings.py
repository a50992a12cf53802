"""Warnings about rules.

A document may hold rules as triples: they are data, and do not run unless the store was given them as rules. A rule may
read a relation that no rule derives."""

from __future__ import annotations

import re
import warnings
from collections.abc import Container, Iterable, Mapping
from typing import Final, TypeAlias

import numpy as np

from kgreason.errors import RulesWarning, level_of_caller, nearest, suggestion
from kgreason.io.load_report import Loaded
from kgreason.io.quads import Quads
from kgreason.program.aggregation import aggregated_atoms
from kgreason.program.rules import FactAtom, Rule
from kgreason.program.safety import is_asserted, ordinary_atoms
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.store.current_state import CurrentState

_IMP: Final = "http://www.w3.org/2003/11/swrl#Imp"
_SHACL_RULE: Final = "http://www.w3.org/ns/shacl#rule"
_MOST: Final = 500_000
"""Of more triples, it is not looked which rules they hold."""
_ALIKE: Final = 0.8
"""The ratio of `difflib` for a name of five letters with two of them exchanged, or with another letter for one."""
_DIGITS: Final = re.compile(r"\d")

_Relation: TypeAlias = tuple[str, int]
"""The name of an auxiliary relation, and the number of its arguments."""


def warn_of_rules(loaded: Loaded, current: CurrentState) -> None:
    """Warn where there are SWRL or SHACL rules that are not among those of the store: two passes over the columns, and
    where there are rules, a translation of them up to the first that the store does not have."""
    quads = loaded.quads
    swrl, shacl = _counts(quads, current)
    if not swrl + shacl or _run(quads, loaded.prefixes, current):
        return
    kinds = " and ".join(f"{count} {name}" for count, name in ((swrl, "SWRL"), (shacl, "SHACL")) if count)
    files = loaded.report.files
    place = f"{files[0].source}: " if len(files) == 1 else ""
    text = f"{place}{kinds} rules were read as data and do not run (expected the file among the rules, too)"
    warnings.warn(RulesWarning(text), stacklevel=level_of_caller())


def _counts(quads: Quads, current: CurrentState) -> tuple[int, int]:
    type, imp, rule = map(current.dictionary.lookup_key, (RDF_TYPE, _IMP, _SHACL_RULE))
    swrl = 0 if imp is None or type is None else int(np.sum((quads.object == imp) & (quads.predicate == type)))
    return swrl, 0 if rule is None else int(np.sum(quads.predicate == rule))


def _run(quads: Quads, prefixes: Mapping[str, str], current: CurrentState) -> bool:
    """Whether the store has all these rules."""
    if len(quads) > _MOST:
        return False
    from kgreason.rule_translation.rule_files import holds_all
    from kgreason.rule_translation.rule_triples import RuleTriples

    document = RuleTriples(quads, current.dictionary, "data", dict(prefixes))
    return holds_all(current.state.program.counts, document)


def warn_of_unknown_relations(rules: Iterable[Rule]) -> None:
    """Warn of each auxiliary relation that bodies of a program name and none of its rules derives: O(atoms).

    A rule that needs it derives nothing, and one that denies it derives all that the rest of its body gives.
    """
    program = list(rules)
    derived = _derived(program)
    for relation, rule in _unknown(program, derived).items():
        _warn(relation, rule, nearest(_written(relation), sorted(map(_written, derived))))


def warn_of_misspelt_relations(added: Iterable[Rule], rules: Iterable[Rule]) -> None:
    """Warn of such relations in the bodies of added rules where one of all rules derives a relation of nearly the same
    name: O(added atoms), and O(rules) where these name a relation that they do not derive.

    Rules come in any order, so that those for a relation may come later: only a likely slip is a warning.
    """
    new = list(added)
    unknown = _unknown(new, _derived(new))
    if not unknown:
        return
    derived = _derived(rules)
    for relation, rule in unknown.items():
        near = _meant(relation, derived) if relation not in derived else None
        if near is not None:
            _warn(relation, rule, _written(near))


def _meant(relation: _Relation, derived: Iterable[_Relation]) -> _Relation | None:
    """The derived relation that a name is perhaps a slip for; names that differ in their numbers are of a series."""
    name, arity = relation
    digits = _DIGITS.findall(name)
    near = {other[0]: other for other in derived if _DIGITS.findall(other[0]) == digits}
    near |= {other[0]: other for other in near.values() if other[1] == arity}
    found = name if name in near else nearest(name, sorted(near), _ALIKE)
    return None if found is None else near[found]


def _warn(relation: _Relation, rule: Rule, near: str | None) -> None:
    text = f"{rule.position}: no rule derives {_written(relation)}, which the body of this rule names{suggestion(near)}"
    warnings.warn(RulesWarning(text), stacklevel=level_of_caller())


def _derived(rules: Iterable[Rule]) -> set[_Relation]:
    return {(atom.name, len(atom.arguments)) for rule in rules for atom in rule.heads if isinstance(atom, FactAtom)}


def _unknown(rules: Iterable[Rule], derived: Container[_Relation]) -> dict[_Relation, Rule]:
    """The auxiliary relations of bodies that are not derived, each with the first rule that names it; of rules alone
    that were read from their text, as those of other languages name relations of their own."""
    found: dict[_Relation, Rule] = {}
    for rule in (rule for rule in rules if rule.position is not None):
        for atom in (*ordinary_atoms(rule), *rule.negated, *aggregated_atoms(rule)):
            if isinstance(atom, FactAtom) and not is_asserted(atom):
                relation = atom.name, len(atom.arguments)
                if relation not in derived:
                    found.setdefault(relation, rule)
    return found


def _written(relation: _Relation) -> str:
    name, arity = relation
    return f"{name}/{arity}"
