"""Triples maps as a tree: the quads and problems of the rows of each source, and the quads of joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kgreason.errors import MappingError
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason_mapping.documents.mapping_model import (
    AnySource,
    Constant,
    Mapping,
    PredicateObjectMap,
    ReferencingObjectMap,
    TermMap,
    TriplesMap,
)
from kgreason_mapping.documents.rml_vocabulary import RML
from kgreason_mapping.plan.term_rules import term_rule, text_value
from kgreason_mapping.plan.tree import (
    ConstantTerm,
    Guarded,
    JoinPlan,
    MappingPlan,
    ProblemRule,
    QuadRule,
    SourcePlan,
    TermRule,
    TextValue,
)

DEFAULT_GRAPH: Final = RML + "defaultGraph"

_TYPE: Final = ConstantTerm(RDF_TYPE)


def compile_mapping(mapping: Mapping, base: str | None = None) -> MappingPlan:
    """The tree of a mapping; `base` stands before relative IRIs of triples maps without a base of their own.

    Raises:
        MappingError: a triples map can make no valid terms with any data; names it.
    """
    sources = tuple(dict.fromkeys(one.source for one in mapping.triples_maps))
    plans = tuple(_source_plan(mapping, source, number, base) for number, source in enumerate(sources))
    joins = [join for one in mapping.triples_maps for join in _joins(mapping, one, sources, base)]
    return MappingPlan(plans, tuple(joins))


def _source_plan(mapping: Mapping, source: AnySource | None, number: int, base: str | None) -> SourcePlan:
    quads: list[QuadRule] = []
    problems: list[ProblemRule] = []
    subjects: dict[str, TermRule] = {}
    for triples_map in (one for one in mapping.triples_maps if one.source == source):
        try:
            compiler = _Compiler(mapping, triples_map, base)
            quads += compiler.quads()
            problems += compiler.problems()
            subjects[triples_map.name] = compiler.subject
        except MappingError as error:
            raise MappingError(error.reason, error.triples_map or triples_map.name) from None
    return SourcePlan(source, number, tuple(quads), tuple(problems), subjects)


class _Compiler:
    """The quads and problems of one triples map."""

    def __init__(self, mapping: Mapping, triples_map: TriplesMap, base: str | None) -> None:
        self._mapping = mapping
        self._map = triples_map
        self._base = triples_map.base or base
        self._default_base = base
        self.subject = term_rule(triples_map.subject, self._base)

    def quads(self) -> Iterator[QuadRule]:
        """The quads of a row, but for those of joins."""
        graphs = _graph_rules(self._map, None, self._base)
        for name in self._map.classes:
            for graph in graphs:
                yield QuadRule(self.subject, _TYPE, ConstantTerm(name), graph)
        for pairs in self._map.predicate_objects:
            objects = [*self._rules(pairs.objects), *self._parent_subjects(pairs)]
            for predicate in self._rules(pairs.predicates):
                for object_ in objects:
                    for graph in _graph_rules(self._map, pairs, self._base):
                        yield QuadRule(self.subject, predicate, object_, graph)

    def problems(self) -> Iterator[ProblemRule]:
        """What may be bad in a row; where the subject is bad or there is none, only that is told."""
        if isinstance(self.subject, Guarded):
            yield ProblemRule(self._map.name, "condition of the subject", TextValue(self.subject.condition), None)
        yield ProblemRule(self._map.name, "subject", self.subject, None)
        yield from self._problems("graph", self._rules(self._map.graphs))
        for pairs in self._map.predicate_objects:
            what = _described(pairs)
            yield from self._problems(f"predicate {what}", self._rules(pairs.predicates))
            yield from self._problems(f"object of {what}", self._rules(pairs.objects))
            own = self._rules(one for one in pairs.graphs if one not in self._map.graphs)
            yield from self._problems(f"graph of {what}", own)
        for compared in self._compared():
            yield ProblemRule(self._map.name, "join condition", compared, self.subject)

    def _problems(self, part: str, rules: Sequence[TermRule]) -> Iterator[ProblemRule]:
        for rule in rules:
            if not isinstance(rule, ConstantTerm):
                if isinstance(rule, Guarded):
                    yield ProblemRule(self._map.name, f"condition of the {part}", TextValue(rule.condition), None)
                yield ProblemRule(self._map.name, part, rule, self.subject)

    def _rules(self, term_maps: Iterator[TermMap] | Sequence[TermMap]) -> list[TermRule]:
        return [term_rule(one, self._base) for one in term_maps]

    def _parent_subjects(self, pairs: PredicateObjectMap) -> Iterator[TermRule]:
        for reference in pairs.referencing:
            if not reference.conditions:
                parent = self._mapping.triples_map(reference.parent)
                yield term_rule(parent.subject, parent.base or self._default_base)

    def _compared(self) -> list[TextValue]:
        """What joins compare in a row; what is malformed on the parent's side belongs to the parent."""
        found: list[TextValue] = []
        for triples_map in self._mapping.triples_maps:
            for one in (one for pairs in triples_map.predicate_objects for one in pairs.referencing):
                found += [text_value(side.child) for side in one.conditions if triples_map is self._map]
                found += [text_value(side.parent) for side in one.conditions if one.parent == self._map.name]
        return list(dict.fromkeys(found))


def _joins(
    mapping: Mapping, child: TriplesMap, sources: Sequence[AnySource | None], base: str | None
) -> Iterator[JoinPlan]:
    for pairs in child.predicate_objects:
        for reference in pairs.referencing:
            if reference.conditions:
                yield _join(child, pairs, reference, mapping.triples_map(reference.parent), sources, base)


def _join(
    child: TriplesMap,
    pairs: PredicateObjectMap,
    reference: ReferencingObjectMap,
    parent: TriplesMap,
    sources: Sequence[AnySource | None],
    base: str | None,
) -> JoinPlan:
    own = child.base or base
    subject = term_rule(child.subject, own)
    predicates = [term_rule(one, own) for one in pairs.predicates]
    return JoinPlan(
        triples_map=child.name,
        child=sources.index(child.source),
        parent=sources.index(parent.source),
        conditions=tuple((text_value(one.child), text_value(one.parent)) for one in reference.conditions),
        object=term_rule(parent.subject, parent.base or base),
        quads=tuple((subject, one, graph) for one in predicates for graph in _graph_rules(child, pairs, own)),
    )


def _graph_rules(triples_map: TriplesMap, pairs: PredicateObjectMap | None, base: str | None) -> list[TermRule | None]:
    """The graphs that triples go to: those of the subject and of the predicate-object map, or the default graph."""
    own = pairs.graphs if pairs is not None else ()
    rules = [term_rule(one, base) for one in dict.fromkeys(triples_map.graphs + own)]
    return [None if one == ConstantTerm(DEFAULT_GRAPH) else one for one in rules] or [None]


def _described(pairs: PredicateObjectMap) -> str:
    named = [one.expression.key for one in pairs.predicates if isinstance(one.expression, Constant)]
    return ", ".join(f"<{name}>" for name in named) or "(computed predicate)"
