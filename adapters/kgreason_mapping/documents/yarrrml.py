"""YARRRML, the mapping language in YAML, as statements of RML: https://rml.io/yarrrml/spec.

    mappings:
      person:
        sources: [["people.csv~csv"]]
        s: http://example.org/$(id)
        po: [[a, foaf:Person], [foaf:name, $(name), en~lang]]

Sources, subjects, predicates, objects, graphs, languages, datatypes, joins, functions and conditions are translated;
what has no meaning in RML is refused with the name of its mapping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from kgreason.errors import MappingError
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason_mapping.documents.rml_vocabulary import RML
from kgreason_mapping.documents.yarrrml_syntax import (
    Names,
    check_keys,
    iri_of,
    key_of,
    many,
    one_text,
    reference_in,
    template_of,
)

_Node = NamedNode | BlankNode
_SOURCES: Final = ("sources", "source")
_SUBJECTS: Final = ("subjects", "subject", "s")
_PAIRS: Final = ("predicateobjects", "predicateobject", "po")
_PREDICATES: Final = ("predicates", "predicate", "p")
_OBJECTS: Final = ("objects", "object", "o")
_GRAPHS: Final = ("graphs", "graph", "g")
_CONDITIONS: Final = ("condition", "conditions")
_OF_MAPPING: Final = (*_SOURCES, *_SUBJECTS, *_PAIRS, *_GRAPHS, *_CONDITIONS)
_OF_PAIR: Final = (*_PREDICATES, *_OBJECTS, *_GRAPHS, *_CONDITIONS, "type")
SCOPE: Final = "urn:yarrrml:"
"""What the names of mappings stand behind, as IRIs."""
_FORMULATIONS: Final = {"csv": "CSV", "jsonpath": "JSONPath", "json": "JSONPath", "xpath": "XPath", "xml": "XPath",
                        "parquet": "Parquet"}  # fmt: skip
_TYPES: Final = {"iri": "IRI", "literal": "Literal", "blank": "BlankNode", "blanknode": "BlankNode"}
_FIRST, _SECOND = ("str1", "grel:valueParameter", "valueParameter"), ("str2", "grel:valueParameter2", "valueParameter2")


def statements_of(document: Any) -> Iterator[Triple]:
    """The statements of RML that a document, as YAML has it, stands for.

    Raises:
        MappingError: it is not YARRRML; names the mapping.
    """
    if not isinstance(document, dict):
        raise MappingError("it is not YARRRML: its top level is not a map")
    names = Names.of(document)
    sources = document.get("sources") or {}
    if not isinstance(sources, dict):
        raise MappingError("its sources are not a map")
    mappings = key_of(document, "mappings", "mapping", "m")
    if not isinstance(mappings, dict) or not mappings:
        raise MappingError("it has no mappings")
    for name, given in mappings.items():
        if not isinstance(given, dict):
            raise MappingError("it is not a map of source, subject and predicate-objects", str(name))
        try:
            yield from _TriplesMaps(names, sources, str(name), given).statements()
        except MappingError as error:
            raise MappingError(error.reason, error.triples_map or str(name), expected=error.expected) from None


class _TriplesMaps:
    """The triples maps of one mapping: one for each combination of its sources and subjects."""

    def __init__(self, names: Names, sources: Mapping[str, Any], name: str, given: Mapping[str, Any]) -> None:
        self._names, self._sources, self._name, self._given = names, sources, name, given
        self._made: list[Triple] = []

    def statements(self) -> list[Triple]:
        """The triples of RML that say the same; MappingError for what YARRRML does not have."""
        check_keys(self._given, _OF_MAPPING)
        sources = list(many(key_of(self._given, *_SOURCES)))
        # A list of texts is one source, a list of lists several.
        if sources and isinstance(sources[0], str) and sources[0] not in self._sources:
            sources = [sources]
        subjects = list(many(key_of(self._given, *_SUBJECTS))) or [None]
        if not sources:
            raise MappingError("it has no source")
        number = 0
        for source in sources:
            for subject in subjects:
                node = _node_of(self._name, number)
                self._add(node, RDF_TYPE, NamedNode(RML + "TriplesMap"))
                self._add(node, "logicalSource", self._source(source))
                if self._names.base:
                    self._add(node, "baseIRI", iri_of(self._names.base))
                self._add(node, "subjectMap", self._subject(subject))
                for pair in many(key_of(self._given, *_PAIRS)):
                    self._add(node, "predicateObjectMap", self._pair(pair))
                number += 1
        return self._made

    def _add(self, subject: _Node, name: str, value: NamedNode | BlankNode | Literal) -> None:
        self._made.append(Triple(subject, NamedNode(name if ":" in name else RML + name), value))

    def _source(self, given: Any) -> BlankNode:
        if isinstance(given, str) and given in self._sources:
            given = self._sources[given]
        node = BlankNode()
        if isinstance(given, dict):
            access, iterator = given.get("access"), given.get("iterator")
            formulation = given.get("referenceFormulation")
            if (query := given.get("query")) is not None:
                self._add(node, "query", Literal(str(query)))
                return node
        else:
            place, *rest = [one_text(one) for one in many(given)] or [""]
            access, _, formulation = place.partition("~")
            iterator = rest[0] if rest else None
        if not access or (formulation and str(formulation).lower() not in _FORMULATIONS):
            raise MappingError(f"its source {given} has no access, or a formulation that is not known")
        self._add(node, "source", Literal(str(access)))
        if formulation:
            self._add(node, "referenceFormulation", NamedNode(RML + _FORMULATIONS[str(formulation).lower()]))
        if iterator is not None:
            self._add(node, "iterator", Literal(str(iterator)))
        return node

    def _subject(self, given: Any) -> BlankNode:
        node = BlankNode()
        if given is None:
            self._add(node, "termType", NamedNode(RML + "BlankNode"))
        else:
            self._value(node, given, is_iri=True)
        for graph in many(key_of(self._given, *_GRAPHS)):
            self._add(node, "graphMap", self._term(graph))
        self._condition(node, self._given)
        return node

    def _term(self, given: Any) -> BlankNode:
        """A term map that makes IRIs."""
        node = BlankNode()
        self._value(node, given, is_iri=True)
        return node

    def _pair(self, given: Any) -> BlankNode:
        node = BlankNode()
        pair: Mapping[str, Any]
        if isinstance(given, list):
            if not 2 <= len(given) <= 3:
                raise MappingError(f"the predicate-object {given} is not a list of a predicate, an object and its type")
            pair = {"p": given[0], "o": given[1], "type": given[2] if len(given) == 3 else None}
        elif isinstance(given, dict):
            check_keys(given, _OF_PAIR)
            pair = given
        else:
            raise MappingError(f"the predicate-object {given} is neither a list nor a map")
        predicates = list(many(key_of(pair, *_PREDICATES)))
        is_type = False
        for predicate in predicates:
            iri = RDF_TYPE if predicate == "a" else predicate
            is_type |= isinstance(iri, str) and self._names.expanded(iri) == RDF_TYPE
            self._add(node, "predicateMap", self._term(iri))
        objects = key_of(pair, *_OBJECTS)
        for one in [objects] if _is_object(objects) else many(objects):
            self._add(node, "objectMap", self._object(one, pair.get("type"), is_iri=is_type))
        for graph in many(key_of(pair, *_GRAPHS)):
            self._add(node, "graphMap", self._term(graph))
        self._condition(node, pair)
        return node

    def _object(self, given: Any, kind: Any, *, is_iri: bool) -> BlankNode:
        node = BlankNode()
        if isinstance(given, list):
            if not given:
                raise MappingError("an object is an empty list")
            given, kind = given[0], given[1] if len(given) > 1 else kind
        if isinstance(given, dict) and (parent := key_of(given, "mapping", "mappings")) is not None:
            self._add(node, "parentTriplesMap", _node_of(str(parent), 0))
            for condition in many(key_of(given, *_CONDITIONS)):
                self._add(node, "joinCondition", self._join(condition))
            return node
        datatype = language = None
        if isinstance(given, dict):
            datatype, language = given.get("datatype"), key_of(given, "language", "lang")
            kind = given.get("type") or kind
        if isinstance(kind, str) and kind.lower() in _TYPES:
            self._add(node, "termType", NamedNode(RML + _TYPES[kind.lower()]))
            is_iri = kind.lower() == "iri"
        elif isinstance(kind, str) and kind.endswith("~lang"):
            language = kind.removesuffix("~lang")
        elif kind is not None:
            datatype = kind
        self._value(node, given, is_iri=is_iri)
        if language is not None:
            self._add(node, "languageMap", self._text(language))
        if datatype is not None:
            self._add(node, "datatypeMap", self._term(datatype))
        return node

    def _value(self, node: _Node, given: Any, *, is_iri: bool) -> None:
        """What a term map is made of: a text, or a function."""
        if _is_call(given):
            self._add(node, "functionExecution", self._execution(given))
            if is_iri:
                self._add(node, "termType", NamedNode(RML + "IRI"))
            return
        text = one_text(key_of(given, "value", "v") if isinstance(given, dict) else given)
        self._text_value(node, text.removesuffix("~iri"), is_iri=is_iri or text.endswith("~iri"))

    def _text_value(self, node: _Node, text: str, *, is_iri: bool) -> None:
        """A reference, a template, or a constant, which has no references in it."""
        expanded = self._names.expanded(text) if is_iri else text
        template = template_of(expanded)
        if template is None:
            self._add(node, "constant", iri_of(expanded) if is_iri else Literal(expanded))
            return
        reference = reference_in(text)
        self._add(node, "template" if reference is None else "reference", Literal(reference or template))
        if not any(triple.subject == node and triple.predicate.value == RML + "termType" for triple in self._made):
            self._add(node, "termType", NamedNode(RML + ("IRI" if is_iri else "Literal")))

    def _text(self, given: Any) -> BlankNode:
        """A map that makes texts: of languages, conditions and inputs."""
        node = BlankNode()
        text = one_text(given)
        template, reference = template_of(text), reference_in(text)
        if template is None:
            self._add(node, "constant", Literal(text))
        else:
            self._add(node, "template" if reference is None else "reference", Literal(reference or template))
        return node

    def _condition(self, node: _Node, given: Mapping[str, Any]) -> None:
        condition = key_of(given, *_CONDITIONS)
        if condition is not None:
            holder = BlankNode()
            self._add(holder, "functionExecution", self._execution(condition))
            self._add(node, "condition", holder)

    def _execution(self, given: Any) -> BlankNode:
        function = key_of(given, "function", "fn", "f") if isinstance(given, dict) else None
        if not isinstance(function, str) or "(" in function:
            raise MappingError(f"the function {given} has no name, or its parameters in one text with that")
        node = BlankNode()
        self._add(node, "function", iri_of(self._names.function(function)))
        for name, value, _ in _parameters(given):
            one = BlankNode()
            self._add(one, "parameter", iri_of(self._names.function(name)))
            if _is_call(value):
                holder = BlankNode()
                self._add(holder, "functionExecution", self._execution(value))
            else:
                holder = self._text(value)
            self._add(one, "inputValueMap", holder)
            self._add(node, "input", one)
        return node

    def _join(self, given: Any) -> BlankNode:
        """A condition that two texts are equal, the first of them the child's."""
        function = key_of(given, "function", "fn", "f") if isinstance(given, dict) else None
        sides = {name: (value, side) for name, value, side in _parameters(given)} if function else {}
        first = next((sides[name] for name in _FIRST if name in sides), None)
        second = next((sides[name] for name in _SECOND if name in sides), None)
        if not str(function).rpartition(":")[2] == "equal" or first is None or second is None:
            raise MappingError(f"the condition {given} of a join is not equal with str1 and str2")
        if (first[1], second[1]) == ("o", "s"):
            first, second = second, first
        node = BlankNode()
        self._add(node, "childMap", self._text(first[0]))
        self._add(node, "parentMap", self._text(second[0]))
        return node


