"""Translated requests, remembered for the next time: from their texts, or from what rdflib prepared of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from kgreason.sparql.limits import too_deep
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.prefixes import rdflib_prefixes

Translated = TypeVar("Translated")


class Translations(Generic[Translated]):
    """Translates texts, or what rdflib prepared of them, and remembers the last ones."""

    def __init__(
        self,
        parse: Callable[[str, str | None, Mapping[str, Any]], Translated],
        translate: Callable[[Any], Translated],
    ) -> None:
        """`parse` translates a text with its base and namespaces, `translate` what was prepared without one."""
        self._parse = parse
        self._translate = translate
        self._lock = Lock()
        self._by_text: OrderedDict[Hashable, Translated] = OrderedDict()
        self._prefixes: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._prepared: WeakKeyDictionary[Any, Translated] = WeakKeyDictionary()

    def of(self, request: Any, base: str | None, namespaces: Mapping[str, Any]) -> Translated:
        """The translation of a text, or of a query or an update that rdflib prepared.

        Raises:
            UntranslatableError: what was prepared has a construct that is not known here.
            QueryError: it cannot be read, or is nested too deeply.
            TypeError: it is something else.
        """
        try:
            if isinstance(request, str):
                return self._of_text(request, base, namespaces)
            if not hasattr(request, "algebra"):
                kind = type(request).__name__
                raise TypeError(f"the request is of type {kind} (expected a text, or a prepared query or update)")
            # What was prepared has the literals as rdflib tidied them, so the text that rdflib kept counts.
            original = getattr(request, "_original_args", None)
            if original is None or not isinstance(original[0], str):
                return self._of_prepared(request)
            asked, given, base = original
            return self._of_text(asked, base, given or {})
        except RecursionError:
            raise too_deep() from None

    def _of_text(self, text: str, base: str | None, namespaces: Mapping[str, Any]) -> Translated:
        known_prefixes = KnownPrefixes(namespaces)
        with self._lock:
            used = self._prefixes.get(text)
            if used is not None:
                # Only the namespaces that the text uses make a difference.
                key = (text, base, tuple(map(known_prefixes.get, used)))
                known = self._by_text.get(key)
                if known is not None:
                    self._by_text.move_to_end(key)
                    return known
        known_prefixes.used.clear()
        made = self._parse(text, base, known_prefixes)
        with self._lock:
            _remember(self._prefixes, text, tuple(known_prefixes.used))
            _remember(self._by_text, (text, base, tuple(known_prefixes.used.values())), made)
        return made

    def _of_prepared(self, prepared: Any) -> Translated:
        with self._lock:
            known = self._prepared.get(prepared)
        if known is None:
            known = self._translate(prepared)
            with self._lock:
                self._prepared[prepared] = known
        return known


def _remember(table: OrderedDict[Any, Any], key: Hashable, value: object) -> None:
    table[key] = value
    table.move_to_end(key)
    while len(table) > rdflib_tuning.KEPT_TRANSLATIONS:
        table.popitem(last=False)


class KnownPrefixes(Mapping[str, str]):
    """The prefixes that a request may use without declaring them: those that are given, and rdflib's own; with those
    that were looked up."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self.used: dict[str, str | None] = {}

    def get(self, prefix: str, default: Any = None) -> Any:
        """The namespace of a prefix, None for one that is not known."""
        namespace = self._given.get(prefix)
        found = rdflib_prefixes().get(prefix) if namespace is None else str(namespace)
        self.used[prefix] = found
        return default if found is None else found

    def __getitem__(self, prefix: str) -> str:
        found: str | None = self.get(prefix)
        if found is None:
            raise KeyError(prefix)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter({**rdflib_prefixes(), **self._given})

    def __len__(self) -> int:
        return sum(1 for _ in self)
