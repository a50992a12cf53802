"""What pyoxigraph parses: its quads as a part, its terms as keys, its errors as ours."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from kgreason.errors import LoadError, TermError, one_line
from kgreason.io.language_tags import NO_LANGUAGE, LongTermError, Tags
from kgreason.io.parts import Part
from kgreason.io.quads import DEFAULT_GRAPH, Ids, Quads
from kgreason.rdf.keys import check_untagged, normal_key
from kgreason.rdf.triple_keys import MOST_NESTED, triple_key
from kgreason.rdf.vocabulary import RDF

Progress: TypeAlias = Callable[[str, int], None]
"""Called with the name of the source and the number of triples read from it so far."""

_LONGEST_REASON = 160
_FULL = "buffer maximal size"
"""What pyoxigraph says, with a MemoryError, of a term that is too long for its buffer."""
_REMOTE_CONTEXT = "LoadDocumentCallback"
"""What pyoxigraph's parser of JSON-LD lacks for a context that is an address."""
_XML_LITERAL = RDF + "XMLLiteral"
_NONE: Ids = np.empty(0, dtype=np.uint32)
_LINE = re.compile(r"^Parser error (?:at|between) line \d+ ")
_COLUMN = re.compile(r"^(?:column|between columns) (\d+)(?: and (?:line \d+ column )?\d+)?: ")
_BROKEN_OFF = "line jumps"


@contextmanager
def reported(source: str) -> Iterator[None]:
    """Turn what pyoxigraph raises in the body into one LoadError that names the source."""
    try:
        with long_terms():
            yield
    except SyntaxError as error:
        raise LoadError(reason_of(error), path=source, line=error.lineno or None, column=column_of(error)) from None
    except UnicodeDecodeError as error:
        raise LoadError(f"not valid UTF-8: {error.reason}", path=source) from None
    except TermError as error:
        raise LoadError.like(error).locate(path=source) from None
    except ValueError as error:
        raise LoadError(one_line(error), path=source) from None


@contextmanager
def long_terms() -> Iterator[None]:
    """Turn what pyoxigraph raises for a term that fills its buffer, a MemoryError, into a `LongTermError`."""
    try:
        yield
    except MemoryError as error:
        if _FULL not in str(error):
            raise
        raise LongTermError from None


def reason_of(error: SyntaxError) -> str:
    """What pyoxigraph complains of, in one line, without the place.

    It is cut, as it may quote much of what was read, which is not for everyone who may have a file read.
    """
    reason = _COLUMN.sub("", _with_column(error))
    if _REMOTE_CONTEXT in reason:
        return "it refers to a context elsewhere, and contexts are not fetched (expected one in the document)"
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}..."


def column_of(error: SyntaxError) -> int | None:
    """The column where what pyoxigraph complains of begins; None where it says none."""
    reason = _with_column(error)
    place = _COLUMN.match(reason)
    # A line that breaks off is noticed in the first column of the next one.
    return None if place is None or reason[place.end() :].startswith(_BROKEN_OFF) else int(place[1])


def _with_column(error: SyntaxError) -> str:
    return _LINE.sub("", " ".join(str(error.msg).replace("\n", "\\n").split()))


def part_of(quads: Iterable[Quad], scope: str = "", tags: Tags | None = None) -> Part:
    """A part of parsed quads; `scope` is put before the labels of blank nodes, `tags` tells how those are written.
    Terms are looked up by their values, subjects and predicates by what came last, as files repeat them."""
    columns = [array("I") for _ in range(4)]
    add_graph, add_subject, add_predicate, add_object = (column.append for column in columns)
    identifiers: dict[str, int] = {}
    graphs: dict[object, int] = {}
    last_subject: object = None
    subject_id = 0
    for subject, predicate, object_, graph in quads:
        if subject is not last_subject and subject != last_subject:
            last_subject = subject
            subject_id = identifiers.setdefault(key_of_parsed(subject, scope), len(identifiers))
        kind = type(object_)
        key = object_.value if kind is NamedNode else key_of_parsed(object_, scope, tags)
        add_predicate(identifiers.setdefault(predicate.value, len(identifiers)))
        add_object(identifiers.setdefault(key, len(identifiers)))
        add_subject(subject_id)
        graph_id = graphs.get(graph)
        if graph_id is None:
            if isinstance(graph, DefaultGraph):
                graph_id = DEFAULT_GRAPH
            else:
                graph_id = identifiers.setdefault(key_of_parsed(graph, scope), len(identifiers))
            graphs[graph] = graph_id
        add_graph(graph_id)
    columns_of_ids = Quads(*(np.frombuffer(column, np.uint32) if len(column) else _NONE for column in columns))
    return Part(list(identifiers), columns_of_ids)


def key_of_parsed(term: object, scope: str = "", tags: Tags | None = None, depth: int = 0) -> str:
    """The dictionary's key of a parsed term, which pyoxigraph has validated; `depth` triple terms are around it.

    Raises:
        TermError: a datatype that asks for a language tag, or triple terms too deep inside of each other.
    """
    if isinstance(term, NamedNode):
        return term.value
    if isinstance(term, BlankNode):
        return f"_:{scope}{term.value}"
    if isinstance(term, Triple):
        if depth >= MOST_NESTED:
            raise TermError(f"more than {MOST_NESTED} triple terms are inside of each other")
        parts = (key_of_parsed(part, scope, tags, depth + 1) for part in (term.subject, term.predicate, term.object))
        return triple_key(*parts)
    assert isinstance(term, Literal), "pyoxigraph has no other terms"
    if term.language == NO_LANGUAGE:
        return f'"{term.value}"'
    if term.language is not None:
        tag = term.language if tags is None else tags.spelled(term.language)
        return f'"{term.value}"@{tag}' if term.direction is None else f'"{term.value}"@{tag}--{term.direction}'
    check_untagged(term.datatype.value)
    value = term.value
    if term.datatype.value == _XML_LITERAL:
        value = value.replace(f'xml:lang="{NO_LANGUAGE}"', 'xml:lang=""')
    return normal_key(f'"{value}"^^{term.datatype.value}')