def _node_of(name: str, number: int) -> NamedNode:
    """The triples map of a mapping; where there are several, the others have a number behind the name."""
    return NamedNode(f"{SCOPE}{quote(name, safe='')}{f'.{number}' if number else ''}")


def _is_object(given: Any) -> bool:
    """Whether a list is one object with its type: a text and a language, or a datatype."""
    return isinstance(given, list) and len(given) == 2 and isinstance(given[1], str) and (
        given[1].endswith("~lang") or (":" in given[1] and "$(" not in given[1] and not given[1].endswith("~iri"))
    )  # fmt: skip


def _is_call(given: Any) -> bool:
    return isinstance(given, dict) and key_of(given, "function", "fn", "f") is not None


def _parameters(given: Mapping[str, Any]) -> Iterator[tuple[str, Any, str | None]]:
    """The names of parameters with their values, and of which side of a join these are: s or o."""
    for one in many(key_of(given, "parameters", "pms")):
        if isinstance(one, dict):
            yield str(key_of(one, "parameter", "pm")), key_of(one, "value", "v"), one.get("from")
        elif isinstance(one, list) and 2 <= len(one) <= 3:
            yield str(one[0]), one[1], {"s": "s", "o": "o", "subject": "s", "object": "o"}.get(str(one[-1]))
        else:
            raise MappingError(f"the parameter {one} is neither a list nor a map")
