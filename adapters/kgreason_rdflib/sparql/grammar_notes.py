"""Notes of SPARQL's grammar, beside its rules, that rdflib's parser does not check: labels of blank nodes, places
of variables and blank nodes in updates, lengths of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pyparsing import ParseResults
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import BNode, Node, Variable

from kgreason.errors import QueryError

_DATA: Final = {"InsertData": "INSERT DATA", "DeleteData": "DELETE DATA"}
_DELETED: Final = {"DeleteData": "DELETE DATA", "DeleteWhere": "DELETE WHERE", "DeleteClause": "DELETE"}


def check_query(tree: Any) -> None:
    """Check a parse tree with its literals made.

    Raises:
        QueryError: a label of a blank node is in two basic graph patterns, or a row of VALUES has another length than
            its variables.
    """
    seen: set[BNode] = set()
    for part in _parts(tree):
        if part.name == "GroupGraphPatternSub":
            _check_labels(part, seen)
        elif part.name in ("InlineData", "ValuesClause"):
            _check_rows(part)


def check_request(tree: CompValue) -> None:
    """Check the parse tree of an update request.

    Raises:
        QueryError: what `check_query` refuses in a WHERE; a variable in data; a blank node in what is to be deleted; a
            label of a blank node in the data of two operations.
    """
    seen: set[BNode] = set()
    for operation in tree.request or ():
        check_query(operation)
        for part in _parts(operation):
            kind = part.name.partition("_")[0]
            if kind in _DATA and any(isinstance(term, Variable) for term in _terms(part)):
                raise QueryError("a variable in it", part=_DATA[kind], expected="data")
            if kind in _DELETED and any(isinstance(term, BNode) for term in _terms(part.quads or part)):
                raise QueryError("a blank node in it", part=_DELETED[kind], expected="IRIs, literals or variables")
            if kind == "InsertData":
                labels = {term for term in _terms(part) if isinstance(term, BNode)}
                _check_apart(labels, seen, "the data of two operations")
                seen |= labels


def _check_labels(group: CompValue, seen: set[BNode]) -> None:
    """Labels of one group: its triples up to anything but a filter are one basic graph pattern."""
    labels: set[BNode] = set()
    for part in (*(group.part or ()), None):
        if part is not None and part.name == "TriplesBlock":
            labels.update(term for term in _terms(part) if isinstance(term, BNode))
        elif part is None or part.name != "Filter":
            _check_apart(labels, seen, "two basic graph patterns")
            seen |= labels
            labels = set()


def _check_apart(labels: set[BNode], seen: set[BNode], where: str) -> None:
    if labels & seen:
        raise QueryError(f"_:{min(labels & seen)} is in {where}", expected="a label of its own in each")


def _check_rows(values: CompValue) -> None:
    width = len(values.var or ())
    for row in values.value or ():
        if isinstance(row, (list, ParseResults)) and len(row) != width:
            raise QueryError(f"a row of {len(row)} terms", part="VALUES", expected=f"{width}, one for each variable")


def _parts(tree: Any) -> Iterator[CompValue]:
    """All parts of a tree, the outer ones first."""
    if isinstance(tree, CompValue):
        yield tree
        for value in tree.values():
            yield from _parts(value)
    elif isinstance(tree, (list, tuple, ParseResults)):
        for value in tree:
            yield from _parts(value)


def _terms(tree: Any) -> Iterator[Node]:
    """All terms of a tree."""
    if isinstance(tree, Node):
        yield tree
    elif isinstance(tree, CompValue):
        for value in tree.values():
            yield from _terms(value)
    elif isinstance(tree, (list, tuple, ParseResults)):
        for value in tree:
            yield from _terms(value)
