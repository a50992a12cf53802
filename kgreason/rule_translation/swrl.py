"""SWRL rules of an ontology in RDF: ``swrl:Imp`` with lists of atoms, as Protégé and the OWL API write them.

Class, property, same and different atoms are triples, and so are class expressions of named classes, intersections,
existential restrictions and values. Built-ins are filters or assignments. Variables stand for the terms of the data,
which is what makes rules DL-safe; an individual that has to exist and has no name is none of them. A rule that is
annotated with ``swrla:isRuleEnabled false`` is left out, as Protégé does.

Source: SWRL, W3C member submission of 2004; section 8 for built-ins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.errors import Position
from kgreason.program.rule_variables import substitute
from kgreason.program.rules import Argument, Assignment, Expression, Rule, TripleAtom
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import OWL, RDF_TYPE
from kgreason.rule_translation.rule_graph import RuleGraph, RuleNodes, TranslationError, equate
from kgreason.rule_translation.swrl_builtins import builtin

SWRL: Final = "http://www.w3.org/2003/11/swrl#"
IMP: Final = IRI(SWRL + "Imp")
_ENABLED: Final = "isRuleEnabled"
_TYPE: Final = IRI(RDF_TYPE)
_THING, _SAME, _DIFFERENT = IRI(OWL + "Thing"), IRI(OWL + "sameAs"), IRI(OWL + "differentFrom")
_INTERSECTION, _ON, _SOME, _HAS_VALUE, _INVERSE = (
    IRI(OWL + name) for name in ("intersectionOf", "onProperty", "someValuesFrom", "hasValue", "inverseOf")
)
_MOST_VARIANTS: Final = 64
"""A rule that would become more rules is refused."""
_ANNOTATIONS: Final = tuple(
    IRI(f"http://swrl.stanford.edu/ontologies/{place}/swrla.owl#{_ENABLED}") for place in ("3.3", "built-ins/3.3")
)


def swrl_rules(graph: RuleGraph) -> RuleNodes:
    """The SWRL rules of a document, named by their labels or IRIs."""
    nodes = [node for node in graph.instances(IMP) if _is_enabled(graph, node)]
    return RuleNodes(graph, nodes, "SWRL", lambda node: _RuleReader(graph, node).rules())


def _is_enabled(graph: RuleGraph, node: Term) -> bool:
    values = [value for annotation in _ANNOTATIONS for value in graph.objects(node, annotation)]
    return not any(isinstance(value, Literal) and value.lexical in ("false", "0") for value in values)


@dataclass(slots=True)
class _Body:
    """What a body asks for; of each of `choices` one."""

    atoms: list[TripleAtom] = field(default_factory=list)
    filters: list[Expression] = field(default_factory=list)
    values: list[tuple[Argument, Expression]] = field(default_factory=list)
    things: list[Argument] = field(default_factory=list)
    choices: list[tuple[TripleAtom, TripleAtom | None]] = field(default_factory=list)
    """An atom, and the other one that says the same; None for the equality of a thing with itself."""


class _RuleReader:
    """Reads one rule."""

    def __init__(self, graph: RuleGraph, node: Term) -> None:
        self._graph = graph
        self._node = node
        self._names: dict[Term, Variable] = {}
        self._fresh = 0

    def rules(self) -> Iterator[Rule]:
        """The rule; several where it has atoms about same or different individuals."""
        body, heads = _Body(), list[TripleAtom]()
        for atom in self._atoms("body"):
            self._body_atom(atom, body)
        for atom in self._atoms("head"):
            self._head_atom(atom, heads)
        if 2 ** len(body.choices) > _MOST_VARIANTS:
            raise TranslationError(f"{len(body.choices)} atoms about same or different individuals, which are too many")
        for chosen in product((0, 1), repeat=len(body.choices)):
            yield from self._variant(heads, body, chosen)

    def _atoms(self, part: str) -> list[Term]:
        lists = self._graph.objects(self._node, IRI(SWRL + part))
        return [atom for head in lists for atom in self._graph.members(head)]

    def _variant(self, heads: list[TripleAtom], body: _Body, chosen: Sequence[int]) -> Iterator[Rule]:
        """The rule with one atom of each choice, or none where it cannot hold."""
        atoms, same = list(body.atoms), dict[Variable, Argument]()
        for (first, second), number in zip(body.choices, chosen, strict=True):
            atom = second if number else first
            if atom is not None:
                atoms.append(atom)
            elif not equate(first.subject, first.object, same):
                return
        bound = {argument for atom in atoms for argument in atom.arguments if isinstance(argument, Variable)}
        filters, assignments = list(body.filters), list[Assignment]()
        for result, expression in body.values:
            if isinstance(result, Variable) and result not in bound:
                assignments.append(Assignment(result, expression))
                bound.add(result)
            else:
                filters.append(Call("=", (result, expression)))
        for thing in body.things:
            if isinstance(thing, Variable) and thing not in bound:
                raise TranslationError(f"nothing but owl:Thing binds {thing}")
        position, name = Position(self._graph.source, 1, 1), self._graph.name_of(self._node)
        rule = Rule(tuple(heads), tuple(atoms), (), tuple(filters), tuple(assignments), name, position)
        yield substitute(rule, same) if same else rule

    # -- atoms ---------------------------------------------------------------------------------------------------

    def _body_atom(self, atom: Term, body: _Body) -> None:
        match self._kind(atom):
            case "ClassAtom":
                self._class(self._graph.required(atom, IRI(SWRL + "classPredicate")), self._argument(atom, 1), body)
            case "IndividualPropertyAtom" | "DatavaluedPropertyAtom":
                body.atoms.append(self._property(atom))
            case "SameIndividualAtom":
                body.choices.append((self._pair(atom, _SAME), None))
            case "DifferentIndividualsAtom":
                first = self._pair(atom, _DIFFERENT)
                body.choices.append((first, TripleAtom(first.object, _DIFFERENT, first.subject)))
            case "DataRangeAtom":
                datatype = self._graph.required(atom, IRI(SWRL + "dataRange"))
                if not isinstance(datatype, IRI):
                    raise TranslationError("a data range that is not a datatype")
                body.filters.append(Call("valuein", (self._argument(atom, 1), datatype)))
            case "BuiltinAtom":
                arguments = self._graph.members(self._graph.required(atom, IRI(SWRL + "arguments")))
                found = builtin(self._graph.required(atom, IRI(SWRL + "builtin")), [*map(self._term, arguments)])
                if isinstance(found, tuple):
                    body.values.append(found)
                else:
                    body.filters.append(found)

    def _head_atom(self, atom: Term, heads: list[TripleAtom]) -> None:
        match self._kind(atom):
            case "ClassAtom":
                made = _Body()
                self._class(self._graph.required(atom, IRI(SWRL + "classPredicate")), self._argument(atom, 1), made)
                if self._fresh and any(_is_fresh(a) for triple in made.atoms for a in triple.arguments):
                    raise TranslationError("an existential restriction in the head, which asks for a new individual")
                heads += made.atoms
            case "IndividualPropertyAtom" | "DatavaluedPropertyAtom":
                heads.append(self._property(atom))
            case "SameIndividualAtom":
                heads.append(self._pair(atom, _SAME))
            case "DifferentIndividualsAtom":
                heads.append(self._pair(atom, _DIFFERENT))
            case kind:
                raise TranslationError(f"a swrl:{kind} in the head")

    def _kind(self, atom: Term) -> str:
        known = [kind for kind in _KINDS if self._graph.has_type(atom, IRI(SWRL + kind))]
        if len(known) != 1:
            raise TranslationError("an atom of no kind that SWRL has" if not known else "an atom of several kinds")
        return known[0]

    def _property(self, atom: Term) -> TripleAtom:
        property = self._graph.required(atom, IRI(SWRL + "propertyPredicate"))
        return self._triple(self._argument(atom, 1), property, self._argument(atom, 2))

    def _triple(self, subject: Argument, property: Term, object: Argument) -> TripleAtom:
        if isinstance(property, BlankNode):
            inverse = self._graph.value(property, _INVERSE)
            if not isinstance(inverse, IRI):
                raise TranslationError("a property expression that is not the inverse of a named property")
            subject, property, object = object, inverse, subject
        if isinstance(subject, Literal):
            raise TranslationError(f"the literal {subject} as a subject")
        return TripleAtom(subject, property, object)

    def _pair(self, atom: Term, property: IRI) -> TripleAtom:
        return TripleAtom(self._argument(atom, 1), property, self._argument(atom, 2))

    def _class(self, class_: Term, member: Argument, body: _Body) -> None:
        """The atoms that a class, or a class expression, stands for."""
        if class_ == _THING:
            body.things.append(member)
        elif isinstance(class_, IRI):
            body.atoms.append(TripleAtom(member, _TYPE, class_))
        elif (parts := self._graph.value(class_, _INTERSECTION)) is not None:
            for part in self._graph.members(parts):
                self._class(part, member, body)
        elif (value := self._graph.value(class_, _HAS_VALUE)) is not None:
            body.atoms.append(self._triple(member, self._graph.required(class_, _ON), self._term(value)))
        elif (filler := self._graph.value(class_, _SOME)) is not None:
            self._fresh += 1
            other = Variable(f"some_{self._fresh}")
            body.atoms.append(self._triple(member, self._graph.required(class_, _ON), other))
            self._class(filler, other, body)
        else:
            raise TranslationError("a class expression (expected a named class, an intersection, or some or has value)")

    # -- terms ---------------------------------------------------------------------------------------------------

    def _argument(self, atom: Term, number: int) -> Argument:
        return self._term(self._graph.required(atom, IRI(f"{SWRL}argument{number}")))

    def _term(self, term: Term) -> Argument:
        if not self._graph.has_type(term, IRI(SWRL + "Variable")):
            if isinstance(term, BlankNode):
                raise TranslationError("an individual without a name")
            return term
        known = self._names.get(term)
        if known is None:
            label = term.value if isinstance(term, IRI) else f"x_{len(self._names)}"
            name = re.sub(r"\W", "_", re.split(r"[#/:]", label)[-1]) or "x"
            taken = {variable.name for variable in self._names.values()}
            known = Variable(name if name not in taken else f"{name}_{len(taken)}")
            self._names[term] = known
        return known


_KINDS: Final = (
    "ClassAtom", "IndividualPropertyAtom", "DatavaluedPropertyAtom", "SameIndividualAtom",
    "DifferentIndividualsAtom", "DataRangeAtom", "BuiltinAtom",
)  # fmt: skip


def _is_fresh(argument: Argument) -> bool:
    return isinstance(argument, Variable) and re.fullmatch(r"some_\d+", argument.name) is not None

