"""What somebody asks of a store: a query with all that rdflib hands over with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rdflib.plugins.sparql.sparql import Query
from rdflib.term import Identifier

from kgreason.access import NOTHING, Access
from kgreason.sparql.limits import Limits
from kgreason_rdflib.graphs import Scope


@dataclass(frozen=True, slots=True)
class Options:
    """How a query is answered: `timeout` in seconds, `max_rows` of any one step, whether inferred triples count, and
    what it may reach for."""

    timeout: float | None = None
    max_rows: int | None = None
    include_inferred: bool = True
    access: Access = NOTHING

    @property
    def given(self) -> bool:
        """Whether any of them was given that only this evaluator knows."""
        return replace(self, access=NOTHING) != Options()

    @property
    def limits(self) -> Limits:
        """What the query may use; the time runs from now."""
        return Limits(self.timeout, self.max_rows, self.access)

    @property
    def limited(self) -> bool:
        """Whether the query may be cut off."""
        return self.timeout is not None or self.max_rows is not None


@dataclass(frozen=True, slots=True)
class Request:
    """A query, what it is asked of, its prefixes, terms for its variables, and what relative IRIs start from."""

    query: str | Query
    scope: Scope
    namespaces: Mapping[str, Any]
    bindings: Mapping[str, Identifier]
    base: str | None
    options: Options
