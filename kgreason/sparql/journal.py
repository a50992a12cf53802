"""What really happened in the steps of a query, beside what was expected: to explain its plan."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Entry:
    """One step: what it does, how many rows were expected of it, None where nothing was, and how many came."""

    label: str
    expected: float | None = None
    rows: int = 0
    inner: list[Entry] = field(default_factory=list)


@dataclass(slots=True)
class Journal:
    """Entries by the objects that they are about, as a tree."""

    root: Entry = field(default_factory=lambda: Entry("query"))
    _entries: dict[int, Entry] = field(default_factory=dict)
    _kept: list[object] = field(default_factory=list)
    _open: list[Entry] = field(default_factory=list)

    def enter(self, item: object, label: str, expected: float | None = None) -> None:
        """Begin with an item: what is entered before `leave` is inside of it."""
        self._open.append(self.entry(item, label, expected))

    def leave(self) -> None:
        """End with the item entered last."""
        self._open.pop()

    def entry(self, item: object, label: str, expected: float | None = None) -> Entry:
        """The entry of an item, made when it is seen first."""
        known = self._entries.get(id(item))
        if known is None:
            known = self._entries[id(item)] = Entry(label, expected)
            self._kept.append(item)
            (self._open[-1] if self._open else self.root).inner.append(known)
        return known

    def count(self, item: object, rows: int) -> None:
        """Add to the rows that came of an item."""
        known = self._entries.get(id(item))
        if known is not None:
            known.rows += rows

    def lines(self) -> list[str]:
        """The plan as an indented list."""
        return [line for entry in self.root.inner for line in _lines(entry, 0)]


def _lines(entry: Entry, depth: int) -> list[str]:
    expected = "" if entry.expected is None else f"expected {entry.expected:,.0f}, "
    own = f"{'  ' * depth}{entry.label}  ({expected}found {entry.rows:,})"
    return [own, *(line for inner in entry.inner for line in _lines(inner, depth + 1))]
