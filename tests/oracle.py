"""The oracle: naive evaluation of rules over Python sets of term triples. Slow and simple on purpose.

Facts are tuples: ``("triple", s, p, o)`` or ``(name, argument, ...)`` of an auxiliary relation. Nothing of the
store is used but rules and terms as data; built-ins are those of `tests.function_definitions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.program.rules import Aggregate, Every, FactAtom, Member, Path, Program, Rule, TripleAtom
from kgreason.rdf.model import IRI, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST, RDF_TYPE, XSD_INTEGER
from tests import aggregate_definitions as aggregates
from tests.function_definitions import evaluate
from tests.operators import OperatorError, truth

TYPE, FIRST, REST, NIL = IRI(RDF_TYPE), IRI(RDF_FIRST), IRI(RDF_REST), IRI(RDF_NIL)
Triple = tuple[Term, Term, Term]
Binding = dict[Variable, Term]


class UndefinedError(Exception):
    """A fact depends on its own negation."""


def closure(program: Program, triples: Iterable[Triple]) -> set[Triple]:
    """All triples that are explicit or follow."""
    return {fact[1:] for fact in facts(program, triples) if fact[0] == "triple"}


def inconsistent(program: Program, triples: Iterable[Triple]) -> set[str]:
    """The names of the integrity conditions that are violated."""
    known = _Facts(facts(program, triples))
    return {rule.name for rule in program.rules if not rule.heads and any(_solutions(rule, known, known))}


def facts(program: Program, triples: Iterable[Triple]) -> set[tuple]:
    """All facts, those of auxiliary relations among them: the well-founded model, which has to be total.

    What follows when negation sees too little is too much, and the other way round: both ends move towards each
    other (alternating fixpoint, Van Gelder 1993) and meet in the model of a stratified program, at any strata.
    """
    rules = [rule for rule in program.rules if rule.heads]
    certain = _Facts(("triple", *triple) for triple in triples)
    asserted = set(certain)
    while True:
        possible = _least(rules, asserted, certain)
        follows = _least(rules, asserted, possible) if any(r.negated or r.aggregates for r in rules) else possible
        if follows == possible:
            break
        if follows == certain:
            raise UndefinedError
        certain = follows
    return set(possible)


def defective_lists(program: Program, triples: Iterable[Triple]) -> set[Term]:
    """The lists that axioms name and that are cut off or cyclic somewhere.

    An axiom names a list by an atom with the list and a relation that is no variable.
    """
    known = _Facts(facts(program, triples))
    found: set[Term] = set()
    for rule in chain.from_iterable(map(_bodies, program.rules)):
        for variable in {atom.list for atom in rule.body if isinstance(atom, Member | Every | Path)}:
            for atom in rule.body:
                if isinstance(atom, TripleAtom) and variable in atom.arguments and not _is_open(atom):
                    found |= {binding[variable] for binding in _match(atom, {}, known)}
    return {cell for cell in found if not _is_whole(known, cell, ())}


def _bodies(rule: Rule) -> Iterator[Rule]:
    """A rule, and the bodies of its aggregates as rules."""
    yield rule
    for aggregate in rule.aggregates:
        yield from _bodies(aggregate.deriving())


def _least(rules: list[Rule], asserted: set[tuple], denied: _Facts) -> _Facts:
    """What follows from facts, where a negated atom is true when nothing in `denied` matches it, and an aggregate is of
    what is in `denied`."""
    known = _Facts(asserted)
    while True:
        derived = set()
        for rule in rules:
            for binding in _solutions(rule, known, denied):
                derived |= {fact for head in rule.heads if (fact := _fact(head, binding)) is not None}
        if derived <= known:
            return known
        known = _Facts(known | derived)


class _Facts(set):
    """Facts with an index by relation name and predicate, to spare the tests some time."""

    def __init__(self, facts: Iterable[tuple]) -> None:
        super().__init__(facts)
        self.by_name: dict[object, list[tuple]] = {}
        for fact in self:
            self.by_name.setdefault(fact[0], []).append(fact)
            if fact[0] == "triple":
                self.by_name.setdefault(fact[2], []).append(fact)

    def candidates(self, atom: TripleAtom | FactAtom) -> list[tuple]:
        if isinstance(atom, FactAtom):
            return self.by_name.get(atom.name, [])
        return self.by_name.get("triple" if isinstance(atom.predicate, Variable) else atom.predicate, [])


def _fact(head: TripleAtom | FactAtom, binding: Binding) -> tuple | None:
    values = tuple(binding[a] if isinstance(a, Variable) else a for a in head.arguments)
    if isinstance(head, FactAtom):
        return (head.name, *values)
    subject, predicate, object_ = values
    if isinstance(subject, Literal | TripleTerm) or not isinstance(predicate, IRI):
        return None
    if predicate == TYPE and isinstance(object_, Literal | TripleTerm) and head.predicate != TYPE:
        return None
    if predicate == TYPE and isinstance(object_, Literal | TripleTerm) and isinstance(head.object, Variable):
        return None
    return ("triple", *values)


def _solutions(rule: Rule, facts: _Facts, denied: _Facts) -> Iterator[Binding]:
    bindings: list[Binding] = [{}]
    atoms = [atom for atom in rule.body if isinstance(atom, TripleAtom | FactAtom)]
    lists = [atom for atom in rule.body if not isinstance(atom, TripleAtom | FactAtom)]
    for atom in (*atoms, *lists):
        bindings = [extended for binding in bindings for extended in _match_any(rule, atom, binding, facts)]
    for aggregate in rule.aggregates:
        found = [*_groups(aggregate, denied)]
        bindings = [joined for binding in bindings for group in found for joined in _unify(group.items(), binding)]
    for binding in bindings:
        if _assign(rule, binding) and _accepted(rule, binding, denied):
            yield binding


def _groups(aggregate: Aggregate, facts: _Facts) -> Iterator[Binding]:
    """The values of each group of an aggregate, of which none is in error."""
    # What is counted is not local to an `every`.
    counted = {v for value in aggregate.values for v in (*value.distinct, value.argument) if v is not None}
    inner = aggregate.deriving(FactAtom("group", (*aggregate.group, *counted)))
    for group in aggregates.groups(_solutions(inner, facts, facts), aggregate.group):
        found = {variable: group[0][variable] for variable in aggregate.group}
        try:
            found |= {value.variable: aggregates.value(value, group) for value in aggregate.values}
        except OperatorError:
            continue
        yield found


def _is_open(atom: TripleAtom) -> bool:
    return isinstance(atom.predicate, Variable) or (atom.predicate == TYPE and isinstance(atom.object, Variable))


def _is_whole(facts: _Facts, cell: Term, path: tuple[Term, ...]) -> bool:
    """Whether every way from a cell leads to rdf:nil, past cells with members, none of them twice."""
    if cell == NIL:
        return True
    following = _objects(facts, REST, cell)
    if cell in path or not following or not _objects(facts, FIRST, cell):
        return False
    return all(_is_whole(facts, rest, (*path, cell)) for rest in following)


def _assign(rule: Rule, binding: Binding) -> bool:
    waiting = list(rule.assignments)
    while waiting:
        ready = [a for a in waiting if _inputs(a.expression) <= binding.keys()]
        for assignment in ready:
            waiting.remove(assignment)
            try:
                value = _evaluate(assignment.expression, binding)
            except OperatorError:
                return False
            if binding.setdefault(assignment.variable, value) != value:
                return False
    return True


def _accepted(rule: Rule, binding: Binding, denied: _Facts) -> bool:
    for expression in rule.filters:
        try:
            if not truth(_evaluate(expression, binding)):
                return False
        except OperatorError:
            return False
    return not any(any(_match(atom, binding, denied)) for atom in rule.negated)


def _inputs(expression: object) -> set[Variable]:
    if isinstance(expression, Call):
        return {v for argument in expression.arguments for v in _inputs(argument)}
    return {expression} if isinstance(expression, Variable) else set()


def _evaluate(expression: object, binding: Binding) -> Term:
    if isinstance(expression, Variable):
        return binding[expression]
    if isinstance(expression, Call):
        arguments = [partial(_evaluate, argument, binding) for argument in expression.arguments]
        return evaluate(expression.function, arguments)
    return expression


def _match_any(rule: Rule, atom: object, binding: Binding, facts: _Facts) -> Iterator[Binding]:
    match atom:
        case TripleAtom() | FactAtom():
            yield from _match(atom, binding, facts)
        case Member(list_, index, member):
            for sequence in _sequences(facts, binding[list_]):
                for position, value in enumerate(sequence):
                    place = Literal(str(position), XSD_INTEGER)
                    yield from _unify(((index, place), (member, value)), binding)
        case Path(start, list_, end):
            for sequence in _sequences(facts, binding[list_]):
                nodes = [start, *(Variable(f"\x00{i}") for i in range(1, len(sequence))), end]
                atoms = [TripleAtom(nodes[i], p, nodes[i + 1]) for i, p in enumerate(sequence)]
                yield from _match_all(atoms, binding, facts) if sequence else iter(())
        case Every(member, list_, atoms):
            local = {a for inner in atoms for a in inner.arguments if isinstance(a, Variable)} - _elsewhere(rule, atom)
            for sequence in _sequences(facts, binding[list_]):
                yield from _match_every(sequence, member, local, atoms, binding, facts)


def _match_every(sequence, member, local, atoms, binding, facts):
    bindings = [binding] if sequence else []
    for value in sequence:
        following = []
        for current in bindings:
            start = {v: t for v, t in current.items() if v not in local and v != member} | {member: value}
            for found in _match_all(atoms, start, facts):
                following.append({v: t for v, t in found.items() if v not in local and v != member})
        bindings = following
    yield from bindings


def _elsewhere(rule: Rule, every: Every) -> set[Variable]:
    found: set[Variable] = {every.list}
    for atom in (*rule.heads, *rule.negated, *rule.body):
        if atom is every:
            continue
        if isinstance(atom, Every):
            parts = [atom.list, *(a for inner in atom.atoms for a in inner.arguments)]
        elif isinstance(atom, Member):
            parts = [atom.list, atom.index, atom.member]
        elif isinstance(atom, Path):
            parts = [atom.start, atom.list, atom.end]
        else:
            parts = list(atom.arguments)
        found |= {part for part in parts if isinstance(part, Variable)}
    for expression in (*rule.filters, *(a.expression for a in rule.assignments)):
        found |= _inputs(expression)
    return found


def _match_all(atoms, binding: Binding, facts: _Facts) -> Iterator[Binding]:
    if not atoms:
        yield binding
        return
    for found in _match(atoms[0], binding, facts):
        yield from _match_all(atoms[1:], found, facts)


def _match(atom: TripleAtom | FactAtom, binding: Binding, facts: _Facts) -> Iterator[Binding]:
    for fact in facts.candidates(atom):
        if len(fact) != len(atom.arguments) + 1:
            continue
        if isinstance(atom, TripleAtom) and _hidden(atom, fact):
            continue
        yield from _unify(zip(atom.arguments, fact[1:], strict=True), binding)


def _hidden(atom: TripleAtom, fact: tuple) -> bool:
    """A class is a resource: variables do not see a literal in its place, nor do open predicates."""
    if fact[2] != TYPE or not isinstance(fact[3], Literal | TripleTerm):
        return False
    return isinstance(atom.predicate, Variable) or isinstance(atom.object, Variable)


def _unify(pairs, binding: Binding) -> Iterator[Binding]:
    extended = dict(binding)
    for argument, value in pairs:
        if isinstance(argument, Variable):
            if extended.setdefault(argument, value) != value:
                return
        elif argument != value:
            return
    yield extended


def _sequences(facts: _Facts, cell: Term, path: tuple[Term, ...] = ()) -> Iterator[tuple[Term, ...]]:
    """The members along every way from a cell to rdf:nil."""
    if cell == NIL:
        yield ()
    elif cell not in path:
        for rest in _objects(facts, REST, cell):
            for tail in _sequences(facts, rest, (*path, cell)):
                yield from ((member, *tail) for member in _objects(facts, FIRST, cell))


def _objects(facts: _Facts, predicate: Term, subject: Term) -> list[Term]:
    return [fact[3] for fact in facts.by_name.get(predicate, []) if fact[1] == subject]


__all__ = ["Triple", "UndefinedError", "closure", "defective_lists", "facts", "inconsistent"]
