"""A knowledge base between two changes, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kgreason.engine.facts import Facts
from kgreason.engine.states import EngineState
from kgreason.knowledge.specialiser import SpecialiserState
from kgreason.schemes.catalogue import Catalogue
from kgreason.terms.dictionary import DictionaryState


@dataclass(frozen=True, slots=True)
class KnowledgeState:
    """Terms, facts, rules and graphs. Tables and columns are shared with the knowledge base."""

    dictionary: DictionaryState
    engine: EngineState
    specialiser: SpecialiserState
    auxiliaries: dict[tuple[str, int], int]
    graphs: dict[int, Facts]


def options_of(choice: Catalogue, strategy: object) -> str:
    """What the tables depend on beside facts and rules: the schemes and the strategy."""
    schemes: Mapping[str, str] = {
        name: f"{type(scheme).__module__}.{type(scheme).__qualname__}" for name, scheme in choice.schemes.items()
    }
    return repr((sorted(schemes.items()), choice.default, sorted(choice.forced.items()), choice.join_limit, strategy))
