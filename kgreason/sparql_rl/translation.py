"""Rules of SPARQL-RL to rules of a Program.

A blank node of a head is ``skolem(rule, ...)`` of the values of all variables of the body: another one for each
solution, and the same one whenever the same solution comes again. So a closure that is maintained is the closure that
is computed anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from kgreason.algebra.expressions.tree import Call, Variable, with_leaves
from kgreason.program.negation import is_anonymous
from kgreason.program.rule_variables import any_variables, relation_variables
from kgreason.program.rules import Argument, Expression, FactAtom, Rule, TripleAtom
from kgreason.program.safety import ordinary_atoms
from kgreason.rdf.model import IRI, BlankNode, Literal, TripleTerm
from kgreason.sparql_rl.bodies import SEED, BodyParts, renamed
from kgreason.sparql_rl.negations import deny, digest
from kgreason.sparql_rl.rule_set import Assign, Element, Fact, Filter, Negation, Patterns, RuleText, used_variables
from kgreason.sparql_rl.value_joins import with_value_joins

_NAME: Final = re.compile(r"(?!_)\w+", re.ASCII)


def translated_facts(facts: tuple[Fact, ...], key: str) -> Iterator[Rule]:
    """The triples of DATA blocks as facts; `key` tells their blank nodes from those of other rule sets."""
    for fact in facts:
        triple = TripleAtom(*(_of_rule_set(part, key) for part in fact.triple.arguments))
        if not isinstance(triple.subject, Literal | TripleTerm):
            name = f"{fact.position.source}:{fact.position.line}"
            yield Rule((triple,), (), name=name, position=fact.position)


def _of_rule_set(part: Argument, key: str) -> Argument:
    if isinstance(part, BlankNode):
        return BlankNode(key + re.sub(r"\W", lambda odd: f"-{ord(odd[0]):x}-", part.label, flags=re.ASCII))
    if isinstance(part, TripleTerm):
        subject, object = _of_rule_set(part.subject, key), _of_rule_set(part.object, key)
        return TripleTerm(subject, part.predicate, object)  # type: ignore[arg-type]  # as it was: no variables
    return part


def translated(rule: RuleText, number: int) -> Iterator[Rule]:
    """The rules of a well-formed rule; `number` tells it from earlier rules with the same text."""
    rule = _plainly_named(rule)
    whole = Rule((), (), name=rule.name, position=rule.position)
    body = BodyParts()
    denied: list[Rule] = []
    key = f"{digest(str((rule.head, rule.terms, rule.body, rule.of_data)))}-{number}"
    matched = {v for part in rule.body if isinstance(part, Patterns) for v in part.variables()}
    values: dict[Variable, Argument] = {}
    for element in rule.body:
        match element:
            case Patterns():
                body.add(element, of_data=rule.of_data)
            case Filter(expression):
                body.filters.append(expression)
            case Assign(variable, expression):
                expression = _with_nodes(expression, body, key)
                if not isinstance(expression, Call | Variable) and variable not in matched:
                    values[variable] = expression
                body.assign(variable, expression, is_matched=variable in matched)
            case Negation():
                denied += deny(element, body, whole, of_data=rule.of_data)
    heads = tuple(_heads(rule, body, key))
    if any(SEED in each.body for each in (*denied, body.deriving(like=whole))):
        yield Rule((SEED,), (), name=rule.name, position=rule.position)
    yield from denied
    for group, others in _apart(heads, rule):
        derived = body.deriving(*group, like=whole)
        derived = replace(derived, assignments=tuple(a for a in derived.assignments if a.variable not in others))
        for joined in with_value_joins(_with_values(derived, values)):
            yield from _with_relations(joined)


def _plainly_named(rule: RuleText) -> RuleText:
    """The rule with variables whose names the rules of a Program may have, and that are not anonymous."""
    used = [v for triple in rule.head for v in triple.arguments if isinstance(v, Variable)]
    used += [v for parts in rule.terms.values() for v in parts if isinstance(v, Variable)]
    used += [*rule.terms, *(v for element in rule.body for v in (*used_variables(element), *_terms(element)))]
    names = {variable.name for variable in used}
    odd = [variable for variable in dict.fromkeys(used) if not _NAME.fullmatch(variable.name)]
    new = (name for number in range(1, len(odd) + len(names) + 1) if (name := f"v{number}") not in names)
    renaming: dict[Variable, Variable] = {variable: Variable(name) for variable, name in zip(odd, new, strict=False)}
    if not renaming:
        return rule
    return replace(
        rule,
        head=tuple(_renamed_triple(triple, renaming) for triple in rule.head),
        terms=_renamed_terms(rule.terms, renaming),
        body=tuple(_renamed_element(element, renaming) for element in rule.body),
    )


def _terms(element: Element) -> Iterator[Variable]:
    if isinstance(element, Patterns):
        yield from element.terms
    elif isinstance(element, Negation):
        for part in element.elements:
            yield from _terms(part)


def _renamed_triple(triple: TripleAtom, names: Mapping[Variable, Variable]) -> TripleAtom:
    return TripleAtom(*(renamed(part, names) for part in triple.arguments))


def _renamed_terms(
    terms: Mapping[Variable, tuple[Argument, Argument, Argument]], names: Mapping[Variable, Variable]
) -> dict[Variable, tuple[Argument, Argument, Argument]]:
    return {
        names.get(term, term): (renamed(s, names), renamed(p, names), renamed(o, names))
        for term, (s, p, o) in terms.items()
    }


def _renamed_element(element: Element, names: Mapping[Variable, Variable]) -> Element:
    match element:
        case Patterns(triples, terms):
            return Patterns(tuple(_renamed_triple(t, names) for t in triples), _renamed_terms(terms, names))
        case Filter(expression, position):
            return Filter(with_leaves(expression, lambda leaf: renamed(leaf, names)), position)
        case Assign(variable, expression, position):
            value: Expression = with_leaves(expression, lambda leaf: renamed(leaf, names))
            return Assign(names.get(variable, variable), value, position)
        case Negation(elements, of_data, position):
            inner = tuple(_renamed_element(each, names) for each in elements)
            return Negation(inner, of_data, position)  # type: ignore[arg-type]  # of the same classes


# -- heads and new terms ------------------------------------------------------------------------------------------


def _heads(rule: RuleText, body: BodyParts, key: str) -> Iterator[TripleAtom]:
    """The heads, whose blank nodes and triple terms are assigned. A literal or a triple term is no subject: such a
    triple is none, and is left out."""
    solution = tuple(body.defined)
    nodes: dict[str, Variable] = {}

    def made(part: Argument) -> Argument:
        if not isinstance(part, BlankNode):
            return part
        if part.label not in nodes:
            nodes[part.label] = _unused(f"b{len(nodes) + 1}", body, rule)
            call: Expression = Call("skolem", (Literal(f"{key} {part.label}"), *solution))
            body.assign(nodes[part.label], call, is_matched=False)
        return nodes[part.label]

    for term, parts in rule.terms.items():
        body.assign(term, Call("triple", tuple(map(made, parts))), is_matched=False)
    for triple in rule.head:
        if not isinstance(triple.subject, Literal | TripleTerm) and triple.subject not in rule.terms:
            yield TripleAtom(*map(made, triple.arguments))


def _apart(heads: Sequence[TripleAtom], rule: RuleText) -> Iterator[tuple[list[TripleAtom], frozenset[Variable]]]:
    """The heads by the triple terms in them that may turn out to be none, such as one with a literal as its subject:
    where one is, the other heads hold. With each group the triple terms that it does not need."""
    triples = [triple for part in rule.body if isinstance(part, Patterns) for triple in _all_triples(part)]
    subjects, verbs = ({triple[place] for triple in triples} for place in (0, 1))
    certain = [
        term
        for term, (subject, verb, _) in rule.terms.items()
        if (subject in subjects or isinstance(subject, IRI | BlankNode)) and (verb in verbs or isinstance(verb, IRI))
    ]
    doubtful = rule.terms.keys() - certain
    groups: dict[frozenset[Variable], list[TripleAtom]] = {}
    for head in heads:
        groups.setdefault(frozenset(_needed(head.arguments, rule) & doubtful), []).append(head)
    for group in groups.values():
        needed = {term for head in group for term in _needed(head.arguments, rule)}
        yield group, frozenset(rule.terms.keys() - needed if len(groups) > 1 else ())


def _all_triples(part: Patterns) -> Iterator[Sequence[Argument]]:
    yield from (triple.arguments for triple in part.triples)
    yield from part.terms.values()


def _needed(arguments: Sequence[Argument], rule: RuleText) -> set[Variable]:
    """The triple terms of the head among arguments, and those in them."""
    found = {part for part in arguments if isinstance(part, Variable) and part in rule.terms}
    return found.union(*(_needed(rule.terms[term], rule) for term in found))


def _unused(stem: str, body: BodyParts, rule: RuleText) -> Variable:
    taken = {variable.name for variable in (*body.defined, *rule.terms)}
    while stem in taken:
        stem += "b"
    return Variable(stem)


def _with_nodes(expression: Expression, body: BodyParts, key: str) -> Expression:
    """An expression with ``skolem`` in the place of BNODE: a node for each solution, or for each and a string."""
    if not isinstance(expression, Call):
        return expression
    arguments = tuple(_with_nodes(part, body, key) for part in expression.arguments)
    if expression.function != "bnode":
        return Call(expression.function, arguments)
    number = len(body.assignments)
    return Call("skolem", (Literal(f"{key} BNODE" + ("" if arguments else f" {number}")), *arguments, *body.defined))


# -- constants and relations --------------------------------------------------------------------------------------


def _with_values(rule: Rule, values: Mapping[Variable, Argument]) -> Rule:
    """The rule with constants in the place of variables that are nothing else."""
    if not values:
        return rule
    from kgreason.program.rule_variables import substitute

    kept = tuple(each for each in rule.assignments if each.variable not in values)
    return substitute(replace(rule, assignments=kept), values)


def _with_relations(rule: Rule) -> Iterator[Rule]:
    """The rule; where it is about relations that no atom of a constant relation says, in two steps, with a relation of
    its own between them."""
    named = {v for atom in ordinary_atoms(rule) for v in relation_variables(atom) or any_variables(atom)}
    about = (*rule.heads, *rule.negated)
    computed = {each.variable for each in rule.assignments}
    # Where a predicate is rdf:type, the object is a class.
    classes = [atom.arguments[-1] for atom in about if relation_variables(atom) and atom.arguments[-1] in computed]
    if not classes and all(v in named or is_anonymous(v) for atom in about for v in relation_variables(atom)):
        yield rule
        return
    used = tuple(dict.fromkeys(v for atom in about for v in any_variables(atom) if not is_anonymous(v)))
    derived = FactAtom(f"derived-{digest(str(rule))}", used)
    yield replace(rule, heads=(derived,), negated=())
    yield Rule(rule.heads, (derived,), rule.negated, name=rule.name, position=rule.position)


