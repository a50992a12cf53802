"""What was found out about a block of pairs, for all versions of a table that share it."""

from __future__ import annotations

from kgreason.columns import pairs
from kgreason.columns.id_filters import IdFilter
from kgreason.columns.pairs import Keys


class BlockNotes:
    """Notes of one block, made when they are first asked for."""

    __slots__ = ("_longest", "_objects", "block")

    def __init__(self, block: Keys) -> None:
        self.block = block
        self._longest: int | None = None
        self._objects: IdFilter | None = None

    def of(self, block: Keys) -> BlockNotes:
        """These notes, or where they are of another block than this, new ones."""
        return self if block is self.block else BlockNotes(block)

    def longest_run(self) -> int:
        """At least as many pairs as any subject has (`pairs.run_bound`)."""
        if self._longest is None:
            self._longest = pairs.run_bound(self.block)
        return self._longest

    def objects(self) -> IdFilter:
        """Which objects there are: O(pairs) when first asked for."""
        if self._objects is None:
            self._objects = IdFilter.of(pairs.objects_within(self.block))
        return self._objects

    def may_have_object(self, identifier: int) -> bool:
        """Whether some pair may have an object, as far as that is known."""
        return self._objects is None or self._objects.may_have(identifier)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return 0 if self._objects is None else self._objects.nbytes
