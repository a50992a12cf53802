"""Updates through rdflib's interface: what `ReasoningStore.update` does.

Each operation of a request is one change: its WHERE is read, then all is taken away and added at once, or nothing is.
What follows is maintained when something next reads, as with any change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rdflib.plugins.sparql import CUSTOM_EVALS
from rdflib.plugins.sparql.sparql import Update
from rdflib.term import Identifier

from kgreason.errors import KGReasonError
from kgreason.loading.quads import Quads
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.graphs import Scopes
from kgreason_rdflib.sparql.changing import Changing, Place
from kgreason_rdflib.sparql.engine import QueryEngine
from kgreason_rdflib.sparql.expressions import UntranslatableError
from kgreason_rdflib.sparql.operations import Operation, operations_of, parsed_update
from kgreason_rdflib.sparql.parsing import Translations

Listener = Callable[[Quads, Quads], None]
"""Told of the quads that an operation took away and added, whether they were there or not."""


class UpdateEngine:
    """Changes the contents of a store."""

    def __init__(self, contents: Contents, scopes: Scopes, queries: QueryEngine) -> None:
        self._contents = contents
        self._scopes = scopes
        self._queries = queries
        self._operations: Translations[Update, tuple[Operation, ...]] = Translations(
            lambda *text: operations_of(parsed_update(*text)), operations_of
        )

    def update(
        self,
        update: str | Update,
        place: Place,
        *,
        namespaces: Mapping[str, Any],
        bindings: Mapping[str, Identifier],
        base: str | None,
        listener: Listener | None,
    ) -> None:
        """Carry out the operations of a request, one after the other, up to the first that fails.

        Raises:
            NotImplementedError: rdflib's own evaluator has to do it.
            KGReasonError: an operation that failed and changed nothing; those before it did.
        """
        if CUSTOM_EVALS:
            raise NotImplementedError("rdflib's evaluator was extended by a user")
        try:
            operations = self._operations.of(update, base, namespaces)
        except UntranslatableError as error:
            raise NotImplementedError(str(error)) from error
        for operation in operations:
            try:
                changing = Changing(self._contents, self._scopes, self._queries, place, bindings)
                removed, added = changing.carry_out(operation)
            except KGReasonError:
                if operation.silent:
                    continue
                raise
            if listener is not None:
                listener(removed, added)
