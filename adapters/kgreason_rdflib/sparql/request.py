"""A query or an update request, with all arguments that rdflib passes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from rdflib.term import Identifier

from kgreason.access import NOTHING, Access
from kgreason.errors import nearest
from kgreason.errors.limits import check_optional_limit
from kgreason.sparql.limits import Limits
from kgreason_rdflib.graph_scopes import Scope

if TYPE_CHECKING:
    from rdflib.plugins.sparql.sparql import Query


@dataclass(frozen=True, slots=True)
class Options:
    """How a query is answered: `timeout` in seconds, `max_rows` of the answer and of any one step, whether inferred
    triples count, and what it may reach for."""

    timeout: float | None = None
    max_rows: int | None = None
    include_inferred: bool = True
    access: Access = NOTHING
    has_own_access: bool = False
    """Whether `access` is that of the request, and not of the store."""

    def __post_init__(self) -> None:
        for name, limit in (("timeout", self.timeout), ("max_rows", self.max_rows)):
            check_optional_limit(limit, name, f"{name}={limit!r}")

    @property
    def given(self) -> bool:
        """Whether any of them was given that only this evaluator knows."""
        return replace(self, access=NOTHING, has_own_access=False) != Options()

    def begun(self) -> Limits:
        """The limits of the query; the time runs from now."""
        return Limits(self.timeout, self.max_rows, self.access)

    @property
    def limited(self) -> bool:
        """Whether the query may be cut off."""
        return self.timeout is not None or self.max_rows is not None


_NAMES: Final = ("timeout", "max_rows", "include_inferred", "access")


def check_names(given: Iterable[str]) -> None:
    """Raise TypeError for an option that there is not."""
    for name in given:
        if name not in _NAMES:
            expected = nearest(name, _NAMES) or ", ".join(_NAMES)
            raise TypeError(f"a query has no option {name!r} (expected {expected})")


@dataclass(frozen=True, slots=True)
class Request:
    """A query, what it is asked of, its prefixes, terms for its variables, and what relative IRIs start from; how it is
    answered, and its limits, whose time has begun."""

    query: str | Query
    scope: Scope
    namespaces: Mapping[str, Any]
    bindings: Mapping[str, Identifier]
    base: str | None
    options: Options
    limits: Limits
