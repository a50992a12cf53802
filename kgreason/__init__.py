"""kgreason: a store for rdflib that reasons, and the engine under it.

    import rdflib
    from kgreason import ReasoningStore

    graph = rdflib.Graph(store=ReasoningStore(rules="owl-rl"))
    graph.parse("data.ttl")
    for triple in graph: ...            # explicit and inferred triples alike

The rooms follow the data, and imports point one way only:

    terms, columns  <-  schemes  <-  engine  <-  knowledge  <-  adapters, cli
                        datalog  <-  engine

* `terms`: RDF terms and the dictionary between terms and dense ids; built-in functions on their values.
* `columns`: the primitive operations on sorted columns of ids.
* `schemes`: how the facts of a relation are stored.
* `datalog`: rules as inert data, their syntax, safety and stratification.
* `engine`: joins, materialisation and maintenance, on ids alone.
* `knowledge`: the knowledge base that ties them together; loading files; rule sets by name.
* `cli`: the command ``kgreason``.

Beside this package: `kgreason_rdflib` is the rdflib plugin, `kgreason_ontologies` has the rule sets as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgreason.errors import (
    KGReasonError,
    ListError,
    LoadError,
    Position,
    RuleError,
    RuleSyntaxError,
    StratificationError,
    TermError,
    UnknownRuleSetError,
    UnsafeRuleError,
)

if TYPE_CHECKING:
    from kgreason.knowledge.base import KnowledgeBase
    from kgreason_rdflib.store import ReasoningStore

__version__ = "0.1.0"

__all__ = [
    "KGReasonError",
    "KnowledgeBase",
    "ListError",
    "LoadError",
    "Position",
    "ReasoningStore",
    "RuleError",
    "RuleSyntaxError",
    "StratificationError",
    "TermError",
    "UnknownRuleSetError",
    "UnsafeRuleError",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """The store and the knowledge base are imported at first use: rdflib takes a while to load."""
    if name == "ReasoningStore":
        from kgreason_rdflib.store import ReasoningStore

        return ReasoningStore
    if name == "KnowledgeBase":
        from kgreason.knowledge.base import KnowledgeBase

        return KnowledgeBase
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
