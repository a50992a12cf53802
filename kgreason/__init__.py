"""kgreason: an rdflib store that reasons.

    from rdflib import Graph
    from kgreason import ReasoningStore

    graph = Graph(store=ReasoningStore(rules="owl-rl"))
    graph.parse("data.ttl")       # every pattern and query now sees explicit and inferred triples alike

A map of the house; imports point from right to left only:

    terms, columns  <-  schemes  <-  engine       <-  knowledge  <-  cli, kgreason_rdflib, kgreason_spark
                        datalog  <-  explanation  <-  knowledge
    terms, columns  <-  schemes  <-  sparql                         <-  kgreason_rdflib
    terms, encoded  <-  loading  <-  durable      <-  knowledge

* `terms`: RDF terms, the dictionary between terms and ids, built-in functions.
* `access`: what a store may reach for outside of itself.
* `columns`: primitive operations on sorted id columns.
* `encoded`: the Parquet form of triples with their dictionary, which Spark and a store exchange.
* `loading`: files and encoded triples to columns of ids, in bulk.
* `schemes`: how the facts of one relation are stored: plain tables, closures, equivalences, unions.
* `datalog`: rules as data, from text to templates; knows nothing of storage.
* `engine`: rules over relations, evaluated and maintained on ids alone.
* `explanation`: why a triple holds: proofs, searched backward when somebody asks.
* `sparql`: queries over columns of ids, through one narrow protocol.
* `durable`: a store on disk: a log of commits that survives crashes, snapshots that are mapped into memory.
* `knowledge`: the knowledge base that ties them together: changes go in, views come out.
* `cli`: the command line.
* `kgreason_rdflib` (adapters): the rdflib Store and its parsers.
* `kgreason_oxigraph` (adapters): Oxigraph's databases in and out.
* `kgreason_spark` (adapters): Spark for data that does not fit one machine.
* `kgreason_ontologies` (ontologies): the rule sets as text.

How a deleted triple finds what no longer follows: `engine.maintenance.visit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgreason.access import Access
from kgreason.engine.budget import Budget
from kgreason.errors import (
    AccessError,
    BudgetError,
    KGReasonError,
    ListError,
    ListWarning,
    LoadError,
    LockedError,
    MappingError,
    Position,
    QueryError,
    QueryLimitError,
    RuleError,
    RuleSyntaxError,
    SchemeError,
    StratificationError,
    TermError,
    UnknownRuleSetError,
    UnknownTripleError,
    UnsafeRuleError,
)

if TYPE_CHECKING:
    from kgreason.knowledge.base import KnowledgeBase
    from kgreason_rdflib.store import ReasoningStore

__version__ = "0.1.0"

__all__ = [
    "Access",
    "AccessError",
    "Budget",
    "BudgetError",
    "KGReasonError",
    "KnowledgeBase",
    "ListError",
    "ListWarning",
    "LoadError",
    "LockedError",
    "MappingError",
    "Position",
    "QueryError",
    "QueryLimitError",
    "ReasoningStore",
    "RuleError",
    "RuleSyntaxError",
    "SchemeError",
    "StratificationError",
    "TermError",
    "UnknownRuleSetError",
    "UnknownTripleError",
    "UnsafeRuleError",
]


def __getattr__(name: str) -> Any:
    """Import the store and the knowledge base at first use: the rule parser alone needs neither."""
    if name == "ReasoningStore":
        from kgreason_rdflib.store import ReasoningStore

        return ReasoningStore
    if name == "KnowledgeBase":
        from kgreason.knowledge.base import KnowledgeBase

        return KnowledgeBase
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
