"""The oracle: naive evaluation of rules over Python sets of term triples. Slow and simple on purpose.

Facts are tuples: ``("triple", s, p, o)`` or ``(name, argument, ...)`` of an auxiliary relation. Nothing of the
engine is used but the rules as data and the built-in functions on terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from kgreason.datalog.model import Call, Every, FactAtom, Member, Path, Program, Rule, TripleAtom, Variable
from kgreason.errors import FunctionError
from kgreason.terms.functions import evaluate, holds
from kgreason.terms.model import IRI, BlankNode, Literal, Term
from kgreason.terms.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST, RDF_TYPE, XSD_INTEGER

TYPE, FIRST, REST, NIL = IRI(RDF_TYPE), IRI(RDF_FIRST), IRI(RDF_REST), IRI(RDF_NIL)
Triple = tuple[Term, Term, Term]
Binding = dict[Variable, Term]


class BrokenListError(Exception):
    """A list that a rule asks for is cut off or cyclic."""


class UnknownStrataError(Exception):
    """Negation together with heads of any relation: the oracle cannot tell the strata."""


def closure(program: Program, triples: Iterable[Triple]) -> set[Triple]:
    """All triples that are explicit or follow."""
    return {fact[1:] for fact in _fixpoint(program, triples) if fact[0] == "triple"}  # type: ignore[misc]


def inconsistent(program: Program, triples: Iterable[Triple]) -> set[str]:
    """The names of the integrity conditions that are violated."""
    facts = _Facts(_fixpoint(program, triples))
    return {rule.name for rule in program.rules if not rule.heads and any(_solutions(rule, facts))}


def _fixpoint(program: Program, triples: Iterable[Triple]) -> set[tuple]:
    known = {("triple", *triple) for triple in triples}
    for stratum in _strata([rule for rule in program.rules if rule.heads]):
        while True:
            facts = _Facts(known)
            derived = set()
            for rule in stratum:
                for binding in _solutions(rule, facts):
                    derived |= {fact for head in rule.heads if (fact := _fact(head, binding)) is not None}
            if derived <= known:
                break
            known = known | derived
    for rule in program.rules:
        for _ in _solutions(rule, _Facts(known), strict=True):
            pass
    return known


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
    if isinstance(subject, Literal) or not isinstance(predicate, IRI):
        return None
    if predicate == TYPE and isinstance(object_, Literal) and head.predicate != TYPE:
        return None
    if predicate == TYPE and isinstance(object_, Literal) and isinstance(head.object, Variable):
        return None
    return ("triple", *values)


def _solutions(rule: Rule, facts: _Facts, strict: bool = False) -> Iterator[Binding]:
    bindings: list[Binding] = [{}]
    lists = [atom for atom in rule.body if not isinstance(atom, TripleAtom | FactAtom)]
    for atom in (*(a for a in rule.body if isinstance(a, TripleAtom | FactAtom)), *lists):
        if strict and atom in lists:
            for binding in bindings:
                list(_sequences(facts, binding[atom.list], strict=True))
        bindings = [extended for binding in bindings for extended in _match_any(rule, atom, binding, facts)]
    if strict:
        return
    for binding in bindings:
        if _assign(rule, binding) and _accepted(rule, binding, facts):
            yield binding


def _assign(rule: Rule, binding: Binding) -> bool:
    waiting = list(rule.assignments)
    while waiting:
        ready = [a for a in waiting if _inputs(a.expression) <= binding.keys()]
        for assignment in ready:
            waiting.remove(assignment)
            try:
                value = _evaluate(assignment.expression, binding)
            except FunctionError:
                return False
            if binding.setdefault(assignment.variable, value) != value:
                return False
    return True


def _accepted(rule: Rule, binding: Binding, facts: _Facts) -> bool:
    for expression in rule.filters:
        try:
            if not holds(_evaluate(expression, binding)):
                return False
        except FunctionError:
            return False
    return not any(any(_match(atom, binding, facts)) for atom in rule.negated)


def _inputs(expression: object) -> set[Variable]:
    if isinstance(expression, Call):
        return {v for argument in expression.arguments for v in _inputs(argument)}
    return {expression} if isinstance(expression, Variable) else set()


def _evaluate(expression: object, binding: Binding) -> Term:
    if isinstance(expression, Variable):
        return binding[expression]
    if isinstance(expression, Call):
        return evaluate(expression.function, [_evaluate(argument, binding) for argument in expression.arguments])
    return expression  # type: ignore[return-value]


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


def _match_every(sequence, member, local, atoms, binding, facts):  # type: ignore[no-untyped-def]
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


def _match_all(atoms, binding: Binding, facts: _Facts) -> Iterator[Binding]:  # type: ignore[no-untyped-def]
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
    if fact[2] != TYPE or not isinstance(fact[3], Literal):
        return False
    return isinstance(atom.predicate, Variable) or isinstance(atom.object, Variable)


def _unify(pairs, binding: Binding) -> Iterator[Binding]:  # type: ignore[no-untyped-def]
    extended = dict(binding)
    for argument, value in pairs:
        if isinstance(argument, Variable):
            if extended.setdefault(argument, value) != value:
                return
        elif argument != value:
            return
    yield extended


def _sequences(facts: _Facts, cell: Term, strict: bool = False, path: tuple = ()) -> Iterator[tuple[Term, ...]]:
    if cell == NIL:
        yield ()
        return
    if cell in path:
        raise BrokenListError("cyclic")
    members = [f[3] for f in facts.by_name.get(FIRST, []) if f[1] == cell]
    following = [f[3] for f in facts.by_name.get(REST, []) if f[1] == cell]
    if strict and not (members and following):
        raise BrokenListError("cut off")
    for rest in following:
        tails = list(_sequences(facts, rest, strict, (*path, cell)))
        for member, tail in product(members, tails):
            yield (member, *tail)


def _strata(rules: list[Rule]) -> list[list[Rule]]:
    """Rules by the height of negation under their heads; a variable relation is any relation."""
    level: dict[object, int] = {}

    def name(atom: TripleAtom | FactAtom) -> object:
        if isinstance(atom, FactAtom):
            return atom.name, len(atom.arguments)
        is_type = atom.predicate == TYPE and not isinstance(atom.object, Literal)
        named = atom.object if is_type else atom.predicate
        return ("any",) if isinstance(named, Variable) else (is_type, named)

    def height(atom: TripleAtom | FactAtom) -> int:
        if name(atom) == ("any",):
            return max(level.values(), default=0)
        return max(level.get(name(atom), 0), level.get(("any",), 0))

    for _ in range(len(rules) + 2):
        before = dict(level)
        for rule in rules:
            body = [inner for a in rule.body for inner in (a.atoms if isinstance(a, Every) else (a,))]
            lowest = max((height(a) for a in body if isinstance(a, TripleAtom | FactAtom)), default=0)
            lowest = max([lowest, *(height(a) + 1 for a in rule.negated)])
            for head in rule.heads:
                level[name(head)] = max(level.get(name(head), 0), lowest)
        if level == before:
            break
    else:
        raise UnknownStrataError
    numbers = sorted({max(level[name(h)] for h in rule.heads) for rule in rules})
    return [[r for r in rules if max(level[name(h)] for h in r.heads) == number] for number in numbers]


__all__ = ["BlankNode", "BrokenListError", "closure", "inconsistent"]
