"""The classes of errors, by what they are about: what is given, rules, files and stores, what is derived, and asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack

from kgreason.errors.reports import LONGEST_PART, KGReasonError, Place, Position, printable

# -- what is given ----------------------------------------------------------------------------------------------------


class OptionError(KGReasonError, ValueError):
    """A value that an option does not take.

    Attributes:
        option: the name of the option.
        value: as it was given.
    """

    option: str | None = None
    value: object = None

    def __init__(self, reason: str, option: str | None = None, value: object = None, **place: Unpack[Place]) -> None:
        super().__init__(reason, **place)
        self.option = option
        self.value = value


class StrategyError(OptionError):
    """An unknown strategy of the engine."""


class SchemeError(OptionError):
    """A storage scheme that does not exist, or that an option asks for by a wrong name."""


class TermError(KGReasonError):
    """A term that RDF does not allow where it stands: a literal subject, a relative IRI, ...

    Attributes:
        term: the IRI, label or text at fault, as it was given.
    """

    term: str | None = None

    def __init__(self, reason: str, term: str | None = None, **place: Unpack[Place]) -> None:
        super().__init__(reason, **place)
        self.term = term


class TermWarning(UserWarning):
    """A term that RDF does not allow where it stands, and that was taken, or its triple left out, as in rdflib."""


class UnknownTripleError(KGReasonError):
    """A triple that is to be explained but neither is asserted nor follows.

    Attributes:
        triple: as text.
    """

    triple: str = ""

    def __init__(self, triple: str, **place: Unpack[Place]) -> None:
        super().__init__(f"{triple} neither is asserted nor follows from what is", **place)
        self.triple = triple


class KnownTripleError(KGReasonError):
    """A triple pattern of which it is asked why nothing matches it, and a triple does.

    Attributes:
        triple: the pattern as text.
    """

    triple: str = ""

    def __init__(self, triple: str, **place: Unpack[Place]) -> None:
        super().__init__(f"{triple} is asserted or follows; a proof says why", **place)
        self.triple = triple


class ProofError(KGReasonError):
    """A proof that does not prove what it says.

    Attributes:
        step: the name of the step that is wrong.
    """

    step: str = ""

    def __init__(self, reason: str, step: str, **place: Unpack[Place]) -> None:
        super().__init__(reason, **place)
        self.step = step
        self.locate(part=step)


# -- rules ------------------------------------------------------------------------------------------------------------


class BranchError(KGReasonError):
    """A store that is not a branch of the one that is to adopt it, or whose origin has changed since."""


class RuleError(KGReasonError):
    """A rule, or a set of rules, that cannot be used.

    Attributes:
        rule: the rule, or its name.
    """

    rule: str | None = None

    def __init__(
        self, reason: str, position: Position | None = None, *, rule: str | None = None, **place: Unpack[Place]
    ) -> None:
        super().__init__(reason, **place)
        self.rule = rule
        if position is not None:
            self.locate(path=position.source, line=position.line, column=position.column)

    @property
    def position(self) -> Position | None:
        """Path, line and column in one, for a rule that came from a text."""
        if self.path is None or self.line is None or self.column is None:
            return None
        return Position(self.path, self.line, self.column)


class RuleSyntaxError(RuleError):
    """The text of a rule does not follow the grammar, or uses a construct that is not supported."""


class UnsafeRuleError(RuleError):
    """A variable that no positive body atom binds."""


class StratificationError(RuleError):
    """A relation that depends on its own negation, or on an aggregate of itself."""


class UnknownRuleSetError(RuleError):
    """The name of a rule set that does not exist and is not a file either."""


# -- files and stores -------------------------------------------------------------------------------------------------


class LoadError(KGReasonError):
    """A file that is missing, unreadable, of an unknown format, or malformed."""


class ImportsWarning(UserWarning):
    """Ontologies that documents import and that are neither read nor stored, so that what they say is missing.

    Attributes:
        missing: their IRIs, of which the message names a few.
    """

    def __init__(self, message: str, missing: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.missing = tuple(missing)


class RulesWarning(UserWarning):
    """Rules in a document of data (SWRL, SHACL) that are not among those of the store, so that they do not run; or an
    auxiliary relation that a rule names and no rule derives."""


class DamageError(LoadError):
    """A file of a store, a snapshot or a backup that is not as kgreason wrote it."""

    kind = "damaged"


class WriteError(KGReasonError):
    """A file or directory that cannot be written: no room, no permission, something else in its place."""


class StoreError(KGReasonError):
    """A store that is not in the condition that a call needs: closed, in memory only, changed by another writer."""


class ReadOnlyError(StoreError):
    """A store, a graph or a change that cannot be changed."""


class LockedError(StoreError):
    """A store on disk that another writer has open."""


class MovedError(StoreError):
    """A directory, or a file in it that has to stay, that is not the one that was opened any more."""


class ForkedError(StoreError):
    """A store that another process opened, and that this one has only inherited from it."""


class SparkError(KGReasonError):
    """Spark or its Java that is missing, too old or does not start, or a job of it that failed."""


class MappingError(KGReasonError):
    """An RML mapping that cannot be used.

    Attributes:
        triples_map: the triples map at fault, when it is one.
    """

    triples_map: str | None = None

    def __init__(self, reason: str, triples_map: str | None = None, **place: Unpack[Place]) -> None:
        super().__init__(reason, **place)
        self.triples_map = triples_map

    @property
    def place(self) -> str:
        """The path, and the triples map."""
        named = f"triples map {printable(self.triples_map, LONGEST_PART)}" if self.triples_map else ""
        return ": ".join(filter(None, (super().place, named)))


# -- what is derived --------------------------------------------------------------------------------------------------


class ListError(KGReasonError):
    """An RDF list that is cyclic or cut off where an axiom needs its members, in a store that is `strict`."""


class ListWarning(UserWarning):
    """An RDF list that is cyclic or cut off, so that the axioms that name it say nothing until it is whole again."""


class BudgetError(KGReasonError):
    """A change that would derive more than its budget allows; it was dropped.

    Attributes:
        limit: "facts", "seconds" or "bytes".
        rules: those that produced most, by their names or as they were written, each with how many facts it gave, known
            ones and repetitions among them; most first.
    """

    limit: str = ""
    rules: tuple[tuple[str, int], ...] = ()

    def __init__(self, reason: str, limit: str, rules: tuple[tuple[str, int], ...], **place: Unpack[Place]) -> None:
        super().__init__(reason, **place)
        self.limit = limit
        self.rules = rules


# -- what is asked ----------------------------------------------------------------------------------------------------


class FunctionError(KGReasonError):
    """A built-in function that does not apply to its arguments, or that does not exist; in a rule it is false."""


class QueryError(KGReasonError):
    """A query or an update that cannot be answered as it is; `line` and `column` are those of its text."""


class QuerySyntaxError(QueryError):
    """The text of a query or an update does not follow the grammar."""


class AccessError(QueryError):
    """A server or a file that a query or an update reaches for, and that the owner of the store has not allowed.

    `path` is its IRI.
    """


class QueryLimitError(QueryError):
    """A query that took longer, or made more rows, than it may.

    Attributes:
        limit: "seconds", "rows" or "characters"; "cancelled" for a query whose answer is not wanted any more.
        most: how many of them are allowed.
    """

    limit: str | None = None
    most: float | None = None

    def __init__(
        self, reason: str, limit: str | None = None, most: float | None = None, **place: Unpack[Place]
    ) -> None:
        super().__init__(reason, **place)
        self.limit = limit
        self.most = most
