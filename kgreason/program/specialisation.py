"""Specialisation: what a rule becomes when its schema atoms are evaluated first (partial evaluation).

A *schema variable* stands where a relation is named: as the predicate of a triple, or as its class. The body
atoms with a constant relation that share such a variable are the rule's *guard*; each distinct answer to
the guard makes one specialised rule, in which the schema variables are constants. A schema variable without a
guard is *universal*: it ranges over all relations that have facts. Where it names no relation in the body
(``[?y, a, ?x] :- [?x, a, ?y]``), the atoms that bind it join the guard. So ``[?x, a, ?c] :- [?p, rdfs:domain, ?c],
[?x, ?p, ?y]`` becomes, for each pair of the guard ``[?p, rdfs:domain, ?c]``, the rule ``c(?x) :- p(?x, ?y)``.

Rules over lists are first written out for the length of the list: `every` and `path` become ordinary atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from kgreason.algebra.expressions.tree import Call, Variable, expression_variables, with_leaves
from kgreason.errors import UnsafeRuleError
from kgreason.program.rules import (
    Argument,
    Assignment,
    Atom,
    Every,
    Expression,
    FactAtom,
    Member,
    Path,
    Rule,
    TripleAtom,
)
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE

LIST_ITEM: Final = "list item"
LIST_DEMAND: Final = "list demand"
SEQUENCE_DEMAND: Final = "list sequence demand"
TYPE: Final = IRI(RDF_TYPE)


def sequence_name(length: int) -> str:
    """The auxiliary relation of the sequences of a length: the list, then its members."""
    return f"list sequence of {length}"


@dataclass(frozen=True, slots=True)
class Template:
    """A rule with at most one head, ready for specialisation.

    `guard` gives the bindings of `schema`, the guarded schema variables; None where there are none. `rule` is what
    is left to be done for each of them; `universals` range over classes or properties (`is_class`).
    """

    rule: Rule
    schema: tuple[Variable, ...]
    universals: tuple[Variable, ...]
    guard: tuple[Atom, ...]
    guard_filters: tuple[Expression, ...]

    def is_class(self, variable: Variable) -> bool:
        """Whether a universal variable ranges over classes: over properties where the body has it as one."""
        if any(_property_variable(atom) == variable for atom in plain_body(self.rule)):
            return False
        return any(_class_variable(atom) == variable for atom in _atoms(self.rule))


def templates(rule: Rule) -> list[Template]:
    """The templates of a rule without `every` and `path`: one for each head, and one more for each universal
    predicate variable, with rdf:type in its place; none where a filter keeps a constant apart from itself."""
    found: dict[Rule, Template] = {}
    for head in rule.heads or (None,):
        _collect(replace(rule, heads=(head,) if head else (), body=without_members(rule)), found)
    return list(found.values())


def _collect(rule: Rule, found: dict[Rule, Template]) -> None:
    if rule in found or any(map(_is_contradiction, rule.filters)):
        return
    template = _template(rule)
    found[rule] = template
    for variable in template.universals:
        if not template.is_class(variable) or any(_property_variable(a) == variable for a in _atoms(rule)):
            _collect(substitute(rule, {variable: TYPE}), found)


def _is_contradiction(condition: Expression) -> bool:
    """Whether a filter says that an IRI is not itself."""
    if not isinstance(condition, Call) or condition.function != "!=":
        return False
    left, right = condition.arguments
    return isinstance(left, IRI) and left == right


def _template(rule: Rule) -> Template:
    order = _schema_variables(rule)
    if not order:  # most rules
        return Template(rule, (), (), (), ())
    schema = set(order)
    guard = _guard(rule, plain_body(rule), schema)
    guarded = {variable for atom in guard for variable in _variables(atom)} & schema
    universals = schema - guarded
    rest = _residual(rule, guard, schema)
    on_schema = [f for f in rule.filters if guard and set(expression_variables(f)) <= guarded]
    filters = tuple(f for f in rule.filters if f not in on_schema)
    return Template(
        replace(rule, body=rest, filters=filters),
        tuple(variable for variable in order if variable in guarded),
        tuple(variable for variable in order if variable in universals),
        tuple(guard),
        tuple(on_schema),
    )


def _guard(rule: Rule, body: tuple[Atom, ...], schema: set[Variable]) -> list[Atom]:
    """The atoms that bind schema variables: those over constant relations, and others for what is only bound there; and
    with these the atoms without variables, which hold for all of the specialised rules or for none."""
    guard = [atom for atom in body if not relation_variables(atom) and schema & set(_variables(atom))]
    named = {variable for atom in body for variable in relation_variables(atom)}
    unnamed = schema - named - {variable for atom in guard for variable in _variables(atom)}
    for variable in unnamed:
        binding = [atom for atom in body if variable in _variables(atom) and atom not in guard]
        if not binding:
            raise UnsafeRuleError(f"nothing says which relation {variable} is", rule.position)
        guard += binding
    if guard:
        guard += [atom for atom in body if not _variables(atom) and atom not in guard]
    return guard


def _residual(rule: Rule, guard: list[Atom], schema: set[Variable]) -> tuple[Atom, ...]:
    """The body without the guard atoms whose variables nothing else needs."""
    outside: set[Variable] = set()
    body = plain_body(rule)
    for atom in (*rule.heads, *rule.negated, *(a for a in body if a not in guard)):
        outside |= set(_variables(atom))
    for expression in (*rule.filters, *(a.expression for a in rule.assignments)):
        outside |= set(expression_variables(expression))
    outside -= schema
    kept: list[Atom] = []
    waiting = list(guard)
    while True:
        needed = [atom for atom in waiting if outside & set(_variables(atom))]
        if not needed:
            break
        for atom in needed:
            waiting.remove(atom)
            kept.append(atom)
            outside |= set(_variables(atom)) - schema
    return tuple(atom for atom in body if atom in kept or atom not in guard)


# -- lists ------------------------------------------------------------------------------------------------------


def list_variables(rule: Rule) -> dict[Variable, bool]:
    """The list variables of a rule, and whether the rule needs their whole sequences."""
    found: dict[Variable, bool] = {}
    for atom in rule.body:
        if isinstance(atom, Member | Every | Path):
            found[atom.list] = found.get(atom.list, False) or not isinstance(atom, Member)
    return found


def demands(rule: Rule) -> Iterator[Rule]:
    """Rules that tell the list module which lists the rule asks for."""
    for variable, sequences in list_variables(rule).items():
        for atom in rule.body:
            if isinstance(atom, TripleAtom) and variable in atom.arguments and not relation_variables(atom):
                yield Rule((FactAtom(LIST_DEMAND, (variable,)),), (atom,), name=rule.name)
                if sequences:
                    yield Rule((FactAtom(SEQUENCE_DEMAND, (variable,)),), (atom,), name=rule.name)


def unfold(rule: Rule, lengths: Mapping[Variable, int]) -> Rule:
    """The rule for lists of the given lengths, `every` and `path` written out as triples."""
    names = {
        variable: tuple(Variable(f"{variable.name} member {i}") for i in range(length))
        for variable, length in lengths.items()
    }
    body: list[Atom | Member] = []
    for variable, length in lengths.items():
        body.append(FactAtom(sequence_name(length), (variable, *names[variable])))
    for number, atom in enumerate(rule.body):
        if isinstance(atom, Every):
            local = local_variables(rule, atom)
            for i, member in enumerate(names[atom.list]):
                fresh = {variable: Variable(f"{variable.name} {number} {i}") for variable in local}
                body += [_substitute_atom(part, _putting({**fresh, atom.member: member})) for part in atom.atoms]
        elif isinstance(atom, Path):
            members = names[atom.list]
            middle = [Variable(f"step {number} {i}") for i in range(1, len(members))]
            nodes = [atom.start, *middle, atom.end]
            body += [TripleAtom(nodes[i], member, nodes[i + 1]) for i, member in enumerate(members)]
        else:
            body.append(atom)
    return replace(rule, body=tuple(body))


def local_variables(rule: Rule, every: Every) -> set[Variable]:
    """The variables of an `every` that may differ from member to member."""
    elsewhere: set[Variable] = set()
    for atom in (*rule.heads, *rule.negated, *rule.body):
        if atom is not every:
            elsewhere |= set(any_variables(atom))
    for expression in (*rule.filters, *(a.expression for a in rule.assignments)):
        elsewhere |= set(expression_variables(expression))
    own = {variable for atom in every.atoms for variable in _variables(atom)}
    return own - elsewhere - {every.member, every.list}


def without_members(rule: Rule) -> tuple[Atom, ...]:
    """The body of a rule without `every` and `path`, with facts in place of `member`."""
    atoms: list[Atom] = []
    for atom in rule.body:
        if isinstance(atom, Member):
            atoms.append(FactAtom(LIST_ITEM, (atom.list, atom.index, atom.member)))
        else:
            assert isinstance(atom, TripleAtom | FactAtom), "every and path are unfolded before"
            atoms.append(atom)
    return tuple(atoms)


# -- variables --------------------------------------------------------------------------------------------------


def plain_body(rule: Rule) -> tuple[Atom, ...]:
    """The body of a rule without list atoms."""
    atoms = tuple(atom for atom in rule.body if isinstance(atom, TripleAtom | FactAtom))
    assert len(atoms) == len(rule.body), "list atoms are written out before"
    return atoms


def _property_variable(atom: object) -> Variable | None:
    if isinstance(atom, TripleAtom) and isinstance(atom.predicate, Variable):
        return atom.predicate
    return None


def _class_variable(atom: object) -> Variable | None:
    if isinstance(atom, TripleAtom) and atom.predicate == TYPE and isinstance(atom.object, Variable):
        return atom.object
    return None


def relation_variables(atom: object) -> list[Variable]:
    """The variables of an atom that stand for a relation: its predicate, or the class of a type triple."""
    if not isinstance(atom, TripleAtom):
        return []
    named = atom.object if atom.predicate == TYPE else atom.predicate
    return [named] if isinstance(named, Variable) else []


def _atoms(rule: Rule) -> Iterator[Atom]:
    yield from rule.heads
    yield from plain_body(rule)
    yield from rule.negated


def _schema_variables(rule: Rule) -> dict[Variable, None]:
    return {variable: None for atom in _atoms(rule) for variable in relation_variables(atom)}


def _variables(atom: Atom) -> list[Variable]:
    return [argument for argument in atom.arguments if isinstance(argument, Variable)]


def any_variables(atom: object) -> Iterator[Variable]:
    """The variables of any kind of body atom, from left to right."""
    match atom:
        case TripleAtom() | FactAtom():
            yield from _variables(atom)
        case Member(list_, index, member):
            yield from (v for v in (list_, index, member) if isinstance(v, Variable))
        case Every(member, list_, atoms):
            yield from (member, list_, *(v for inner in atoms for v in _variables(inner)))
        case Path(start, list_, end):
            yield from (v for v in (start, list_, end) if isinstance(v, Variable))


def substitute(rule: Rule, values: Mapping[Variable, Argument]) -> Rule:
    """The rule with arguments in the place of variables; it has no list atoms."""
    put = _putting(values)
    return replace(
        rule,
        heads=tuple(_substitute_atom(atom, put) for atom in rule.heads),
        body=tuple(_substitute_atom(atom, put) for atom in plain_body(rule)),
        negated=tuple(_substitute_atom(atom, put) for atom in rule.negated),
        filters=tuple(with_leaves(part, put) for part in rule.filters),
        assignments=tuple(
            Assignment(part.variable, with_leaves(part.expression, put)) for part in rule.assignments
        ),
    )


def _putting(values: Mapping[Variable, Argument]) -> Callable[[Argument], Argument]:
    return lambda argument: values.get(argument, argument) if isinstance(argument, Variable) else argument


def _substitute_atom(atom: Atom, put: Callable[[Argument], Argument]) -> Atom:
    if isinstance(atom, TripleAtom):
        return TripleAtom(put(atom.subject), put(atom.predicate), put(atom.object))
    return FactAtom(atom.name, tuple(map(put, atom.arguments)))
