"""SHACL rules: ``sh:TripleRule`` and ``sh:SPARQLRule`` of node shapes, for the targets of their shapes.

A rule holds for the focus nodes of its shape that conform to its conditions. A triple rule makes the triples of its
subjects, predicates and objects, which are terms, ``sh:this``, paths, unions or intersections; a SPARQL rule those of
its CONSTRUCT. The rules run to a fixpoint; their ``sh:order`` is ignored.

Sources: SHACL Advanced Features (W3C note of 2017), section 8; SHACL 1.2 Inference Rules (W3C working draft of 2026).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.rules import Argument, FactAtom, Rule, TripleAtom
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import OWL, RDF_TYPE, RDFS, SHACL
from kgreason.rule_translation.construct_rules import construct_rules, template_rules
from kgreason.rule_translation.query_patterns import PatternReader
from kgreason.rule_translation.rule_graph import RuleGraph, RuleNodes, TranslationError, digest
from kgreason.rule_translation.shacl_conditions import Conditions, instance_ways, path_of
from kgreason.rule_translation.shacl_prefixes import QueryPrefixes
from kgreason.rule_translation.ways import THIS, Way

_THIS_NODE: Final = IRI(SHACL + "this")
_TYPE: Final = IRI(RDF_TYPE)
SHACL_RULE: Final = IRI(SHACL + "rule")
_CLASSES: Final = (IRI(RDFS + "Class"), IRI(OWL + "Class"), IRI(SHACL + "ShapeClass"))


def shacl_rules(graph: RuleGraph) -> RuleNodes:
    """The SHACL rules of a document, named by their labels or IRIs, or those of their shapes."""
    shapes, prefixes = _shapes_of_rules(graph), QueryPrefixes(graph)
    return RuleNodes(
        graph,
        list(shapes),
        "SHACL",
        lambda rule: (each for shape in shapes[rule] for each in _RuleReader(graph, prefixes, shape, rule).rules()),
        lambda rule: graph.name_of(shapes[rule][0]),
        left_out="sh:deactivated true",
    )


def _shapes_of_rules(graph: RuleGraph) -> dict[Term, list[Term]]:
    """The shapes of each rule; neither shapes nor rules that are deactivated."""
    found: dict[Term, list[Term]] = {}
    for shape in dict.fromkeys(graph.subjects_of(SHACL_RULE)):
        if _is_deactivated(graph, shape):
            continue
        for rule in graph.objects(shape, SHACL_RULE):
            if not _is_deactivated(graph, rule):
                found.setdefault(rule, []).append(shape)
    return found


def _is_deactivated(graph: RuleGraph, node: Term) -> bool:
    values = graph.objects(node, IRI(SHACL + "deactivated"))
    return any(isinstance(value, Literal) and value.lexical in ("true", "1") for value in values)


class _RuleReader:
    """Reads a rule of one shape."""

    def __init__(self, graph: RuleGraph, prefixes: QueryPrefixes, shape: Term, rule: Term) -> None:
        self._graph = graph
        self._prefixes = prefixes
        self._shape = shape
        self._rule = rule
        self._name = graph.name_of(rule) or graph.name_of(shape)
        self._conditions = Conditions(graph)
        self._number = 0

    def rules(self) -> Iterator[Rule]:
        """The rules that it stands for."""
        is_triple = self._graph.has_type(self._rule, IRI(SHACL + "TripleRule"))
        is_query = self._graph.has_type(self._rule, IRI(SHACL + "SPARQLRule"))
        if not (is_triple or is_query):
            raise TranslationError("neither a triple rule nor a SPARQL rule")
        for base in self._focus():
            yield from base.rules
            yield from self._queried(base) if is_query else self._triples(base)
        yield from self._conditions.rules

    # -- focus nodes ---------------------------------------------------------------------------------------------

    def _focus(self) -> list[Way]:
        """What says that ``this`` is a focus node, once for each target, or for all where there are conditions."""
        targets = list(self._targets())
        if not targets:
            raise TranslationError("its shape has no target that a rule can say")
        shapes = self._graph.objects(self._rule, IRI(SHACL + "condition"))
        if not shapes:
            return targets
        focus = FactAtom(f"focus-{digest(self._graph.text_of(self._shape) + self._graph.text_of(self._rule))}", (THIS,))
        rules = [each for way in targets for each in (*way.rules, *way.rule((focus,)))]
        violations = tuple(self._conditions.violated(shape, focus) for shape in shapes)
        return [Way((focus,), violations, rules=tuple(rules))]

    def _targets(self) -> Iterator[Way]:
        if self._graph.objects(self._shape, IRI(SHACL + "target")):
            raise TranslationError("a target that is a query (sh:target)")
        classes = list(self._graph.objects(self._shape, IRI(SHACL + "targetClass")))
        if any(self._graph.has_type(self._shape, each) for each in _CLASSES):
            classes.append(self._shape)
        for each in classes:
            yield from instance_ways(THIS, each)
        for node in self._graph.objects(self._shape, IRI(SHACL + "targetNode")):
            yield Way(same=((THIS, _named(node)),))
        for property in self._graph.objects(self._shape, IRI(SHACL + "targetSubjectsOf")):
            yield Way((TripleAtom(THIS, property, Variable("target_1")),))
        for property in self._graph.objects(self._shape, IRI(SHACL + "targetObjectsOf")):
            yield Way((TripleAtom(Variable("target_1"), property, THIS),))

    # -- what it gives -------------------------------------------------------------------------------------------

    def _queried(self, base: Way) -> list[Rule]:
        text = self._graph.required(self._rule, IRI(SHACL + "construct"))
        if not isinstance(text, Literal):
            raise TranslationError("sh:construct is not a string")
        return construct_rules(text.lexical, self._prefixes.of(self._rule), base, self._name)

    def _triples(self, base: Way) -> Iterator[Rule]:
        parts = [self._nodes(self._graph.required(self._rule, IRI(SHACL + part))) for part in _PARTS]
        for subject, first in parts[0]:
            for predicate, second in parts[1]:
                for object, third in parts[2]:
                    way = base.joined(first).joined(second).joined(third)
                    yield from template_rules([(subject, predicate, object)], [way], self._name)

    def _nodes(self, expression: Term, start: Argument = THIS) -> list[tuple[Argument, Way]]:
        """The terms that a node expression gives, each with what says so."""
        graph = self._graph
        if expression == _THIS_NODE:
            return [(THIS, Way())]
        if not isinstance(expression, BlankNode):
            return [(expression, Way())]
        union, intersection, path = (
            graph.value(expression, IRI(SHACL + name)) for name in ("union", "intersection", "path")
        )
        if union is not None:
            return [found for member in graph.members(union) for found in self._nodes(member)]
        if intersection is not None:
            return self._common([self._nodes(member) for member in graph.members(intersection)])
        if path is None:
            raise TranslationError("a node expression that is not a path, union or intersection")
        nodes = graph.value(expression, IRI(SHACL + "nodes"))
        self._number += 1
        end, reader = Variable(f"value_{self._number}"), PatternReader(Way(), self._name, f"value_{self._number}_")
        return [
            (end, way.joined(along))
            for begin, way in (self._nodes(nodes) if nodes is not None else [(start, Way())])
            for along in reader.path(begin, path_of(graph, path), end)
        ]

    @staticmethod
    def _common(members: list[list[tuple[Argument, Way]]]) -> list[tuple[Argument, Way]]:
        found, *others = members
        for other in others:
            found = [
                (one, way.joined(further).joined(Way(same=((one, two),))))
                for one, way in found
                for two, further in other
            ]
        return found


_PARTS: Final = ("subject", "predicate", "object")


def _named(node: Term) -> Term:
    if isinstance(node, BlankNode):
        raise TranslationError("a target node without a name")
    return node
