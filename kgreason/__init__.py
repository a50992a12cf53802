"""kgreason: an rdflib store that reasons.

    from rdflib import Graph
    from kgreason import ReasoningStore

    graph = Graph(store=ReasoningStore(rules="owl-rl"))
    graph.parse("data.ttl")       # every pattern and query now sees explicit and inferred triples alike

A map of the house; imports point from right to left only:

    rdf <- dictionary, columns <- relations <- algebra <- program <- engine         <- store <- disk <- adapters, cli
                                                algebra <- sparql, proofs           <- store
           dictionary, columns <- io                        <- store <- comparison, lookup, quality <- cli

* `rdf`: RDF terms, what they mean, operators and functions on them.
* `dictionary`: terms to ids and back.
* `columns`: primitive operations on sorted id columns.
* `relations`: how the facts of one relation are stored: plain tables, closures, equivalences, unions.
* `algebra`: expressions over columns of ids.
* `program`: rules as data, from text to templates; knows nothing of storage.
* `engine`: rules over relations, evaluated and maintained on ids alone.
* `sparql`: queries over columns of ids, through one narrow protocol.
* `proofs`: why a triple holds: derivations, searched backward on request.
* `rule_translation`: rules in other languages (N3, SWRL, SHACL) to programs, or what of them has no counterpart.
* `sparql_rl`: rule sets of SPARQL-RL: from text to rules of a program, with what the draft asks of them, and back.
* `proof_checking`: proofs that were written as RDF, accepted or refused; no code of the engine.
* `store`: the knowledge base: changes go in, views come out.
* `io`: files and encoded triples to columns of ids, in bulk.
* `comparison`: what two graphs have and lack beside each other, with blank nodes matched.
* `lookup`: terms by their labels, and as people read them.
* `quality`: what a graph has, and what is wrong with it.
* `disk`: a store in a directory: a log of commits that survives crashes, snapshots that are mapped into memory.
* `tuning`: constants that were tuned, of columns, terms, joins and files; and where those of other rooms are.
* `repetitions`: parts of regular expressions that differ between versions of Python.
* `memory`, `checkpoints`, `sorting`: memory for large steps, limits of long work, and sorts that keep to both;
  `system_memory`: what the system says of memory.
* `progress`: where long work says how far it is; `notebook_bar`: a progress bar in notebooks.
* `errors`: every error that kgreason raises.
* `html_fragments`: parts of HTML documents, for reports and notebooks; `plurals`: counts in texts.
* `arrow`: pyarrow, imported when it is first used.
* `access`: what a store may reach for outside of itself; `fetching`, `remote_streams`: documents and answers of
  servers, within that.
* `cli`: the command line.
* `kgreason_rdflib` (adapters): the rdflib Store and its parsers; rdflib's terms stop at one module, `rdflib_terms`.
* `kgreason_server` (adapters): a store over HTTP, on Starlette: protocols, tokens, limits; answers stream from columns.
* `kgreason_mcp` (adapters): tools for agents, by the Model Context Protocol.
* `kgreason_mapping` (adapters): RML mappings, compiled to one inert tree, and raw data to triples by it over columns.
* `kgreason_oxigraph` (adapters): Oxigraph's databases in and out.
* `kgreason_spark` (adapters): the same tree, and N-Triples in, on Spark; encoded Parquet out, and what follows from it.
* `kgreason_ontologies` (ontologies): the rule sets as text, and parsed.

How a deleted triple finds what no longer follows: `docs/background/deletion.md`, and `engine.maintenance.stratum_pass`.
The papers that are cited, as Hu et al. 2019: `docs/background/index.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgreason.errors import (
    AccessError,
    BranchError,
    BudgetError,
    DamageError,
    ForkedError,
    ImportsWarning,
    KGReasonError,
    KnownTripleError,
    ListError,
    ListWarning,
    LoadError,
    LockedError,
    MappingError,
    MovedError,
    OptionError,
    Position,
    ProofError,
    QueryError,
    QueryLimitError,
    QuerySyntaxError,
    ReadOnlyError,
    RuleError,
    RulesWarning,
    RuleSyntaxError,
    SchemeError,
    StoreError,
    StratificationError,
    TermError,
    TermWarning,
    UnknownRuleSetError,
    UnknownTripleError,
    UnsafeRuleError,
    WriteError,
)

if TYPE_CHECKING:
    from kgreason.access import Access
    from kgreason.engine.budget import Budget
    from kgreason.store.knowledge_base import KnowledgeBase
    from kgreason_rdflib.comparing import compare
    from kgreason_rdflib.store import ReasoningStore

__version__ = "0.1.0"

__all__ = [
    "Access",
    "AccessError",
    "BranchError",
    "Budget",
    "BudgetError",
    "DamageError",
    "ForkedError",
    "ImportsWarning",
    "KGReasonError",
    "KnowledgeBase",
    "KnownTripleError",
    "ListError",
    "ListWarning",
    "LoadError",
    "LockedError",
    "MappingError",
    "MovedError",
    "OptionError",
    "Position",
    "ProofError",
    "QueryError",
    "QueryLimitError",
    "QuerySyntaxError",
    "ReadOnlyError",
    "ReasoningStore",
    "RuleError",
    "RuleSyntaxError",
    "RulesWarning",
    "SchemeError",
    "StoreError",
    "StratificationError",
    "TermError",
    "TermWarning",
    "UnknownRuleSetError",
    "UnknownTripleError",
    "UnsafeRuleError",
    "WriteError",
    "compare",
]


def __getattr__(name: str) -> Any:
    """Import all but the errors at first use. A process that imports a part of kgreason, such as the command line with
    ``--help``, needs no store; and options of a store bring as much of the standard library as all errors."""
    match name:
        case "ReasoningStore":
            from kgreason_rdflib.store import ReasoningStore

            return ReasoningStore
        case "KnowledgeBase":
            from kgreason.store.knowledge_base import KnowledgeBase

            return KnowledgeBase
        case "compare":
            from kgreason_rdflib.comparing import compare

            return compare
        case "Access":
            from kgreason.access import Access

            return Access
        case "Budget":
            from kgreason.engine.budget import Budget

            return Budget
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
