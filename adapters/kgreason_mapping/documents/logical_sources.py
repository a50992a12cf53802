"""Logical sources, from the graph to the model: paths of RML-IO, CSV on the Web's tables, and names of DataFrames."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode

from kgreason.errors import MappingError
from kgreason_mapping.documents.graph import MappingGraph, Value
from kgreason_mapping.documents.mapping_model import Dialect, Formulation, LogicalSource
from kgreason_mapping.documents.query_sources import query_source
from kgreason_mapping.documents.rml_vocabulary import CSVW, RML, in_rml
from kgreason_mapping.locations import of_iri

_FORMULATIONS: Final = {RML + one.value: one for one in Formulation}
_UTF8: Final = "UTF-8"
_TRUTH: Final = {"true": True, "1": True, "false": False, "0": False}
_DIALECT: Final = (
    "delimiter", "quoteChar", "doubleQuote", "header", "headerRowCount", "skipRows", "commentPrefix", "trim"
)  # fmt: skip
_FIXED: Final = {
    "headerRowCount": ("0", "1"),
    "skipColumns": ("0",),
    "skipInitialSpace": ("false", "0"),
    "skipBlankRows": ("true", "1"),
}
"""Properties of a dialect with the values that they may have."""
_LONGEST_NUMBER: Final = 18
_WORKING_DIRECTORY: Final = RML + "CurrentWorkingDirectory"
_MAPPING_DIRECTORY: Final = RML + "MappingDirectory"


def logical_source(graph: MappingGraph, node: Value) -> LogicalSource:
    """The source that a node describes.

    Raises:
        MappingError: it is incomplete, or of another kind than files, tables, queries and DataFrames.
    """
    asked = query_source(graph, node)
    if asked is not None:
        return asked
    source = one_value(graph, node, "source")
    if source is None:
        raise MappingError("its logical source has no rml:source")
    iterator = one_value(graph, node, "iterator")
    nulls = [*graph.values(source, "null"), *graph.values(source, CSVW + "null")]
    _check_compression(graph, source)
    return LogicalSource(
        location=_location(graph, source),
        root=_root(graph, source),
        formulation=formulation(graph, node),
        iterator=iterator.value if iterator is not None else None,
        nulls=frozenset(one.value for one in nulls if isinstance(one, Literal)),
        dialect=_dialect(graph, source),
        encoding=_encoding(graph, source),
        namespaces=namespaces(graph, node),
    )


def _location(graph: MappingGraph, source: Value) -> str:
    path = one_value(graph, source, "path") or one_value(graph, source, CSVW + "url")
    if path is not None:
        return _place(path)
    if isinstance(source, BlankNode):
        raise MappingError("its source has no rml:path")
    return _place(source)


def _root(graph: MappingGraph, source: Value) -> str | None:
    if one_value(graph, source, "path") is None:
        return None
    root = one_value(graph, source, "root")
    if root is None or in_rml(root.value) == _WORKING_DIRECTORY:
        return ""
    return None if in_rml(root.value) == _MAPPING_DIRECTORY else _place(root)


def _place(given: Value) -> str:
    """A location; in one that is written as an IRI, characters are escaped that stand for themselves elsewhere."""
    return of_iri(given.value) if isinstance(given, NamedNode) else given.value


def formulation(graph: MappingGraph, node: Value) -> Formulation | None:
    """How the references of records are written, by a node; None where it does not say.

    Raises:
        MappingError: it says two ways, or one that is not supported.
    """
    given = one_value(graph, node, "referenceFormulation")
    if given is None:
        return None
    known = _FORMULATIONS.get(in_rml(given.value))
    if known is None and graph.is_a(given, "XPathReferenceFormulation"):
        known = Formulation.XML
    if known is None:
        raise MappingError(f"its reference formulation {given.value} is not CSV, JSONPath, XPath or Parquet")
    return known


def namespaces(graph: MappingGraph, node: Value) -> tuple[tuple[str, str], ...]:
    """The prefixes of an XPath reference formulation, in order; MappingError for a half of one."""
    found = []
    for formulation in graph.values(node, "referenceFormulation"):
        for one in graph.values(formulation, "namespace"):
            prefix, iri = one_value(graph, one, "namespacePrefix"), one_value(graph, one, "namespaceURL")
            if prefix is None or iri is None:
                raise MappingError("a namespace of its reference formulation lacks its prefix or its URL")
            found.append((prefix.value, iri.value))
    return tuple(sorted(found))


def _dialect(graph: MappingGraph, source: Value) -> Dialect | None:
    """The dialect of a CSV file; MappingError for a property of it that would be passed over."""
    described = one_value(graph, source, CSVW + "dialect")
    if described is None:
        return None
    given = {name: one_value(graph, described, CSVW + name) for name in (*_DIALECT, *_FIXED)}
    for name, value in given.items():
        if value is not None and name in _FIXED and value.value not in _FIXED[name]:
            raise MappingError(f"the dialect of its source has {value.value!r} for csvw:{name}, which is not supported")
    texts = {name: value.value for name, value in given.items() if value is not None}
    standard = Dialect()
    quote = texts.get("quoteChar", standard.quote)
    double_quote = _truth(texts, "doubleQuote", standard.double_quote)
    taken = "\r\n" if double_quote else "\r\n\\"
    return Dialect(
        delimiter=_character(texts.get("delimiter", standard.delimiter), taken + (quote or "")),
        quote=_character(quote, taken) if quote else None,
        double_quote=double_quote,
        header=_truth(texts, "header", standard.header) and texts.get("headerRowCount") != "0",
        skip_rows=_number(texts.get("skipRows", "0")),
        comment=texts.get("commentPrefix") or None,
        trim=_truth(texts, "trim", standard.trim),
    )


def _character(given: str, taken: str) -> str:
    """A character that does not mean something else already."""
    if len(given) != 1:
        raise MappingError(f"the dialect of its source has {given!r} where one character must be")
    if given in taken:
        raise MappingError(f"the dialect of its source has {given!r} for two things")
    return given


def _truth(texts: Mapping[str, str], name: str, standard: bool) -> bool:
    given = texts.get(name)
    if given is not None and given not in _TRUTH:
        raise MappingError(f"the dialect of its source has {given!r} for csvw:{name}", expected="true or false")
    return standard if given is None else _TRUTH[given]


def _number(given: str) -> int:
    if not (given.isascii() and given.isdigit() and len(given) <= _LONGEST_NUMBER):
        raise MappingError(f"the dialect of its source has {given!r} for csvw:skipRows", expected="a number")
    return int(given)


def _encoding(graph: MappingGraph, source: Value) -> str | None:
    dialect = one_value(graph, source, CSVW + "dialect")
    given = one_value(graph, source, "encoding")
    if given is None and dialect is not None:
        given = one_value(graph, dialect, CSVW + "encoding")
    if given is None:
        return None
    name = given.value.rpartition("/")[2]
    try:
        # Some codecs of Python make bytes of bytes, or nothing at all.
        "\n".encode(name)
        return _UTF8 if codecs.lookup(name).name == "utf-8" else name
    except (LookupError, ValueError):
        raise MappingError(f"the encoding {name!r} of its source is unknown") from None


def _check_compression(graph: MappingGraph, source: Value) -> None:
    given = one_value(graph, source, "compression")
    if given is None or in_rml(given.value) == RML + "none":
        return
    if in_rml(given.value) != RML + "gzip" or not _location(graph, source).endswith(".gz"):
        raise MappingError("a compressed source is a .gz file; unpack archives first")


def one_value(graph: MappingGraph, node: Value, name: str) -> NamedNode | Literal | BlankNode | None:
    """The one value of a property of a logical source; None where there is none, MappingError for several."""
    found = graph.values(node, name)
    if len(found) > 1:
        raise MappingError(f"its logical source has two values for {name.rpartition('#')[2]}")
    return found[0] if found else None
