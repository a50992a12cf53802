"""Relations that a scheme cannot keep, since it would make a literal a subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kgreason.relations.catalogue import EQUALITY, Definition, Input, Oriented
from kgreason.relations.table import Mask, Table


class UnsuitedError(Exception):
    """A scheme met facts that it cannot keep: its relations must be written out, and the pass made again.

    `codes` are these relations, `with_literals` those among them that have a literal as object; `equalities` are
    relations that say what is equal to a literal.
    """

    def __init__(self, codes: Iterable[int], with_literals: Iterable[int], equalities: Iterable[int] = ()) -> None:
        super().__init__("relations are unsuited to their scheme")
        self.codes = frozenset(codes)
        self.with_literals = frozenset(with_literals)
        self.equalities = frozenset(equalities)

    def spread(self, definitions: Mapping[int, Definition]) -> UnsuitedError:
        """The same with the relations that the literals come to from one definition to the next, so that the pass is
        made again once, and not for each. What rules bring literals to is not among these.

        Cost: O(definitions).
        """
        readers: dict[int, list[tuple[Definition, Oriented]]] = {}
        for definition in {*definitions.values()}:
            for source in (*definition.sources, *definition.right, *(feed.relation for feed in definition.feeds)):
                readers.setdefault(source.code, []).append((definition, source))
        codes, known = {*self.codes}, {*self.with_literals}
        waiting = [*known]
        while waiting:
            for definition, source in readers.get(waiting.pop(), ()):
                if definition.resources:
                    codes.update(member.code for member in definition.members)
                fresh = {each.code for each in definition.members if each.inverse == source.inverse} - known
                known |= fresh
                waiting += fresh
        for definition in definitions.values():
            if definition.replaces_by_literals and not self.equalities.isdisjoint(_codes(definition.equality)):
                codes.update(_codes(definition.members))
        return UnsuitedError(codes, known, self.equalities)


def refuse_literals(
    definition: Definition, literals: Callable[[], Mask], inputs: Iterable[Input], *, anew: bool
) -> None:
    """Raise UnsuitedError if what is new in inputs has a literal where an inverse copy, or what is equal to it, would
    make it a subject; `anew` says that all is new."""
    if not (definition.resources or definition.replaces_by_literals):
        return
    members = definition.members
    for each in inputs:
        if each.role == EQUALITY:
            is_new = anew or each.before is not each.after
            if definition.replaces_by_literals and is_new and _first_with_literals(each.after, literals) is not None:
                raise UnsuitedError(_codes(members), (), _codes(definition.equality))
        elif definition.resources:
            position = _first_with_literals(each.after if anew else each.added, literals)
            if position is not None:
                turned = position == 0
                raise UnsuitedError(_codes(members), (m.code for m in members if m.inverse == turned))


def _first_with_literals(table: Table | None, literals: Callable[[], Mask]) -> int | None:
    """The first position of pairs with a literal."""
    positions = (0, 1) if table else ()
    return next((each for each in positions if table and literals()[table.new_keys(each)].any()), None)


def _codes(relations: Iterable[Oriented]) -> list[int]:
    return [each.code for each in relations]
