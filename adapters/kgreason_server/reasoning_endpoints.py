"""What a reasoning store can say beside answers: proofs, contradictions, rules, sizes, all in JSON.

Terms are texts as in N-Triples, triples are lists of three. Each answer has the version of the store that it is of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from kgreason.errors import UnknownRuleSetError, UnknownTripleError, nearest, quoted, suggestion
from kgreason.program.rules import Program, Rule
from kgreason.rdf.model import Term
from kgreason.sparql.limits import Limits
from kgreason.store.consistency import Inconsistency
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import parse_rules, resolve_rules
from kgreason_ontologies import rule_set_names
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.answers import prefixes_of
from kgreason_server.json_answers import JsonObject, answer_in_json
from kgreason_server.request_reading import Parameters, text_of_body
from kgreason_server.served_store import Version
from kgreason_server.server_parts import ServerParts
from kgreason_server.term_parameters import pattern_of, texts, triple_of

MOST: Final = 1000
"""So many triples, inconsistencies or relations has an answer, unless the client says how many."""
_MOST_EVER: Final = 100_000
_NAME: Final = re.compile(r"[\w-]+")
"""A text of one word is no rule."""


@dataclass(frozen=True, slots=True)
class ReasoningEndpoints:
    """Answers what only a store can be asked that reasons."""

    parts: ServerParts

    async def explain(self, request: Request) -> Response:
        """Why a triple holds."""
        self.parts.authorization.reader(request)
        asked = Parameters.of(request.url.query)
        prefixes = prefixes_of(self.parts.served.version.store)
        triple = triple_of(asked, prefixes)

        def work(version: Version) -> JsonObject:
            knowledge = version.branch().knowledge_base
            proof = knowledge.explain(*_ids(knowledge, triple)).with_prefixes(prefixes)
            return {"triple": texts(triple), "text": str(proof), **json.loads(proof.to_json())}

        return await answer_in_json(self.parts, request, work)

    async def why_not(self, request: Request) -> Response:
        """Why a triple does not hold, or why nothing matches a pattern."""
        self.parts.authorization.reader(request)
        asked = Parameters.of(request.url.query)
        prefixes = prefixes_of(self.parts.served.version.store)
        pattern = pattern_of(asked, prefixes)
        most = limit_of(asked, 10)

        def work(version: Version) -> JsonObject:
            found = version.branch().knowledge_base.why_not(*pattern, most=most).with_prefixes(prefixes)
            return {"text": str(found), **json.loads(found.to_json())}

        return await answer_in_json(self.parts, request, work)

    async def inconsistencies(self, request: Request) -> Response:
        """The integrity conditions that are violated."""
        self.parts.authorization.reader(request)
        asked = Parameters.of(request.url.query)
        most, with_causes = limit_of(asked, MOST), asked.flag("causes", False)

        def work(version: Version) -> JsonObject:
            found = inconsistencies_of(version)
            knowledge = version.branch().knowledge_base
            shown = [inconsistency_data(each) for each in found[:most]]
            if with_causes:
                for each, data in zip(found, shown, strict=False):
                    data["causes"] = [texts(triple) for triple in causes_of(knowledge, each)]
            return {"count": len(found), "inconsistencies": shown, "truncated": len(found) > len(shown)}

        return await answer_in_json(self.parts, request, work)

    async def statistics(self, request: Request) -> Response:
        """Sizes of the store and of its relations, the largest first."""
        self.parts.authorization.reader(request)
        most = limit_of(Parameters.of(request.url.query), MOST)

        def work(version: Version) -> JsonObject:
            found = version.remembered("statistics", version.branch().knowledge_base.statistics)
            relations = [
                {"name": each.name, "kind": each.kind, "scheme": each.scheme, "facts": each.facts, "bytes": each.bytes}
                for each in found.relations[:most]
            ]
            totals = {name.replace(" ", "_"): value for name, value in found.totals}
            return {**totals, "relations": relations, "truncated": len(found.relations) > most}

        return await answer_in_json(self.parts, request, work)

    async def prefixes(self, request: Request) -> Response:
        """The prefixes that queries may use."""
        self.parts.authorization.reader(request)
        return await answer_in_json(self.parts, request, lambda version: {"prefixes": prefixes_of(version.store)})

    async def rules(self, request: Request) -> Response:
        """The rules in use; adds some by POST, removes some by DELETE."""
        self.parts.authorization.reader(request)
        if request.method in ("GET", "HEAD"):
            return await answer_in_json(self.parts, request, lambda version: {"rules": _rules_of(version.store)})
        permit = self.parts.authorization.writer(request)
        text = await text_of_body(request, self.parts)
        limits, is_added = Limits(self.parts.options.timeout, work="the change"), request.method == "POST"

        def work(store: ReasoningStore) -> None:
            (store.add_rules if is_added else store.remove_rules)(rules_of_text(text, store))

        _, version = await self.parts.workers.change(lambda: self.parts.served.change(permit, work, limits), limits)
        return Response(status_code=HTTPStatus.NO_CONTENT, headers={"ETag": f'"{version.name}"'})


def limit_of(asked: Parameters, default: int) -> int:
    """How many a client wants."""
    wanted = asked.number("limit", None)
    return default if wanted is None else int(min(max(wanted, 1), _MOST_EVER))


def rules_of_text(text: str, store: ReasoningStore) -> Program:
    """Rules, perhaps with prefixes of the store, or the name of a rule set; never a file of the server.

    Raises:
        RuleError: they cannot be used, or there is no rule set of that name.
    """
    name, names = text.strip(), rule_set_names()
    if name in names:
        return resolve_rules(name)
    if _NAME.fullmatch(name):
        near = nearest(name, names)
        meant = suggestion(near and repr(near))
        raise UnknownRuleSetError(f"{quoted(name)} is not a rule set{meant}", expected=f"one of {', '.join(names)}")
    return parse_rules(text, prefixes_of(store))


def inconsistencies_of(version: Version) -> list[Inconsistency]:
    """The violations of a version, looked for once."""
    return version.remembered("inconsistencies", version.branch().knowledge_base.inconsistencies)


def inconsistency_data(found: Inconsistency) -> dict[str, Any]:
    """A violation for JSON."""
    return {"rule": found.rule, "reason": found.reason, "triples": [texts(triple) for triple in found.triples]}


def causes_of(knowledge: KnowledgeBase, found: Inconsistency) -> list[tuple[Term, ...]]:
    """The asserted triples from which a violation follows: it is gone without some of them."""

    def asserted() -> Iterator[tuple[Term, ...]]:
        for triple in found.triples:
            yield from knowledge.explain(*_ids(knowledge, triple)).asserted()

    return [*dict.fromkeys(asserted())]


def _rules_of(store: ReasoningStore) -> list[dict[str, Any]]:
    return [_rule_data(rule, count) for rule, count in store.knowledge_base.rules.items()]


def _rule_data(rule: Rule, count: int) -> dict[str, Any]:
    return {"name": rule.name, "text": str(rule), "is_condition": not rule.heads, "count": count}


def _ids(knowledge: KnowledgeBase, triple: tuple[Term, ...]) -> tuple[int, int, int]:
    found = [knowledge.dictionary.lookup(term) for term in triple]
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        raise UnknownTripleError(" ".join(map(str, triple)))
    subject, predicate, object = known
    return subject, predicate, object
