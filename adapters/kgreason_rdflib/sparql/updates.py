"""Updates through rdflib's interface: what `ReasoningStore.update` does.

A request is one change: all of its operations are carried out, each on what those before it left, or none is. What
follows is maintained when something next reads, an operation of the request or somebody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rdflib.graph import Graph
from rdflib.plugins.sparql import CUSTOM_EVALS
from rdflib.plugins.sparql.sparql import Update
from rdflib.term import Identifier, URIRef

from kgreason.errors import KGReasonError, QueryError
from kgreason.loading.quads import Quads
from kgreason.sparql.limits import Limits
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.graphs import Scopes
from kgreason_rdflib.sparql.changing import Change, Changing, Place, reads
from kgreason_rdflib.sparql.engine import QueryEngine
from kgreason_rdflib.sparql.expressions import UntranslatableError
from kgreason_rdflib.sparql.loading import document
from kgreason_rdflib.sparql.operations import Load, Operation, operations_of, parsed_update
from kgreason_rdflib.sparql.parsing import Translations
from kgreason_rdflib.sparql.request import Options

Listener = Callable[[Quads, Quads], None]
"""Told of the quads that an operation took away and added, whether they were there or not."""


@dataclass(frozen=True, slots=True)
class UpdateRequest:
    """An update with all that rdflib hands over with it."""

    update: str | Update
    place: Place
    namespaces: Mapping[str, Any]
    bindings: Mapping[str, Identifier]
    base: str | None
    options: Options


class UpdateEngine:
    """Changes the contents of a store."""

    def __init__(self, contents: Contents, scopes: Scopes, queries: QueryEngine) -> None:
        self._contents = contents
        self._scopes = scopes
        self._queries = queries
        self._operations: Translations[Update, tuple[Operation, ...]] = Translations(
            lambda *text: operations_of(parsed_update(*text)), operations_of
        )

    def update(self, request: UpdateRequest, listener: Listener | None) -> None:
        """Carry out the operations of a request, all or none; the listener is told of each afterwards.

        Raises:
            NotImplementedError: rdflib's own evaluator has to do it.
            QueryError: it would have to, but knows nothing of the options.
            KGReasonError: an operation failed, or what it changed cannot be maintained; nothing has changed.
        """
        try:
            if CUSTOM_EVALS:
                raise UntranslatableError("rdflib's evaluator was extended by a user")
            operations = self._operations.of(request.update, request.base, request.namespaces)
        except UntranslatableError as error:
            if request.options.given:
                raise QueryError(f"only rdflib's evaluator knows this, and it takes no options: {error}") from error
            raise NotImplementedError(str(error)) from error
        limits = Limits(request.options.timeout, request.options.max_rows)
        documents = _documents(operations)  # fetched before other threads have to wait
        changing = Changing(
            self._contents, self._scopes, self._queries, request.place, request.bindings, limits, documents
        )
        operations = tuple(each for each in operations if not isinstance(each, Load) or each.source in documents)
        for change in self._carried_out(operations, changing):
            if listener is not None:
                listener(*change)

    def _carried_out(self, operations: tuple[Operation, ...], changing: Changing) -> list[Change]:
        """The changes of operations, after all have been queued."""
        if len(operations) == 1 or not any(map(reads, operations)):
            done = list(self._changes(operations, changing))
            for operation, change in done:
                changing.queue(operation, change)
        else:
            done = []
            with self._transaction():
                for operation, change in self._changes(operations, changing):
                    changing.queue(operation, change)
                    done.append((operation, change))
        return [change for _, change in done]

    def _changes(self, operations: Iterable[Operation], changing: Changing) -> Iterator[tuple[Operation, Change]]:
        """Operations with what each of them changes; one that fails and is SILENT does nothing."""
        for operation in operations:
            if reads(operation):
                # What cannot be maintained is the fault of an earlier operation, which may not be SILENT.
                self._contents.knowledge.flush()
            try:
                change = changing.change_of(operation)
            except KGReasonError:
                if not operation.silent:
                    raise
            else:
                yield operation, change

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._contents.lock, self._scopes.transaction(), self._contents.knowledge.transaction():
            yield


def _documents(operations: Iterable[Operation]) -> dict[URIRef, Graph]:
    """The documents that are to be loaded, without those of which a SILENT operation cannot get hold."""
    found: dict[URIRef, Graph] = {}
    for operation in operations:
        if isinstance(operation, Load) and operation.source not in found:
            try:
                found[operation.source] = document(operation.source)
            except KGReasonError:
                if not operation.silent:
                    raise
    return found
