"""The namespace table of a store: prefixes to namespaces, one to one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rdflib.term import URIRef


class Prefixes:
    """Which prefix stands for which namespace; neither ever has two partners."""

    def __init__(self) -> None:
        self._namespaces: dict[str, URIRef] = {}
        self._prefixes: dict[URIRef, str] = {}

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind, taking both from their earlier partners; without `override` only when both are free."""
        if prefix in self._namespaces or namespace in self._prefixes:
            if not override:
                return
            if (earlier_namespace := self._namespaces.pop(prefix, None)) is not None:
                del self._prefixes[earlier_namespace]
            if (earlier_prefix := self._prefixes.pop(namespace, None)) is not None:  # which may be empty
                del self._namespaces[earlier_prefix]
        self._namespaces[prefix] = namespace
        self._prefixes[namespace] = prefix

    def replace(self, pairs: Iterable[tuple[str, URIRef]]) -> None:
        """Have these bindings, and no others."""
        self._namespaces, self._prefixes = {}, {}
        for prefix, namespace in pairs:
            self.bind(prefix, namespace)

    def prefix(self, namespace: URIRef) -> str | None:
        """The prefix of a namespace."""
        return self._prefixes.get(namespace)

    def namespace(self, prefix: str) -> URIRef | None:
        """The namespace of a prefix."""
        return self._namespaces.get(prefix)

    def __iter__(self) -> Iterator[tuple[str, URIRef]]:
        return iter(list(self._namespaces.items()))

    def _check(self) -> None:
        assert {p: n for n, p in self._prefixes.items()} == self._namespaces, "a prefix has two namespaces"


class Prefixed:
    """The part of `ReasoningStore` that knows prefixes."""

    _prefixes: Prefixes

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix to a namespace; without `override` only when both are free."""
        self._prefixes.bind(prefix, namespace, override)

    def unbind(self, prefix: str) -> None:
        """Take a prefix away; nothing happens where there is none."""
        self._prefixes.replace([(name, space) for name, space in self._prefixes if name != prefix])

    def prefix(self, namespace: URIRef) -> str | None:
        """The prefix of a namespace."""
        return self._prefixes.prefix(namespace)

    def namespace(self, prefix: str) -> URIRef | None:
        """The namespace of a prefix."""
        return self._prefixes.namespace(prefix)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """All prefixes with their namespaces."""
        return iter(self._prefixes)
