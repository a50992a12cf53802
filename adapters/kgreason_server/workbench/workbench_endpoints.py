"""What the page asks beside what the server offers to all: names to complete, trees, resources, terms by label.

These addresses are for the page alone, and change with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from kgreason.lookup.best_labels import BestLabels
from kgreason.lookup.label_index import LABELS, LabelIndex
from kgreason.relations.codes import CLASS, PROPERTY, identifier_of
from kgreason_server.answers import prefixes_of
from kgreason_server.json_answers import JsonObject, answer_in_json
from kgreason_server.problems import RequestError
from kgreason_server.request_reading import Parameters
from kgreason_server.served_store import Version
from kgreason_server.server_parts import ServerParts
from kgreason_server.term_parameters import pattern_of
from kgreason_server.workbench.hierarchy import KINDS, Hierarchy
from kgreason_server.workbench.resource_summary import ResourceSummary
from kgreason_server.workbench.table_memory import TableMemory, tables_of

NAMES: Final = 2000
"""So many classes, and so many properties, are completed: the largest."""
PAGE: Final = 200
"""So many children of a node come at a time."""
_MATCHES: Final = 20


@dataclass(frozen=True, slots=True)
class WorkbenchEndpoints:
    """Answers the page."""

    parts: ServerParts
    memory: TableMemory = field(default_factory=TableMemory)
    index: LabelIndex = field(default_factory=lambda: LabelIndex(keeps_ids=True))

    async def names(self, request: Request) -> Response:
        """Prefixes, and the classes and properties with the most triples, with their labels."""
        self.parts.authorization.reader(request)
        language = _language(Parameters.of(request.url.query))

        def work(version: Version) -> JsonObject:
            return _names(version, self._labels(version, language))

        return await answer_in_json(self.parts, request, work)

    async def hierarchy(self, request: Request) -> Response:
        """The roots of a tree, or the children of one of its nodes, a page of them; 400 for an unknown kind of tree."""
        self.parts.authorization.reader(request)
        asked = Parameters.of(request.url.query)
        kind, parent, language = asked.one("kind"), asked.one("parent"), _language(asked)
        offset = int(asked.number("offset", 1 << 31) or 0) if "offset" in asked else 0
        if kind not in KINDS:
            raise RequestError(HTTPStatus.BAD_REQUEST, f"an unknown kind of tree (expected {', '.join(KINDS)})")

        def work(version: Version) -> JsonObject:
            nodes, count = self._hierarchy(version, kind).page(parent, self._labels(version, language), offset, PAGE)
            shown = [{"iri": node.key, "label": node.label, "children": node.children} for node in nodes]
            return {"nodes": shown, "count": count, "offset": offset}

        return await answer_in_json(self.parts, request, work)

    async def resource(self, request: Request) -> Response:
        """What is said of a term; 400 without one."""
        self.parts.authorization.reader(request)
        asked = Parameters.of(request.url.query)
        prefixes, language = prefixes_of(self.parts.served.version.store), _language(asked)
        term, _, _ = pattern_of(asked, prefixes)
        if term is None:
            raise RequestError(HTTPStatus.BAD_REQUEST, "which term? (expected subject)")

        def work(version: Version) -> JsonObject:
            return ResourceSummary(version.branch().knowledge_base, self._labels(version, language), prefixes).of(term)

        return await answer_in_json(self.parts, request, work)

    async def find(self, request: Request) -> Response:
        """Terms by their labels."""
        self.parts.authorization.reader(request)
        asked = Parameters.of(request.url.query)
        text, language = asked.one("text") or "", _language(asked)

        def work(version: Version) -> JsonObject:
            found = self.index.find(version.store.knowledge_base, text, _MATCHES, language)
            return {"matches": [{"term": str(match.term), "label": match.label.lexical} for match in found]}

        return await answer_in_json(self.parts, request, work)

    def _labels(self, version: Version, language: str) -> BestLabels:
        knowledge, own = version.store.knowledge_base, language.partition("-")[0].lower()
        view, dictionary = knowledge.all(), knowledge.dictionary
        tables = tables_of(view, dictionary, LABELS)
        return self.memory.of(f"labels {own}", tables, lambda: BestLabels.of(view, dictionary, own))

    def _hierarchy(self, version: Version, kind: str) -> Hierarchy:
        knowledge = version.store.knowledge_base
        view, dictionary = knowledge.explicit(), knowledge.dictionary
        upward, downward, classes = KINDS[kind]
        tables = tables_of(view, dictionary, (*upward, *downward), classes)
        return self.memory.of(f"tree {kind}", tables, lambda: Hierarchy.of(kind, view, dictionary))


def _language(asked: Parameters) -> str:
    return (asked.one("language") or "en")[:35]


def _names(version: Version, labels: BestLabels) -> dict[str, Any]:
    knowledge = version.store.knowledge_base
    view, found = knowledge.all(), dict[str, Any]()
    for name, kind in (("classes", CLASS), ("properties", PROPERTY)):
        sizes = [(view.table(code), code) for code in view.codes(kind)]
        counted = sorted(((len(table), code) for table, code in sizes if table is not None), reverse=True)
        identifiers = np.array([identifier_of(code) for _, code in counted[: 2 * NAMES]], dtype=np.uint32)
        keys, texts = knowledge.dictionary.keys(identifiers), labels.texts(identifiers)
        rows = zip(keys, texts, (count for count, _ in counted), strict=False)
        named = ({"iri": key, "label": text, "count": count} for key, text, count in rows if not key.startswith("_:"))
        found[name] = [*named][:NAMES]
    return {"prefixes": prefixes_of(version.store), **found}
