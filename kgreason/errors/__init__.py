"""Every error that kgreason raises: one hierarchy under `KGReasonError`, with the parts of a message as fields.

    try:
        graph.parse("data.ttl")
    except LoadError as error:
        print(error.path, error.line, error.reason)      # data.ttl 12 a literal that is not closed

`str(error)` is one line, ``place: what is wrong (expected what was expected)``, of at most some 300 characters
beside the path; the command line prints it as it is. All errors can be pickled, and keep their fields. A call that
raised one of them left the store as it was. `hierarchy` has the classes, `reports` what they say and where, `callers`
whose line a warning is about, `limits` what a limit may be.

| call                                               | raises                                                          |
|----------------------------------------------------|-----------------------------------------------------------------|
| `ReasoningStore(...)`, `Budget(...)`               | OptionError (SchemeError, StrategyError), RuleError             |
| `add_rules`, `remove_rules`, `rules=`              | RuleError and its subclasses, BudgetError, ListError            |
| `graph.add`, `addN`                                | TermError, ReadOnlyError                                        |
| `bulk_load`, `apply`, `graph.parse(format="kg-*")` | LoadError (`BulkParseError` from `parse`), OptionError          |
| anything that reads after a change                 | BudgetError, ListError (`strict=True`)                          |
| `graph.query`, `query_table`, `graph.update`       | QueryError and its subclasses; LoadError from LOAD; OptionError |
| `explain`                                          | UnknownTripleError, TermError                                   |
| `write_proofs`                                     | UnknownTripleError, TermError, OptionError, WriteError          |
| `check_proof`                                      | ProofError, LoadError                                           |
| `why_not`                                          | KnownTripleError, TermError                                     |
| `graph.open`, `restore`                            | LoadError, LockedError, StoreError, WriteError, OptionError     |
| `graph.commit`, `close`, `compact`, `backup`       | WriteError, StoreError (ReadOnlyError, MovedError, ForkedError) |
| `kgreason_spark`                                   | SparkError, MappingError, LoadError, TermError, RuleError       |
| `kgreason_oxigraph`                                | LoadError, WriteError                                           |

`bulk_load` warns of imports that are missing (`ImportsWarning`) and of rules that do not run (`RulesWarning`),
`add_rules` of relations without a rule (`RulesWarning`), a change of lists that it breaks (`ListWarning`), `add` of
terms that RDF does not allow and rdflib does (`TermWarning`).

Beside these there are Python's own MemoryError and KeyboardInterrupt, TypeError for an argument of another type than is
documented, and what a callback or a stream of the caller raises. rdflib's own parsers (``format="turtle"``) raise
rdflib's errors; an OptionError is a ValueError too, and a malformed IRI or literal also a SyntaxError, as in rdflib.
"""

from kgreason.errors.callers import level_of_caller
from kgreason.errors.hierarchy import (
    AccessError,
    BranchError,
    BudgetError,
    DamageError,
    ForkedError,
    FunctionError,
    ImportsWarning,
    KnownTripleError,
    ListError,
    ListWarning,
    LoadError,
    LockedError,
    MappingError,
    MovedError,
    OptionError,
    ProofError,
    QueryError,
    QueryLimitError,
    QuerySyntaxError,
    ReadOnlyError,
    RuleError,
    RulesWarning,
    RuleSyntaxError,
    SchemeError,
    SparkError,
    StoreError,
    StrategyError,
    StratificationError,
    TermError,
    TermWarning,
    UnknownRuleSetError,
    UnknownTripleError,
    UnsafeRuleError,
    WriteError,
)
from kgreason.errors.reports import (
    LONGEST_REASON,
    KGReasonError,
    Place,
    Position,
    located,
    nearest,
    one_line,
    printable,
    quoted,
    suggestion,
    unreadable,
)

__all__ = [
    "LONGEST_REASON",
    "AccessError",
    "BranchError",
    "BudgetError",
    "DamageError",
    "ForkedError",
    "FunctionError",
    "ImportsWarning",
    "KGReasonError",
    "KnownTripleError",
    "ListError",
    "ListWarning",
    "LoadError",
    "LockedError",
    "MappingError",
    "MovedError",
    "OptionError",
    "Place",
    "Position",
    "ProofError",
    "QueryError",
    "QueryLimitError",
    "QuerySyntaxError",
    "ReadOnlyError",
    "RuleError",
    "RuleSyntaxError",
    "RulesWarning",
    "SchemeError",
    "SparkError",
    "StoreError",
    "StrategyError",
    "StratificationError",
    "TermError",
    "TermWarning",
    "UnknownRuleSetError",
    "UnknownTripleError",
    "UnsafeRuleError",
    "WriteError",
    "level_of_caller",
    "located",
    "nearest",
    "one_line",
    "printable",
    "quoted",
    "suggestion",
    "unreadable",
]

# Tracebacks and pickles name a class where it is imported from, also when it moves between the files of this package.
for _name in __all__:
    if isinstance(_found := globals()[_name], type):
        _found.__module__ = __name__
del _found, _name
