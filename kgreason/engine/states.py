"""States of an engine: as a whole, to go on from elsewhere, and what a change has to undo when it fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kgreason.engine.facts import Facts
from kgreason.engine.rules.families import Family, State
from kgreason.engine.rules.shapes import Shape
from kgreason.schemes.catalogue import Definition
from kgreason.schemes.scheme import Table

if TYPE_CHECKING:
    from kgreason.engine.engine import Engine, RuleSource
    from kgreason.engine.maintenance.state import PassState


@dataclass(frozen=True, slots=True)
class RuleState:
    """A snapshot of all rules; arrays are shared."""

    families: list[tuple[Family, State]]
    guarded: dict[int, list[Family]]
    plain: dict[tuple[str, Shape], Family]
    retired: list[Family]
    sequences: dict[int, int]


@dataclass(frozen=True, slots=True)
class EngineState:
    """A snapshot of facts and rules; tables and arrays are shared."""

    facts: Facts
    explicit: Facts
    external: Facts
    definitions: dict[int, Definition]
    rules: RuleState
    has_lists: bool
    unsuited: frozenset[int]


@dataclass(slots=True)
class Undo:
    """What an `apply` has changed so far, as it was before; `sequences` are the relations of the lists."""

    sequences: dict[int, int] = field(default_factory=dict)
    rules: RuleState | None = None
    source: Any = None
    explicit: dict[int, Table | None] = field(default_factory=dict)
    passes: list[PassState] = field(default_factory=list)
    definitions: dict[int, Definition] | None = None

    def begin(self, engine: Engine) -> None:
        """Take note of what costs nothing to remember."""
        self.sequences = dict(engine.lists.sequences) if engine.lists is not None else {}
        self.definitions = engine.definitions

    def save_rules(self, engine: Engine, source: RuleSource) -> None:
        """Take note of the rules, before the first of them changes."""
        if self.rules is None:
            self.rules, self.source = engine.rules(), source.state()

    def facts(self) -> dict[int, Table | None]:
        """The tables that may have changed, as they were."""
        found: dict[int, Table | None] = {}
        for state in reversed(self.passes):
            found.update(state.before)
        return found

    def external(self) -> set[int]:
        """The relations whose external facts may have changed."""
        return {code for state in self.passes for code in state.external_before}

    def revert(self, engine: Engine, source: RuleSource) -> None:
        """Bring everything back to where it was; may be done again, in case that something stopped it."""
        if self.definitions is None:
            return
        for state in reversed(self.passes):
            state.revert()
        for code, table in self.explicit.items():
            engine.explicit.put(code, table)
        if engine.definitions is not self.definitions:
            engine.definitions = self.definitions
            engine.forget_strata()
        if self.rules is not None:
            engine.restore_rules(self.rules)
            source.restore(self.source)
        if engine.lists is not None:
            # The rules were saved after the pass that may have found new lengths.
            engine.lists.sequences = dict(self.sequences)
            engine.lists.touched = set()
        engine._fresh_lengths = ()
        engine._suspended = set()
