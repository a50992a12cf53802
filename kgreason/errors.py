"""Every error that kgreason raises on purpose, as one small hierarchy under `KGReasonError`.

A message names the place (file, line, column, rule or term) and the reason, in one line; the command line
prints it as it is. Whatever raised one of these left the store as it was before the call.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text: the file or a description of it, line and column from 1."""

    source: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


def one_line(error: BaseException) -> str:
    """What somebody else's error says, in one line."""
    return " ".join(str(error).split())


class KGReasonError(Exception):
    """Anything that kgreason reports about its input or its use."""


class TermError(KGReasonError):
    """A term that RDF does not allow where it stands: a literal subject, a relative IRI, ..."""


class RuleError(KGReasonError):
    """A rule, or a set of rules, that cannot be used; `position` is where, when it came from a text."""

    def __init__(self, reason: str, position: Position | None = None) -> None:
        self.reason = reason
        self.position = position
        super().__init__(f"{position}: {reason}" if position else reason)


class RuleSyntaxError(RuleError):
    """The text of a rule does not follow the grammar, or uses a construct that is not supported."""


class UnsafeRuleError(RuleError):
    """A variable that no positive body atom binds."""


class StratificationError(RuleError):
    """A relation that depends on its own negation."""


class UnknownRuleSetError(RuleError):
    """The name of a rule set that does not exist and is no file either."""


class StrategyError(KGReasonError):
    """A strategy of the engine that there is not."""


class SchemeError(KGReasonError):
    """A storage scheme, or a wish for one, that does not exist."""


class LoadError(KGReasonError):
    """A file that is missing, unreadable, of an unknown format, or malformed."""


class LockedError(KGReasonError):
    """A store on disk that another writer has open."""


class SparkError(KGReasonError):
    """Spark or its Java that is missing, too old or does not start, or a job of it that failed."""


class MappingError(KGReasonError):
    """An RML mapping that cannot be used; `triples_map` is the triples map at fault, when it is one."""

    def __init__(self, reason: str, triples_map: str | None = None) -> None:
        self.reason = reason
        self.triples_map = triples_map
        super().__init__(f"triples map {triples_map}: {reason}" if triples_map else reason)


class ListError(KGReasonError):
    """An RDF list that is cyclic or cut off where an axiom needs its members, in a store that is `strict`."""


class ListWarning(UserWarning):
    """An RDF list that is cyclic or cut off, so that the axioms that name it say nothing until it is whole again."""


class BudgetError(KGReasonError):
    """A change that would derive more than its budget allows; it was dropped.

    `limit` is "facts", "seconds" or "bytes"; `rules` are those that produced most, by their names or as they were
    written, each with how many facts it gave, known ones and repetitions among them; most first.
    """

    def __init__(self, reason: str, limit: str, rules: tuple[tuple[str, int], ...]) -> None:
        self.limit = limit
        self.rules = rules
        super().__init__(reason)


class UnknownTripleError(KGReasonError):
    """A triple that is to be explained but neither is asserted nor follows."""

    def __init__(self, triple: str) -> None:
        super().__init__(f"{triple} neither is asserted nor follows from what is")


class FunctionError(KGReasonError):
    """A built-in function that does not apply to its arguments, or that does not exist; in a rule it is false."""


class QueryError(KGReasonError):
    """A query that cannot be answered as it is."""


class AccessError(QueryError):
    """A server or a file that a query or an update reaches for, and that the owner of the store has not allowed."""


class QueryLimitError(QueryError):
    """A query that took longer, or made more rows, than it may."""
