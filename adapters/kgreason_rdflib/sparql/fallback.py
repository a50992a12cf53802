"""Requests that are left to rdflib's own evaluator, unless that would reach for what the store may not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from rdflib.plugins import sparql
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Query, Update

from kgreason.errors import AccessError, QueryError
from kgreason.sparql.put_query import too_deep
from kgreason_rdflib.sparql.request import Options

_REACHES = {"ServiceGraphPattern": "SERVICE", "Load": "LOAD"}
_LOADED = ("datasetClause", "using")


def left_to_rdflib(parse: Callable[[], Query | Update | None], why: Exception, options: Options) -> Exception:
    """What to raise so that rdflib evaluates a request itself: NotImplementedError; or a reason why it may not.

    Args:
        parse: gives the request as rdflib parses it, None for one that asks for nothing. What it raises comes out here:
            a request that cannot be read must not reach further than one that can.
    """
    if options.given:
        return QueryError(f"only rdflib's evaluator knows this, and it takes no options: {why}")
    try:
        request = parse()
        reach = None if request is None else next(_reaches(request.algebra), None)
    except RecursionError:
        return too_deep()
    if reach is not None and not options.access.is_open:
        return AccessError(f"only rdflib's evaluator knows this ({why}), and its {reach} would follow any IRI")
    if options.has_own_access:
        return QueryError(f"only rdflib's evaluator knows this, and it takes no access of a request: {why}")
    return NotImplementedError(str(why))


def _reaches(part: Any) -> Iterator[str]:
    """The constructs in parsed algebra by which rdflib opens what an IRI names."""
    if isinstance(part, CompValue):
        if part.name in _REACHES:
            yield _REACHES[part.name]
        if sparql.SPARQL_LOAD_GRAPHS:
            yield from ("FROM" for name in _LOADED if dict.get(part, name))
    if isinstance(part, Mapping):
        part = part.values()
    if isinstance(part, Iterable) and not isinstance(part, str):
        for inner in part:
            yield from _reaches(inner)
