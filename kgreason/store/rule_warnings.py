"""Warnings of rules: those that a document holds as triples, which are data and do not run unless the store was given
them as rules; and relations for which there is no rule."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from kgreason.errors import RuleError, RulesWarning, level_of_caller, nearest
from kgreason.io.load_report import Loaded
from kgreason.io.quads import Quads
from kgreason.program.aggregation import aggregated_atoms
from kgreason.program.rules import Atom, FactAtom, Rule
from kgreason.program.safety import is_asserted, ordinary_atoms
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.store.current_state import CurrentState

_IMP: Final = "http://www.w3.org/2003/11/swrl#Imp"
_SHACL_RULE: Final = "http://www.w3.org/ns/shacl#rule"
_MOST: Final = 500_000
"""Of more triples, it is not looked which rules they hold."""


def warn_of_rules(loaded: Loaded, current: CurrentState) -> None:
    """Warn where there are SWRL or SHACL rules that are not among those of the store: two passes over the columns, and
    where there are rules, a translation of them."""
    quads = loaded.quads
    swrl, shacl = _counts(quads, current)
    if not swrl + shacl or _run(quads, current):
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


def _run(quads: Quads, current: CurrentState) -> bool:
    """Whether the store has all these rules."""
    if len(quads) > _MOST:
        return False
    known = current.state.program.counts
    try:
        return all(rule in known for rule in _translated(quads, current))
    except RuleError:
        return False


def _translated(quads: Quads, current: CurrentState) -> Sequence[Rule]:
    from kgreason.rule_translation.rule_files import program_of
    from kgreason.rule_translation.rule_graph import RuleGraph

    decode = current.dictionary.decode
    columns = (quads.subject.tolist(), quads.predicate.tolist(), quads.object.tolist())
    triples = ((decode(s), decode(p), decode(o)) for s, p, o in zip(*columns, strict=True))
    return program_of(RuleGraph(triples, "data")).rules


def warn_of_unknown_relations(added: Iterable[Rule], rules: Iterable[Rule]) -> None:
    """Warn of each auxiliary relation that the bodies of added rules name, and that none of all rules derives: O(atoms
    of the rules).

    A rule that needs it derives nothing, and one that denies it derives all that the rest of its body gives: the name
    is a slip, or the rules for it come later.
    """
    derived = {relation for rule in rules for relation in _relations(rule.heads)}
    found: dict[tuple[str, int], Rule] = {}
    for rule in added:
        atoms = [*ordinary_atoms(rule), *rule.negated, *aggregated_atoms(rule)]
        for relation in _relations(atoms):
            if relation not in derived:
                found.setdefault(relation, rule)
    names = sorted(f"{name}/{arity}" for name, arity in derived)
    for (name, arity), rule in found.items():
        near = nearest(f"{name}/{arity}", names)
        meant = f"; did you mean {near}?" if near else ""
        place = "" if rule.position is None else f"{rule.position}: "
        text = f"{place}no rule derives {name}/{arity}, which the body of this rule names{meant}"
        warnings.warn(RulesWarning(text), stacklevel=level_of_caller())


def _relations(atoms: Iterable[Atom]) -> Iterator[tuple[str, int]]:
    """Auxiliary relations of atoms, by name and number of arguments."""
    for atom in atoms:
        if isinstance(atom, FactAtom) and not is_asserted(atom):
            yield atom.name, len(atom.arguments)
