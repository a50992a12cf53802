"""Rules without specialisation, for schemas that do not fit the driver: what data name is an argument, not a relation.

A rule whose schema atoms would be evaluated first (`kgreason.program.specialisation`) becomes a plain rule over one
more relation, `TRIPLE`, which has a fact for every triple:

    [?x, a, ?c] :- [?p, rdfs:domain, ?c], [?x, ?p, ?y]
    triple(?x, rdf:type, ?c) :- [?p, rdfs:domain, ?c], triple(?x, ?p, ?y)

List atoms become relations that are derived along rdf:rest, from the cells of the lists that rules ask for:

    every(?m, ?l, [?y, a, ?m])
    all(?l, ?y) :- rdf:first(?l, ?m), triple(?y, rdf:type, ?m), rdf:rest(?l, rdf:nil)
    all(?l, ?y) :- rdf:first(?l, ?m), triple(?y, rdf:type, ?m), rdf:rest(?l, ?r), all(?r, ?y)

Such a program derives the same, by joins with all triples in place of joins with the few that a rule is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Final

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.program.list_rules import demands, list_variables, local_variables
from kgreason.program.parser import parse_program
from kgreason.program.rule_variables import TYPE, any_variables, relation_variables, substitute
from kgreason.program.rules import Argument, Atom, BodyAtom, Every, FactAtom, Member, Path, Rule, TripleAtom
from kgreason.program.specialisation import templates
from kgreason.rdf.model import IRI, Term
from kgreason.rdf.vocabulary import RDF

TRIPLE: Final = "kgreason-triple"
"""The relation of all triples: subject, predicate, object."""
BACK: Final = "kgreason-list-leads-back"
"""A fact of this relation is a cell from which one way leads to rdf:nil and another one back to the cell: which ways
pass no cell twice, joins do not tell."""

LATE_CLASS: Final = "kgreason-late-class"
LATE_PROPERTY: Final = "kgreason-late-property"
"""The classes and properties that may still get facts: what rules deny of them is not known yet. Rules that deny what
data name deny these, too."""
ALONG: Final = "along a list: "
"""How the names of relations begin that are derived along lists, whose first argument is the list."""

_ASKED: Final = "kgreason-list"
CELL: Final = "kgreason-list-cell"
"""The cells of the lists that rules ask for, rdf:nil among them, and those from which a way leads there."""
WHOLE: Final = "kgreason-list-whole"
_ITEM: Final = "kgreason-list-item"
_HERE, _AFTER = Variable("cell"), Variable("cell after it")
_FIRST, _REST, _NIL = (IRI(RDF + name) for name in ("first", "rest", "nil"))

_LISTS: Final = f"""
@prefix rdf: <{RDF}> .
{CELL}(?l) :- {_ASKED}(?l) .
{CELL}(?d) :- {CELL}(?c), rdf:rest(?c, ?d) .
{WHOLE}(?c) :- {CELL}(?c), rdf:first(?c, ?x), rdf:rest(?c, rdf:nil) .
{WHOLE}(?c) :- {CELL}(?c), rdf:first(?c, ?x), rdf:rest(?c, ?d), {WHOLE}(?d) .
kgreason-list-fork(?c, ?d) :- {CELL}(?c), rdf:rest(?c, ?d), rdf:rest(?c, ?e), ?d != ?e, {WHOLE}(?d) .
kgreason-list-fork(?c, ?e) :- kgreason-list-fork(?c, ?d), rdf:rest(?d, ?e), {WHOLE}(?e) .
{BACK}(?c) :- kgreason-list-fork(?c, ?c) .
"""
"""Of the lists that rules ask for: the cells, and those from which a way past cells with members leads to rdf:nil."""

_ITEMS: Final = f"""
@prefix rdf: <{RDF}> .
kgreason-list-place(?l, 0, ?l) :- {_ASKED}(?l), {WHOLE}(?l) .
kgreason-list-place(?l, ?j, ?d) :-
    kgreason-list-place(?l, ?i, ?c), rdf:rest(?c, ?d), {WHOLE}(?d), ?j = ?i + 1 .
{_ITEM}(?l, ?i, ?x) :- kgreason-list-place(?l, ?i, ?c), rdf:first(?c, ?x) .
"""
"""The places of such cells in a list, and the members there."""


def is_specialised(rule: Rule) -> bool:
    """Whether the driver evaluates a part of a rule first: its guard, or a list."""
    return bool(list_variables(rule)) or any(template.guard for template in templates(rule))


def unspecialised(rule: Rule) -> Iterator[Rule]:
    """The plain rules that stand for a rule, which has no aggregates but those of a grouping rule."""
    body: list[BodyAtom] = []
    if list_variables(rule):
        yield from _rules_of(_LISTS)
    for demand in demands(rule):
        yield replace(demand, heads=(FactAtom(_ASKED, demand.heads[0].arguments),))
    for atom in rule.body:
        match atom:
            case TripleAtom() | FactAtom():
                body.append(_with_triple(atom))
            case Member(list_, index, member):
                body.append(FactAtom(_ITEM, (list_, index, member)))
                yield from _rules_of(_ITEMS)
            case Every():
                fact, found = _every(rule, atom)
                body.append(fact)
                yield from found
            case Path():
                fact, found = _path(rule, atom)
                body.append(fact)
                yield from found
    heads, negated = (tuple(map(_with_triple, atoms)) for atoms in (rule.heads, rule.negated))
    yield from _with_late(replace(rule, heads=heads, body=tuple(body), negated=negated), rule.negated)


def _with_late(rule: Rule, denied: Sequence[Atom]) -> Iterator[Rule]:
    """A rule that also denies that what it denies may still get facts: one for classes and one for properties where
    data may name either."""
    named = [(variable, atom) for atom in denied for variable in relation_variables(atom)]
    predicates = dict.fromkeys(variable for variable, atom in named if atom.arguments[1] == variable)
    for kinds in product((True, False), repeat=len(predicates)):
        typed = {predicate: TYPE for predicate, is_type in zip(predicates, kinds, strict=True) if is_type}
        others = [predicate for predicate in predicates if predicate not in typed]
        late = [FactAtom(LATE_CLASS, (atom.arguments[2],)) for _, atom in named if atom.arguments[1] not in others]
        late += [FactAtom(LATE_PROPERTY, (predicate,)) for predicate in others]
        apart: list[Call[Variable | Term]] = [Call("!=", (predicate, TYPE)) for predicate in others]
        yield substitute(replace(rule, negated=(*rule.negated, *late), filters=(*rule.filters, *apart)), typed)


@cache
def _rules_of(text: str) -> tuple[Rule, ...]:
    return parse_program(text).rules


def _with_triple(atom: Atom) -> Atom:
    """An atom with a constant relation."""
    return FactAtom(TRIPLE, atom.arguments) if relation_variables(atom) else atom


def _every(rule: Rule, every: Every) -> tuple[FactAtom, list[Rule]]:
    """What an `every` says as a fact, and the rules for the relation, which is named after it: rules share it."""
    local = local_variables(rule, every)
    named = dict.fromkeys(variable for atom in every.atoms for variable in any_variables(atom))
    outer = tuple(variable for variable in named if variable not in local and variable != every.member)
    atoms = tuple(map(_with_triple, every.atoms))
    fact = FactAtom(f"{ALONG}{every} for {' '.join(map(str, outer))}", (every.list, *outer))
    return fact, _along(rule, fact.name, every.member, outer, (atoms, (*atoms, FactAtom(fact.name, (_AFTER, *outer)))))


def _path(rule: Rule, path: Path) -> tuple[FactAtom, list[Rule]]:
    """The same for a `path`."""
    start, middle, end, step = (Variable(f"path {name}") for name in ("start", "middle", "end", "step"))
    fact = FactAtom(f"{ALONG}path", (path.list, path.start, path.end))
    last = FactAtom(TRIPLE, (start, step, end))
    more = FactAtom(TRIPLE, (start, step, middle)), FactAtom(fact.name, (_AFTER, middle, end))
    return fact, _along(rule, fact.name, step, (start, end), ((last,), more))


def _along(
    rule: Rule, name: str, member: Variable, others: tuple[Argument, ...], atoms: tuple[tuple[Atom, ...], ...]
) -> list[Rule]:
    """Two rules for a relation of cells and other arguments, with atoms each: for a last cell, and for one before the
    cell _AFTER; `member` is that of the cell."""
    head = FactAtom(name, (_HERE, *others))
    begin = (FactAtom(CELL, (_HERE,)), TripleAtom(_HERE, _FIRST, member))
    ends = (TripleAtom(_HERE, _REST, _NIL), TripleAtom(_HERE, _REST, _AFTER))
    bodies = [(*begin, end, *more) for end, more in zip(ends, atoms, strict=True)]
    return [Rule((head,), body, name=rule.name, position=rule.position) for body in bodies]
