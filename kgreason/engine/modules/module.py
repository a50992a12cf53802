"""The protocol of a module: a set of rules of one stratum with an algorithm of its own to find what follows.

The recursive rules of a stratum are split into modules, and the maintenance of a stratum (`stratum_pass`) calls four
functions of each without knowing what is behind them (Hu et al. 2019, Section 4):

========================  ====================================================================================
Add (Definition 3)        `Module.add`: what follows from facts that are new in the stratum
Del (Definition 6)        `Module.delete`: what must be overdeleted because facts of the stratum were
Diff (Definition 5)       `Module.gained`, `Module.lost`: what follows from changes in the strata below, and what
                          no longer does; the only place where negated atoms count, since these are below
Red (Definition 7)        `Module.rederive`: which of the overdeleted facts still follow
========================  ====================================================================================

`SeminaiveModule` serves all rules, `StratumLists` derives the members of RDF lists. `ClosureModule` stands for
transitivity and symmetry of relations that other rules of their stratum feed: it keeps them in a scheme, apart from
their external facts (X_R there), which the other modules derive. So it answers Add and Del alone, in terms of
edges that come and go. `MutualModule` keeps beside such a relation what it has both ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, TypeAlias

from kgreason.relations.table import Table

Delta: TypeAlias = Mapping[int, Table]
"""Facts that came or went, by key (`kgreason.engine.modules.pass_state`)."""

Found: TypeAlias = Iterator[tuple[int, Table | None]]
"""Facts by key, with facts among them that are known already."""


class Module(Protocol):
    """Derives facts of one stratum. Made for one visit; reads the facts as they are at each call."""

    def lost(self) -> Found:
        """The facts that had a derivation from facts below that are gone, or past negated facts below that have
        come."""

    def delete(self, delta: Delta) -> Found:
        """The facts that had, before the pass, a derivation from one of the overdeleted facts `delta` of the
        stratum."""

    def rederive(self, deleted: Delta) -> Found:
        """Which of the overdeleted facts follow in one step from the facts that are left."""

    def gained(self) -> Found:
        """The facts that have a derivation from facts below that have come, or past negated facts below that are
        gone."""

    def add(self, delta: Delta) -> Found:
        """The facts that have a derivation from one of the new facts `delta` of the stratum, which are facts by now."""
