"""The relations of asserted triples, for rules that look at these alone: ``asserted-triple(?s, ex:p, ?o)``.

Where such an atom names a class or a property, it is a relation of its own that has the very tables of the explicit
triples, so that it costs nothing; where the predicate or the class is a variable, it is one of all explicit triples,
with a column for the predicate. Their facts are explicit ones, which come and go with the triples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from kgreason.columns.id_columns import repeated
from kgreason.engine.engine import ExplicitChange
from kgreason.engine.facts import Changes, Facts
from kgreason.program.safety import ASSERTED
from kgreason.relations.codes import AUXILIARY, CLASS, identifier_of, kind_of
from kgreason.relations.plain import table_of, union_of
from kgreason.relations.table import Table

_PREFIX: Final = f"{ASSERTED} "
Auxiliaries = Mapping[tuple[str, int], int]


def name_of(code: int) -> str:
    """What the relation of the asserted triples of a class or a property is called."""
    return f"{_PREFIX}{code}"


def is_followed(auxiliaries: Auxiliaries, code: int) -> bool:
    """Whether a relation has the asserted triples of a class or a property."""
    return (ASSERTED, 3) in auxiliaries or any(base == code for _, base in _followed(auxiliaries))


def with_asserted(before: Facts, change: ExplicitChange, auxiliaries: Auxiliaries, type_id: int) -> ExplicitChange:
    """A change of explicit triples with that of the relations that rules have for them; `before` is what was explicit.

    O(auxiliary relations); where all triples have a relation, O(relations), and the size of the change.
    """
    followed = [*_followed(auxiliaries)]
    whole = auxiliaries.get((ASSERTED, 3))
    if not followed and whole is None:
        return change
    changes, explicit = Changes(), change.explicit.draft()
    changes.follow(change.changes)
    for code, base in followed:
        known, after = before.get(code), change.explicit.get(base)
        if known is before.get(base):
            changes.replace(code, change.changes.added.get(base), change.changes.removed.get(base))
        else:
            _follow(changes, code, known, after)
        explicit.put(code, after)
    if whole is not None:
        table = _whole(before, change, whole, type_id)
        _follow(changes, whole, before.get(whole), table)
        explicit.put(whole, table)
    return ExplicitChange(changes, explicit.version())


def _followed(auxiliaries: Auxiliaries) -> Iterator[tuple[int, int]]:
    """The relations of one class or property, each with the relation that it follows."""
    for (name, _), code in auxiliaries.items():
        if name.startswith(_PREFIX):
            yield code, int(name.removeprefix(_PREFIX))


def _follow(changes: Changes, code: int, before: Table | None, after: Table | None) -> None:
    if before is after:
        return
    added = after if before is None else after.difference(before) if after else None
    removed = before if after is None else before.difference(after) if before else None
    changes.replace(code, added or None, removed or None)


def _whole(before: Facts, change: ExplicitChange, code: int, type_id: int) -> Table | None:
    """All explicit triples after a change, in three columns."""
    known = before.get(code)
    if known is None or len(known) != sum(len(table) for base, table in before.items() if kind_of(base) != AUXILIARY):
        return _columns(change.explicit.items(), type_id)
    gone = _columns(change.changes.removed.items(), type_id)
    come = _columns(change.changes.added.items(), type_id)
    left = known.difference(gone) if gone else known
    return left.union(come) if come else left


def _columns(tables: Iterable[tuple[int, Table]], type_id: int) -> Table | None:
    found = []
    for code, table in tables:
        if kind_of(code) == AUXILIARY:
            continue
        first, *others = table.columns()
        constant = repeated(identifier_of(code), len(first))
        if kind_of(code) == CLASS:
            found.append(table_of((first, repeated(type_id, len(first)), constant)))
        else:
            found.append(table_of((first, constant, others[0])))
    return union_of(found) if found else None
