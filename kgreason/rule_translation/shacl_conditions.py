"""Conditions of SHACL rules: for each shape a relation of the nodes that violate it, which the rule denies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.program.rules import Aggregate, AggregateValue, Expression, FactAtom, Rule, TripleAtom
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import RDF_TYPE, RDFS, SHACL, XSD_BOOLEAN, XSD_INTEGER
from kgreason.rule_translation.query_patterns import PatternReader
from kgreason.rule_translation.rule_graph import RuleGraph, TranslationError, digest
from kgreason.rule_translation.ways import THIS, Way
from kgreason.sparql import algebra
from kgreason.sparql.algebra import Path

_VALUE: Final = Variable("value")
_TYPE, _SUBCLASS = IRI(RDF_TYPE), IRI(RDFS + "subClassOf")
_BELOW: Final = algebra.Repeat(_SUBCLASS, optional=False, once=False)
_FALSE: Final = Literal("false", XSD_BOOLEAN)
_COMPARED: Final = {"minInclusive": ">=", "minExclusive": ">", "maxInclusive": "<=", "maxExclusive": "<"}
_KINDS: Final = {
    "IRI": ("isiri",), "BlankNode": ("isblank",), "Literal": ("isliteral",), "BlankNodeOrIRI": ("isblank", "isiri"),
    "BlankNodeOrLiteral": ("isblank", "isliteral"), "IRIOrLiteral": ("isiri", "isliteral"),
}  # fmt: skip
_SAY_NOTHING: Final = frozenset((
    "path", "name", "description", "order", "group", "message", "severity", "rule", "deactivated", "targetClass",
    "targetNode", "targetSubjectsOf", "targetObjectsOf", "flags", "defaultValue",
))  # fmt: skip


def instance_ways(member: Variable, class_: Term) -> list[Way]:
    """What says that a thing is of a class, or of one below it."""
    if not isinstance(class_, IRI):
        raise TranslationError("a class without a name")
    below = Variable("below_1")
    typed = Way((TripleAtom(member, _TYPE, below),))
    further = [typed.joined(way) for way in PatternReader(Way(), "").path(below, _BELOW, class_)]
    return [Way((TripleAtom(member, _TYPE, class_),)), *further]


def path_of(graph: RuleGraph, node: Term) -> Path:
    """The property path that a node describes."""
    if isinstance(node, IRI):
        return node
    for name, made in _PATHS.items():
        inner = graph.value(node, IRI(SHACL + name))
        if inner is not None:
            return made(path_of(graph, inner))
    choices = graph.value(node, IRI(SHACL + "alternativePath"))
    if choices is not None:
        return algebra.Alternative(tuple(path_of(graph, each) for each in graph.members(choices)))
    return algebra.Sequence(tuple(path_of(graph, each) for each in graph.members(node)))


_PATHS: Final[dict[str, Callable[[Path], Path]]] = {
    "inversePath": algebra.Inverse,
    "zeroOrMorePath": lambda path: algebra.Repeat(path, optional=True, once=False),
    "oneOrMorePath": lambda path: algebra.Repeat(path, optional=False, once=False),
    "zeroOrOnePath": lambda path: algebra.Repeat(path, optional=True, once=True),
}


class Conditions:
    """The relations of violations of some shapes, and their rules."""

    def __init__(self, graph: RuleGraph) -> None:
        self._graph = graph
        self.rules: list[Rule] = []

    def violated(self, shape: Term, focus: FactAtom) -> FactAtom:
        """The atom that ``this``, of which `focus` says that it is looked at, violates a shape."""
        violation = FactAtom(f"violates-{digest(f'{self._graph.text_of(shape)} {focus}')}", (THIS,))
        values = self._values(shape, focus)
        for predicate, value in self._graph.statements(shape):
            name = predicate.value.removeprefix(SHACL)
            if predicate.value.startswith(SHACL) and name not in _SAY_NOTHING:
                self.rules += self._violations(name, value, shape, focus, values, violation)
        return violation

    def _values(self, shape: Term, focus: FactAtom) -> FactAtom:
        """The values of a property shape, or the node itself."""
        path = self._graph.value(shape, IRI(SHACL + "path"))
        values = FactAtom(f"values-{digest(f'{self._graph.text_of(shape)} {focus}')}", (THIS, _VALUE))
        ways = [Way(same=((THIS, _VALUE),))]
        if path is not None:
            ways = PatternReader(Way(), "value_").path(THIS, path_of(self._graph, path), _VALUE)
        for way in ways:
            self.rules += (*way.rules, *Way((focus,)).joined(way).rule((values,)))
        return values

    def _violations(
        self, name: str, value: Term, shape: Term, focus: FactAtom, values: FactAtom, violation: FactAtom
    ) -> Iterator[Rule]:
        """The rules for violations of one constraint."""
        is_property = bool(self._graph.objects(shape, IRI(SHACL + "path")))
        wrong = self._wrong_value(name, value, shape)
        if wrong is not None:
            yield Rule((violation,), (values,), (), (wrong,))
        elif name == "class":
            instance = FactAtom(f"instance-of-{digest(str(value))}", (_VALUE,))
            for way in instance_ways(_VALUE, value):
                yield from (*way.rules, *way.rule((instance,)))
            yield Rule((violation,), (values,), (instance,))
        elif name == "hasValue":
            present = FactAtom(f"has-{digest(f'{values} {value}')}", (THIS,))
            yield Rule((present,), (FactAtom(values.name, (THIS, value)),))
            yield Rule((violation,), (focus,), (present,))
        elif name == "equals" and isinstance(value, IRI):
            yield Rule((violation,), (values,), (TripleAtom(THIS, value, _VALUE),))
            yield Rule((violation,), (focus, TripleAtom(THIS, value, _VALUE)), (values,))
        elif name in ("minCount", "maxCount") and is_property:
            yield from self._counted(name, value, focus, values, violation)
        elif name in ("not", "node", "property", "and", "or"):
            yield from self._nested(name, value, values, violation)
        else:
            raise TranslationError(f"sh:{name} in a condition")

    def _counted(
        self, name: str, value: Term, focus: FactAtom, values: FactAtom, violation: FactAtom
    ) -> Iterator[Rule]:
        count = Variable("count")
        aggregate = Aggregate((values,), (THIS,), (AggregateValue(count, "count", _VALUE),))
        limit = Literal(value.lexical if isinstance(value, Literal) else "", XSD_INTEGER)
        if name == "maxCount":
            yield Rule((violation,), (), (), (Call(">", (count, limit)),), aggregates=(aggregate,))
            return
        enough = FactAtom(f"enough-{digest(f'{values} {limit}')}", (THIS,))
        yield Rule((enough,), (), (), (Call(">=", (count, limit)),), aggregates=(aggregate,))
        if limit.lexical != "0":
            yield Rule((violation,), (focus,), (enough,))

    def _nested(self, name: str, value: Term, values: FactAtom, violation: FactAtom) -> Iterator[Rule]:
        """Shapes of the values: these are looked at in their turn."""
        looked_at = FactAtom(f"looked-at-{digest(f'{name} {self._graph.text_of(value)} {values}')}", (THIS,))
        yield Rule((FactAtom(looked_at.name, (_VALUE,)),), (values,))
        shapes = self._graph.members(value) if name in ("and", "or") else [value]
        wrong = [FactAtom(self.violated(shape, looked_at).name, (_VALUE,)) for shape in shapes]
        if name == "not":
            yield Rule((violation,), (values,), (wrong[0],))
        elif name == "or":
            yield Rule((violation,), (values, *wrong))
        else:
            for each in wrong:
                yield Rule((violation,), (values, each))

    def _wrong_value(self, name: str, value: Term, shape: Term) -> Expression | None:
        """The condition that a single value violates a constraint; None for constraints about more than that."""
        right: Expression | None = None
        if name == "datatype":
            right = Call("&&", (Call("=", (Call("datatype", (_VALUE,)), value)), Call("wellformed", (_VALUE,))))
        elif name == "nodeKind" and isinstance(value, IRI):
            kinds = _KINDS.get(value.value.removeprefix(SHACL), ())
            right = _any([Call(kind, (_VALUE,)) for kind in kinds])
        elif name == "in":
            right = _any([Call("sameterm", (_VALUE, member)) for member in self._graph.members(value)])
        elif name in _COMPARED:
            right = Call(_COMPARED[name], (_VALUE, value))
        elif name == "pattern":
            flags = self._graph.objects(shape, IRI(SHACL + "flags"))
            right = Call("regex", (Call("str", (_VALUE,)), value, *flags))
        elif name in ("minLength", "maxLength"):
            right = Call(">=" if name == "minLength" else "<=", (Call("strlen", (Call("str", (_VALUE,)),)), value))
        return None if right is None else Call("!", (Call("coalesce", (right, _FALSE)),))


def _any(tests: list[Call[object]]) -> Expression:
    if not tests:
        return _FALSE
    return tests[0] if len(tests) == 1 else Call("||", tuple(tests))  # type: ignore[arg-type,return-value]  # of rules
