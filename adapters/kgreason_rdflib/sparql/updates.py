"""Updates through rdflib's interface: what `ReasoningStore.update` does.

A request is one change: all of its operations are carried out, each on what those before it left, or none is. What
follows is maintained when something next reads, an operation of the request or another reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rdflib.term import Identifier

from kgreason.checkpoints import heeding, passes
from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError, KGReasonError, QueryError, QueryLimitError, TermError
from kgreason.io.quads import Quads
from kgreason.sparql.limits import Limits
from kgreason.sparql.syntax.tokens import place_of_iri
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.graph_scopes import Scopes
from kgreason_rdflib.sparql.fallback import UntranslatableError, check_not_extended, left_to_rdflib
from kgreason_rdflib.sparql.query_engine import QueryEngine
from kgreason_rdflib.sparql.questions import Clauses
from kgreason_rdflib.sparql.remote_documents import document
from kgreason_rdflib.sparql.request import Options
from kgreason_rdflib.sparql.translations import KnownPrefixes, Translations
from kgreason_rdflib.sparql.update_effects import Change, Changing, Fetched, Place, Step, reads
from kgreason_rdflib.sparql.update_operations import Load, Operation, Rewrite, parsed_operations
from kgreason_rdflib.term_border import TermBorder

if TYPE_CHECKING:
    from rdflib.plugins.sparql.sparql import Update

Listener = Callable[[Quads, Quads, TermBorder], None]
"""Told of the quads that an operation took away and added, whether they were there or not, and who knows their ids."""


@dataclass(frozen=True, slots=True)
class UpdateRequest:
    """An update with all that rdflib hands over with it."""

    update: str | Update
    place: Place
    namespaces: Mapping[str, Any]
    bindings: Mapping[str, Identifier]
    base: str | None
    options: Options
    dataset: Clauses | None = None
    """What every WHERE is asked, in the place of USING and WITH."""
    limits: Limits | None = None
    """Limits whose time runs already, in the place of those of the options."""


class UpdateEngine:
    """Changes the contents of a store."""

    def __init__(self, contents: Contents, scopes: Scopes, queries: QueryEngine) -> None:
        self._contents = contents
        self._scopes = scopes
        self._queries = queries
        self._operations: Translations[tuple[Operation, ...]] = Translations(parsed_operations, _of_prepared)

    def update(self, request: UpdateRequest, listener: Listener | None) -> None:
        """Carry out the operations of a request, all or none; the listener is told of each afterwards.

        Raises:
            NotImplementedError: rdflib's own evaluator has to do it.
            QueryError: it would have to, but does not know the options.
            AccessError: an operation reaches for what the store may not.
            KGReasonError: an operation failed, or what it changed cannot be maintained; nothing has changed.
        """
        limits = request.limits or request.options.begun()
        try:
            check_not_extended()
            with heeding(limits.check):
                operations = self._operations.of(request.update, request.base, request.namespaces)
        except UntranslatableError as error:
            raise left_to_rdflib(request.update, partial(_parsed, request), error, request.options) from error
        if request.dataset is not None:
            operations = tuple(_asking(operation, request.dataset) for operation in operations)
        # Before other threads have to wait.
        steps = tuple(_fetched(operations, limits, self._contents.knowledge.budget))
        changing = Changing(self._contents, self._scopes, self._queries, request.place, request.bindings, limits)
        with _placed(request.update), self._contents.lock, heeding(limits.check):
            changes = self._carried_out(steps, changing, limits)
            border = self._contents.border
        for change in changes:
            if listener is not None:
                listener(*change, border)

    def _carried_out(self, steps: tuple[Step, ...], changing: Changing, limits: Limits) -> list[Change]:
        """The changes of the steps, after all have been queued."""
        if len(steps) == 1 or not any(map(reads, steps)):
            with self._contents.attempt():
                done = list(self._changes(steps, changing, None))
                changing.queue(*done)
        else:
            done = []
            with self._transaction(limits) as budget:
                for step, change in self._changes(steps, changing, budget):
                    changing.queue((step, change))
                    done.append((step, change))
        return [change for _, change in done]

    def _changes(
        self, steps: Iterable[Step], changing: Changing, budget: Budget | None
    ) -> Iterator[tuple[Step, Change]]:
        """Steps with what each of them changes, what follows from those before it being maintained under a budget; one
        that fails and is SILENT does nothing."""
        for step in passes(steps, 1):
            if reads(step):
                # What cannot be maintained is the fault of an earlier operation, which may not be SILENT.
                self._contents.knowledge.flush(budget)
            try:
                change = changing.change_of(step)
            except QueryLimitError:
                raise
            except KGReasonError:
                if not step.silent:
                    raise
            else:
                yield step, change

    @contextmanager
    def _transaction(self, limits: Limits) -> Iterator[Budget | None]:
        """All or nothing, with the budget for what follows from each operation: none goes on for longer than the
        limits allow."""
        knowledge = self._contents.knowledge
        with self._contents.lock, self._scopes.transaction():
            knowledge.flush()  # what was queued before is not of this request
            seconds = limits.remaining
            budget = None if seconds is None else knowledge.budget.within(max(0.0, seconds))
            with _limited(limits), knowledge.transaction(budget):
                yield budget


@contextmanager
def _limited(limits: Limits) -> Iterator[None]:
    """Raise QueryLimitError where maintenance had no time left."""
    try:
        yield
    except BudgetError as error:
        if error.limit == "seconds" and limits.remaining is not None and limits.remaining <= 0:
            text = f"{limits.work} took longer than {limits.seconds:g} s"
            raise QueryLimitError(text, "seconds", limits.seconds) from error
        raise


@contextmanager
def _placed(text: str | Update) -> Iterator[None]:
    """Say where in a text an IRI stands that the store refuses, such as a relative one without a base. It is known
    only here, since those that it has already are taken."""
    try:
        yield
    except TermError as error:
        place = place_of_iri(text, error.term) if isinstance(text, str) and error.term is not None else None
        if place is not None:
            error.locate(line=place[0], column=place[1])
        raise


def _parsed(request: UpdateRequest, text: str) -> Update | None:
    """A request as rdflib parses it, None for one without operations."""
    from rdflib.plugins.sparql import prepareUpdate

    operations = parsed_operations(text, request.base, KnownPrefixes(request.namespaces))
    return prepareUpdate(text, dict(request.namespaces), request.base) if operations else None


def _of_prepared(update: Update) -> tuple[Operation, ...]:
    from kgreason_rdflib.sparql.prepared_updates import operations_of_prepared

    return operations_of_prepared(update)


def _asking(operation: Operation, dataset: Clauses) -> Operation:
    """The operation with its WHERE asked of other graphs."""
    if not isinstance(operation, Rewrite) or operation.question is None:
        return operation
    if operation.graph is not None or operation.question.clauses is not None:
        raise QueryError(
            "the graphs of WHERE are given twice (expected either USING and WITH, or those beside the text)"
        )
    return replace(operation, question=replace(operation.question, clauses=dataset))


def _fetched(operations: Iterable[Operation], limits: Limits, budget: Budget) -> Iterator[Step]:
    """The operations, without each LOAD that is SILENT and cannot get hold of its document."""
    for operation in operations:
        if not isinstance(operation, Load):
            yield operation
            continue
        try:
            yield Fetched(document(operation.source, limits, budget), operation.target, operation.silent)
        except (QueryLimitError, BudgetError):
            raise
        except KGReasonError:
            if not operation.silent:
                raise
