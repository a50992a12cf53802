"""Requests that are left to rdflib's own evaluator, unless that would reach for what the store may not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from rdflib import plugin

from kgreason.errors import AccessError, KGReasonError, QueryError, one_line
from kgreason.sparql.limits import too_deep
from kgreason_rdflib.sparql.request import Options

if TYPE_CHECKING:
    from rdflib.plugins.sparql.sparql import Query, Update

_REACHES = {"ServiceGraphPattern": "SERVICE", "Load": "LOAD"}
_LOADED = ("datasetClause", "using")


class UntranslatableError(Exception):
    """A construct that only rdflib's own evaluator may know."""


def check_not_extended() -> None:
    """Raise UntranslatableError when users extended rdflib's evaluator: after it was imported, or by a package."""
    module = sys.modules.get("rdflib.plugins.sparql")
    if module.CUSTOM_EVALS if module is not None else _has_evaluators():
        raise UntranslatableError("rdflib's evaluator was extended by a user")


@cache
def _has_evaluators() -> bool:
    return bool(plugin.all_entry_points.select(group="rdf.plugins.sparqleval"))


def left_to_rdflib(
    request: str | Query | Update,
    parse: Callable[[str], Query | Update | None],
    why: Exception,
    options: Options,
) -> Exception:
    """What to raise so that rdflib evaluates a request itself: NotImplementedError; or a reason why it may not.

    Args:
        parse: gives a text as rdflib parses it, None for one that asks for nothing. A text that rdflib cannot read must
            not reach further than one that it can.
    """
    if options.given:
        return QueryError(f"only rdflib's evaluator knows this, and it takes no options: {why}")
    try:
        parsed = parse(request) if isinstance(request, str) else request
        reach = None if parsed is None else next(_reaches(parsed.algebra), None)
    except RecursionError:
        return too_deep()
    except (KGReasonError, MemoryError):
        raise
    except Exception as error:  # rdflib has no error of its own for what it refuses
        return QueryError(one_line(error))
    if reach is not None and not options.access.is_open:
        return AccessError(f"only rdflib's evaluator knows this ({why}), and its {reach} would follow any IRI")
    if options.has_own_access:
        return QueryError(f"only rdflib's evaluator knows this, and it takes no access of a request: {why}")
    return NotImplementedError(str(why))


def _reaches(part: Any) -> Iterator[str]:
    """The constructs in parsed algebra by which rdflib opens what an IRI names."""
    from rdflib.plugins import sparql
    from rdflib.plugins.sparql.parserutils import CompValue

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
