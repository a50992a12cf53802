"""``/whatif``: what a change would bring about, found out on a branch that is then forgotten."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from io import BytesIO
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from kgreason.rdf.keys import is_unicode
from kgreason.sparql.limits import Limits
from kgreason.store.consistency import Inconsistency
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.graph_documents import Body, Load, read_body
from kgreason_server.json_answers import JsonObject, answer_in_json
from kgreason_server.problems import RequestError
from kgreason_server.reasoning_endpoints import inconsistencies_of, inconsistency_data, limit_of, rules_of_text
from kgreason_server.request_reading import Parameters, media_type_of, text_of_body
from kgreason_server.served_store import Version
from kgreason_server.server_parts import ServerParts
from kgreason_server.sparql_requests import UPDATE
from kgreason_server.term_parameters import counted

_MOST = 1000
_FIELDS = ("update", "add", "remove", "add_rules", "remove_rules")


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A change that is not made.

    Attributes:
        update: a SPARQL update.
        add, remove: triples in Turtle.
        add_rules, remove_rules: rules.
    """

    update: str = ""
    add: str = ""
    remove: str = ""
    add_rules: str = ""
    remove_rules: str = ""

    def apply(self, store: ReasoningStore, union: bool, limits: Limits) -> None:
        """Make the change, in a store that is for that."""
        if self.remove_rules:
            store.remove_rules(rules_of_text(self.remove_rules, store))
        if self.add_rules:
            store.add_rules(rules_of_text(self.add_rules, store))
        if self.add or self.remove:
            added, removed = (_read(text, limits) for text in (self.add, self.remove))
            store.apply_loaded(added, removed)
        if self.update:
            store.carry_out(self.update, union=union, limits=limits)


@dataclass(frozen=True, slots=True)
class WhatIfEndpoint:
    """Answers what would be."""

    parts: ServerParts

    async def what_if(self, request: Request) -> Response:
        """What would appear and vanish, and which contradictions come and go."""
        parts = self.parts
        parts.authorization.reader(request)
        most = limit_of(Parameters.of(request.url.query), _MOST)
        change = _change_of(media_type_of(request), await text_of_body(request, parts))
        limits = Limits(parts.options.timeout, parts.options.max_rows, work="the change")

        def work(version: Version) -> JsonObject:
            branch = version.bounded_branch(limits)
            change.apply(branch, parts.options.union_default_graph, limits)
            return _found(version, branch, most)

        return await answer_in_json(parts, request, work, has_tag=False)


def _change_of(media_type: str, text: str) -> WhatIf:
    """The change of a body: an update, triples to add, or a JSON object with several of these."""
    if media_type == UPDATE:
        return WhatIf(update=text)
    if media_type in ("text/turtle", "application/n-triples"):
        return WhatIf(add=text)
    if media_type != "application/json":
        known = f"{UPDATE}, text/turtle, application/n-triples or application/json"
        raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a body of an unknown type (expected {known})")
    try:
        fields = json.loads(text)
    except RecursionError:
        raise RequestError(HTTPStatus.BAD_REQUEST, "the body is nested too deep") from None
    except ValueError:
        raise RequestError(HTTPStatus.BAD_REQUEST, "the body is not JSON") from None
    if not isinstance(fields, dict) or not all(
        name in _FIELDS and isinstance(value, str) for name, value in fields.items()
    ):
        raise RequestError(HTTPStatus.BAD_REQUEST, f"not a change (expected an object of texts: {', '.join(_FIELDS)})")
    for name, value in fields.items():
        if not is_unicode(value):
            raise RequestError(HTTPStatus.BAD_REQUEST, f"{name} has a lone surrogate (expected Unicode)")
    return WhatIf(**fields)


def _found(version: Version, branch: ReasoningStore, most: int) -> dict[str, Any]:
    knowledge = branch.knowledge_base
    difference, dictionary = knowledge.difference(), knowledge.dictionary
    everything, explicit = difference.all(), difference.explicit()
    before, after = inconsistencies_of(version), knowledge.inconsistencies()
    return {
        "added": counted(everything.added, dictionary, most),
        "removed": counted(everything.removed, dictionary, most),
        "added_explicit": explicit.added.count(),
        "removed_explicit": explicit.removed.count(),
        "inconsistencies": {
            "appeared": _new(after, before, most),
            "vanished": _new(before, after, most),
            "count": len(after),
        },
    }


def _new(these: Sequence[Inconsistency], those: Sequence[Inconsistency], most: int) -> list[dict[str, Any]]:
    known = {*those}
    return [inconsistency_data(each) for each in these if each not in known][:most]


def _read(text: str, limits: Limits) -> Load:
    content = text.encode()
    return read_body(Body(BytesIO(content), "text/turtle", None), "", limits, len(content) + 1)
