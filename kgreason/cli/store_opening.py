"""Opening a store on disk, or files as a store in memory, for a command that serves it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kgreason.cli.inputs import Inputs, store_on_disk
from kgreason.cli.options import Limits

if TYPE_CHECKING:
    from kgreason_rdflib.store import ReasoningStore


def store_opening(
    inputs: Inputs, rules: Sequence[str], limits: Limits, *, writes: bool, create: Path | None = None
) -> Callable[[], ReasoningStore]:
    """What opens the store, or makes one in the directory to `create` where it is empty or absent; rules that cannot be
    used are refused at once."""
    from kgreason.store.rule_sets import resolve_rules

    resolve_rules(list(rules))
    on_disk = store_on_disk(inputs.files) or create

    def opened() -> ReasoningStore:
        from typing import cast

        from kgreason.cli.query import filled
        from kgreason_rdflib.store import ReasoningStore

        if on_disk is None:
            return cast(ReasoningStore, filled(inputs, rules, limits).store)
        store = ReasoningStore(rules=list(rules) or None, budget=limits.budget, strict=limits.strict)
        store.open(str(on_disk), create=create is not None, read_only=not writes)
        return store

    return opened
