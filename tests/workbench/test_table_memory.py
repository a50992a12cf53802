"""Would catch a memory that grows with what clients name, or gives what was made from other tables."""

from __future__ import annotations

from itertools import count

from kgreason.relations.codes import property_code
from kgreason.relations.table import Table
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_server.workbench.table_memory import MOST, TableMemory
from tests.facade import add, ex


def table_of(base: KnowledgeBase) -> Table | None:
    return base.all().table(property_code(base.dictionary.encode(ex("p"))))


def test_thing_is_made_again_only_for_other_tables() -> None:
    base, memory, numbers = KnowledgeBase("none"), TableMemory(), count()
    add(base, (ex("a"), ex("p"), ex("b")))
    assert memory.of("x", (table_of(base),), lambda: next(numbers)) == 0
    add(base, (ex("a"), ex("q"), ex("b")))
    assert memory.of("x", (table_of(base),), lambda: next(numbers)) == 0
    add(base, (ex("a"), ex("p"), ex("c")))
    assert memory.of("x", (table_of(base),), lambda: next(numbers)) == 1
    assert memory.of("y", (table_of(base),), lambda: next(numbers)) == 2


def test_last_things_that_were_asked_for_are_kept() -> None:
    memory, numbers = TableMemory(), count()
    assert memory.of("often", (None,), lambda: "kept") == "kept"
    for number in range(3 * MOST):
        memory.of(str(number), (None,), lambda: next(numbers))
        assert memory.of("often", (None,), lambda: "made again") == "kept"
    assert len(memory._known) == MOST
