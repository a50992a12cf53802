"""Relations that a scheme cannot keep, since it would make a literal a subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kgreason.relations.catalogue import Definition, Oriented
from kgreason.relations.table import Mask, Table


class UnsuitedError(Exception):
    """A scheme met facts that it cannot keep: its relations must be written out, and the pass made again.

    `codes` are these relations, `with_literals` those among them that have a literal as object.
    """

    def __init__(self, codes: Iterable[int], with_literals: Iterable[int]) -> None:
        super().__init__("relations are unsuited to their scheme")
        self.codes = frozenset(codes)
        self.with_literals = frozenset(with_literals)

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
        return UnsuitedError(codes, known)


def refuse_literals(
    definition: Definition, literals: Callable[[], Mask], fresh: Iterable[Table | None]
) -> None:
    """Raise UnsuitedError if new inputs have a literal where an inverse copy would make it a subject."""
    if not definition.resources:
        return
    members = definition.members
    for table in filter(None, fresh):
        for position in (0, 1):
            if literals()[table.new_keys(position)].any():
                turned = position == 0
                raise UnsuitedError((m.code for m in members), (m.code for m in members if m.inverse == turned))
