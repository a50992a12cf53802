"""``/sparql`` and ``/update``: queries and updates over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from kgreason.sparql.limits import Limits
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.answers import answered
from kgreason_server.conditional_requests import not_modified, query_tag
from kgreason_server.replies import Cancellation, Reply
from kgreason_server.request_reading import address_of
from kgreason_server.server_parts import ServerParts
from kgreason_server.service_description import description
from kgreason_server.sparql_requests import SparqlRequest, sparql_request


@dataclass(frozen=True, slots=True)
class SparqlEndpoints:
    """Answers requests of the SPARQL 1.1 Protocol."""

    parts: ServerParts

    async def sparql(self, request: Request) -> Response:
        """A query or an update; what the service is where there is neither."""
        return await self._done(request, None)

    async def update(self, request: Request) -> Response:
        """An update."""
        return await self._done(request, "update")

    async def _done(self, request: Request, only: Literal["query", "update"] | None) -> Response:
        self.parts.authorization.reader(request)
        asked = await sparql_request(request, self.parts, only=only)
        if asked is None:
            return await description(self.parts, request)
        return await (self.query(request, asked) if asked.kind == "query" else self._update(request, asked))

    async def query(
        self,
        request: Request,
        asked: SparqlRequest,
        offers: Mapping[str, str] | None = None,
        branch: ReasoningStore | None = None,
    ) -> Response:
        """The answer of a query of one who may read.

        Args:
            offers: the formats where these are not those of its form.
            branch: what is asked where that is not the last version.
        """
        parts, version = self.parts, self.parts.served.version
        store, headers = branch or version.store, {}
        if request.method in ("GET", "HEAD") and branch is None:
            tag = query_tag(version, asked)
            headers = {"Cache-Control": "no-cache", **({"ETag": tag} if tag else {})}
            if tag and not_modified(request, tag):
                return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        cancellation = Cancellation()

        def make() -> Reply:
            limits = Limits(asked.timeout, asked.max_rows, is_cancelled=cancellation.is_set)
            asking = store.ask(
                asked.text,
                union=parts.options.union_default_graph,
                dataset=asked.dataset,
                inferred=asked.inferred,
                base=address_of(request),
                limits=limits,
            )
            accept = request.headers.get("accept")
            return answered(asking, accept, limits, store, offers).with_headers(headers)

        return await parts.workers.respond(request, cancellation, make, parts.options.body_seconds)

    async def _update(self, request: Request, asked: SparqlRequest) -> Response:
        parts = self.parts
        permit = parts.authorization.writer(request)
        limits = Limits(asked.timeout, asked.max_rows, work="the update")
        work = self.update_of(request, asked, limits)
        _, version = await parts.workers.change(lambda: parts.served.change(permit, work, limits), limits)
        return Response(status_code=HTTPStatus.NO_CONTENT, headers={"ETag": f'"{version.name}"'})

    def update_of(self, request: Request, asked: SparqlRequest, limits: Limits) -> Callable[[ReasoningStore], None]:
        """What carries an update out on a store."""

        def work(store: ReasoningStore) -> None:
            store.carry_out(
                asked.text,
                union=self.parts.options.union_default_graph,
                dataset=asked.dataset,
                base=address_of(request),
                limits=limits,
            )

        return work
