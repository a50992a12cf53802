"""The options that the tables of a knowledge base depend on beside facts and rules, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from kgreason.engine.strategy import MODULAR, SEMINAIVE, Strategy, strategy_of
from kgreason.relations.catalogue import AUTO, PLAIN, Catalogue
from kgreason.relations.schemes import standard_catalogue


@dataclass(frozen=True, eq=False)
class TableOptions:
    """The schemes and the strategy of a knowledge base; equal options make equal tables of equal facts.

    Raises:
        SchemeError, StrategyError: an unknown name.
    """

    catalogue: Catalogue
    strategy: Strategy

    @classmethod
    def of(cls, schemes: str | Catalogue | None = None, strategy: str | Strategy | None = None) -> TableOptions:
        """Options by name: "auto" or "plain" schemes, the "modular" or the "plain" strategy, which needs no schemes."""
        catalogue = standard_catalogue(PLAIN if strategy == SEMINAIVE else AUTO if schemes is None else schemes)
        return cls(catalogue, strategy_of(MODULAR if strategy is None else strategy))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TableOptions) and self.document() == other.document()

    __hash__ = None  # type: ignore[assignment]  # the data model's way to say: not hashable

    def document(self) -> dict[str, Any]:
        """The options as a document of JSON, with the classes of schemes by their names."""
        catalogue = self.catalogue
        classes = {name: type(scheme) for name, scheme in catalogue.schemes.items()}
        return {
            "schemes": {name: f"{each.__module__}.{each.__qualname__}" for name, each in classes.items()},
            "default": catalogue.default,
            "forced": dict(catalogue.forced),
            "join limit": catalogue.join_limit,
            "strategy": asdict(self.strategy),
        }
