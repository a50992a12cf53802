"""Which scheme keeps which relation: definitions, inputs, and the schemes that there are.

A *definition* says how the facts of some relations follow from others by rules that a scheme knows: copies,
inverse copies, symmetry, transitivity. Its *members* are relations that copy each other, so one table serves them
all; its *sources* are relations that are copied into them. What else the members hold, asserted or derived by
other rules, is external (X_R of Hu et al. 2019) and kept in a plain table for each.

A scheme turns the inputs (external facts and sources) into a table: that is schedule, derive and merge of
Zhang et al. 2023. *Schedule* hands over what came and went in the inputs; *derive* gives the next version, beside the
one before; *merge* (`Table.compacted`) tidies the version up when the one before is not needed any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from kgreason.errors import SchemeError
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason.relations.stored import ReadTable
from kgreason.relations.table import Table

UNION: Final = "union"
SYMMETRIC: Final = "symmetric"
TRANSITIVE: Final = "transitive"
EQUIVALENCE: Final = "equivalence"
CHAIN: Final = "chain"
EQUALITY: Final = "equality"
REPRESENTED: Final = "represented"
STEPS: Final = "steps"
MUTUAL: Final = "mutual"
MUTUAL_OTHERS: Final = "mutual others"
LEFT: Final = "left"
RIGHT: Final = "right"
AROUND: Final = "around"
UNNAMED: Final = "unnamed"
PLAIN: Final = "plain"
AUTO: Final = "auto"
VIRTUAL: Final = "virtual"


@dataclass(frozen=True, slots=True, order=True)
class Oriented:
    """A relation by its code, as it is or with its arguments the other way round."""

    code: int
    inverse: bool = False


@dataclass(frozen=True, slots=True)
class Restriction:
    """Which pairs a closure has only where an edge gives them: those of a thing with itself, if it is `irreflexive`,
    and those whose object is one of the `excluded` ids."""

    irreflexive: bool
    excluded: tuple[int, ...] = ()

    def is_within(self, other: Restriction) -> bool:
        """Whether the other one leaves out all that this one does."""
        return self.irreflexive <= other.irreflexive and {*self.excluded} <= {*other.excluded}


@dataclass(frozen=True, slots=True)
class Naming:
    """The ids that can name a relation of a kind (`codes`), but for those that are `excluded`."""

    kind: int
    excluded: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    """A relation that feeds another one of its stratum, but for the pairs that begin or end with some ids, if they are
    kept `apart` those of a thing with itself, and if they must be `resources` those that begin with a literal. All are
    said of pairs in the orientation of the first member."""

    relation: Oriented
    apart: bool = False
    not_first: tuple[int, ...] = ()
    not_last: tuple[int, ...] = ()
    resources: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """What a scheme keeps: `closure` is UNION, SYMMETRIC, TRANSITIVE, EQUIVALENCE, EQUALITY, CHAIN, REPRESENTED,
    STEPS, MUTUAL or MUTUAL_OTHERS.

    The first member is not inverse; the others are oriented relative to it. A chain is continued by the relations
    `left` before its subjects, and by those of `right` after its objects. With `resources`, an inverse copy
    keeps literals from becoming subjects, or a filter compares values and not ids, so the scheme applies only while no
    input has a literal. A part (`is_part`) shares its stratum with rules that read it and feed it; it has no sources.

    A closure that is TRANSITIVE may leave out the pairs of a `restriction`. What is MUTUAL are the pairs that such a
    part, its feed, has both ways, and with MUTUAL_OTHERS only those of different things; when rules copy it into that
    part, the external facts among it feed the part, since the closure has the others already.
    STEPS are pairs of the sources that have all others at the ends of their paths, on which each id is of a `naming`; a
    part of this kind has those of a closure of its stratum, its feed.
    What is REPRESENTED holds of all that the relation `equality` makes equal; `within` is the closure that it is kept
    in over representatives, where it is written out if it `is_written`.
    """

    closure: str
    arity: int
    members: tuple[Oriented, ...]
    sources: tuple[Oriented, ...]
    resources: bool = False
    is_part: bool = False
    left: tuple[Oriented, ...] = ()
    right: tuple[Oriented, ...] = ()
    equality: tuple[Oriented, ...] = ()
    within: str = ""
    is_written: bool = False
    restriction: Restriction | None = None
    naming: Naming | None = None
    feeds: tuple[Feed, ...] = ()

    @property
    def is_mutual(self) -> bool:
        """Whether it is what another part has both ways."""
        return self.closure in (MUTUAL, MUTUAL_OTHERS)

    @property
    def follows_part(self) -> bool:
        """Whether it follows from the facts of another part of its stratum, its feed, and not from what is external to
        that."""
        return self.is_mutual or (self.is_part and self.closure == STEPS)

    @property
    def is_represented_part(self) -> bool:
        """Whether it is a part that is kept over representatives, where rules are evaluated, those that copy it into
        itself or turn it round among them."""
        return self.is_part and self.closure == REPRESENTED

    @property
    def replaces_by_literals(self) -> bool:
        """Whether members are triples, of which rules may replace subjects by literals: an auxiliary relation says what
        is equal."""
        may_be_literals = any(kind_of(each.code) == AUXILIARY for each in self.equality)
        return may_be_literals and any(kind_of(each.code) != AUXILIARY for each in self.members)

    @property
    def spans(self) -> bool:
        """Whether the members have all pairs that paths of their external facts connect, but for those of a
        restriction."""
        return self.closure in (EQUALITY, EQUIVALENCE, TRANSITIVE)

    @property
    def excluded(self) -> tuple[int, ...]:
        """The ids to which no path leads, but facts alone."""
        return () if self.restriction is None else self.restriction.excluded

    def spans_as(self, other: Definition) -> bool:
        """Whether its members have all pairs that a closure by another definition has of the same external facts."""
        if not self.spans or other.closure != TRANSITIVE:
            return False
        if self.restriction is None:
            return True
        return other.restriction is not None and self.restriction.is_within(other.restriction)

    @property
    def reads(self) -> tuple[Oriented, ...]:
        """All relations that the members follow from, in the orientation of the first member."""
        return self.sources + self.left + self.right + self.equality

    @property
    def roles(self) -> tuple[tuple[str, tuple[Oriented, ...]], ...]:
        """The same by what they are to the definition."""
        return (CHAIN, self.sources), (LEFT, self.left), (RIGHT, self.right), (EQUALITY, self.equality)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Input:
    """One input in the orientation of the first member: before, after, and the net change between them.

    `role` says what it is to a chain: CHAIN for its own pairs, LEFT or RIGHT for what continues it; or EQUALITY, for
    what says which things are equal; or AROUND, for the ids that steps lead around, of which those that are UNNAMED
    need no steps from them or to them; or MUTUAL, for the closure that has pairs both ways.
    """

    before: Table | None
    after: Table | None
    added: Table | None
    removed: Table | None
    role: str = CHAIN


class Scheme(Protocol):
    """A way to keep the facts of a definition. Immutable; serves any number of relations."""

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        """The facts that follow from the inputs as they are after a change.

        `before` is the version that `derive` gave for the inputs as they were before it; None when there is none
        (a new definition), and then only what the inputs are after the change counts.
        """


class Representation(Protocol):
    """A way to keep facts over the representatives of things that are equal."""

    def over(self, within: Scheme, is_written: bool) -> Scheme:
        """The scheme that keeps there what `within` would keep without equality."""

    def unmoved(self, before: Table, known: Table | None, said: Table | None) -> Table | None:
        """The version before over the classes that are `said` in place of those that are `known`, where it holds of
        nothing that is equal to other things now; else None."""


@dataclass(frozen=True)
class Catalogue:
    """The scheme for each closure, and what a user forces.

    Args:
        schemes: for each closure its scheme; schemes of your own go here.
        default: AUTO, to choose from the program, or PLAIN, to write everything out.
        forced: for the IRI of a property or class, or the name of a relation: PLAIN, to write it out, or VIRTUAL,
            to keep it in a scheme at any cost to its readers. A relation that no scheme fits stays plain.
        join_limit: a union that more rule bodies than this join with other atoms is written out.
        readers: how tables of schemes of your own are read from a snapshot, by their `stored_as`; without, a store
            on disk makes them again from its log.
        representation: how facts of equal things are kept; None to write them out for each of these.
        restricted: gives the scheme of a transitive closure that leaves pairs out; None to write them out.
    """

    schemes: Mapping[str, Scheme]
    default: str = AUTO
    forced: Mapping[str, str] = field(default_factory=dict)
    join_limit: int = 0
    readers: Mapping[str, ReadTable] = field(default_factory=dict)
    representation: Representation | None = None
    restricted: Callable[[Restriction], Scheme] | None = None

    def __post_init__(self) -> None:
        unknown = {*self.forced.values()} - {PLAIN, VIRTUAL}
        if unknown:
            raise SchemeError(
                f"a relation can be forced to be {PLAIN!r} or {VIRTUAL!r}, not {min(unknown)!r}", "forced", min(unknown)
            )
        if self.default not in (AUTO, PLAIN):
            raise SchemeError(f"the default is {AUTO!r} or {PLAIN!r}, not {self.default!r}", "default", self.default)

    def has(self, definition: Definition) -> bool:
        """Whether there is a scheme for a definition."""
        if definition.closure == REPRESENTED:
            return self.representation is not None and definition.within in self.schemes
        if definition.restriction is not None and self.restricted is None:
            return False
        return definition.closure in self.schemes

    def unmoved(self, before: Table, known: Table | None, said: Table | None) -> Table | None:
        """As `Representation.unmoved`."""
        return None if self.representation is None else self.representation.unmoved(before, known, said)

    def of(self, definition: Definition) -> Scheme:
        """The scheme of a definition."""
        if definition.closure == REPRESENTED:
            assert self.representation is not None
            return self.representation.over(self.schemes[definition.within], definition.is_written)
        if definition.restriction is not None:
            assert self.restricted is not None
            return self.restricted(definition.restriction)
        return self.schemes[definition.closure]


def present(tables: Iterable[Table | None]) -> list[Table]:
    """The tables that have facts."""
    return [table for table in tables if table]
