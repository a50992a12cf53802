"""The namespace table of a store: prefixes to namespaces, one to one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from threading import Lock
from typing import Final

from rdflib.graph import Graph
from rdflib.namespace import DefinedNamespaceMeta
from rdflib.term import BNode, Literal, URIRef

from kgreason.errors import TermError, quoted
from kgreason_rdflib.contents import Contents

_GENERATED: Final = re.compile(r"ns[0-9]+")
"""The prefixes that rdflib makes up for what it writes."""


class Prefixes:
    """Which prefix stands for which namespace; neither ever has two partners."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._namespaces: dict[str, URIRef] = {}
        self._prefixes: dict[URIRef, str] = {}

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind, taking both from their earlier partners; without `override` only when both are free."""
        with self._lock:
            if prefix not in self._namespaces and self.prefix(namespace) is None:
                # The second counts, so that what stops this in between has bound nothing.
                self._prefixes[namespace] = prefix
                self._namespaces[prefix] = namespace
            elif override:
                others = {p: n for p, n in self._namespaces.items() if p != prefix and n != namespace}
                self._become({**others, prefix: namespace})

    def replace(self, pairs: Iterable[tuple[str, URIRef]]) -> None:
        """Have these bindings, and no others."""
        others = Prefixes()
        for prefix, namespace in pairs:
            others.bind(prefix, namespace)
        with self._lock:
            self._become(others._namespaces)

    def unbind(self, prefix: str) -> None:
        """Take a prefix away; nothing happens where there is none."""
        with self._lock:
            self._become({p: n for p, n in self._namespaces.items() if p != prefix})

    def _become(self, namespaces: dict[str, URIRef]) -> None:
        prefixes = {namespace: prefix for prefix, namespace in namespaces.items()}
        # In one step, between whose parts no Ctrl-C can come.
        self._namespaces, self._prefixes = namespaces, prefixes

    def prefix(self, namespace: URIRef) -> str | None:
        """The prefix of a namespace."""
        prefix = self._prefixes.get(namespace)
        return prefix if prefix is not None and self._namespaces.get(prefix) == namespace else None

    def namespace(self, prefix: str) -> URIRef | None:
        """The namespace of a prefix."""
        return self._namespaces.get(prefix)

    def __iter__(self) -> Iterator[tuple[str, URIRef]]:
        return iter(list(self._namespaces.items()))

    def _check(self) -> None:
        known = {prefix: namespace for namespace, prefix in self._prefixes.items() if self.prefix(namespace) == prefix}
        assert known == self._namespaces, "a prefix has two namespaces"


class Prefixed:
    """The part of `ReasoningStore` that knows prefixes."""

    _contents: Contents
    _prefixes: Prefixes

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix to a namespace; without `override` only when both are free.

        rdflib binds prefixes when it reads: its own ones in every graph, and ``ns1``, ``ns2``, ... when it serialises.
        After `close` these are bound where both are free.

        Raises:
            StoreError: the directory was closed, and the prefix is none of these.
            TermError: the prefix is not a text, or the namespace not an IRI.
        """
        is_iri = isinstance(namespace, (str, DefinedNamespaceMeta)) and not isinstance(namespace, (BNode, Literal))
        if not isinstance(prefix, str) or not is_iri:
            what = f"the prefix {quoted(str(prefix))} cannot stand for {namespace!r}"
            raise TermError(what, str(namespace), expected="a text and an IRI")
        if self._contents.is_closed:
            if not (_GENERATED.fullmatch(prefix) or rdflib_prefixes().get(prefix) == str(namespace)):
                self._contents.knowledge.history.check_open()
            override = False
        self._prefixes.bind(prefix, namespace, override)

    def unbind(self, prefix: str) -> None:
        """Take a prefix away; nothing happens where there is none.

        Raises:
            StoreError: the directory was closed.
        """
        if self._contents.is_closed:
            self._contents.knowledge.history.check_open()
        self._prefixes.unbind(prefix)

    def prefix(self, namespace: URIRef) -> str | None:
        """The prefix of a namespace."""
        return self._prefixes.prefix(namespace)

    def namespace(self, prefix: str) -> URIRef | None:
        """The namespace of a prefix."""
        return self._prefixes.namespace(prefix)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """All prefixes with their namespaces."""
        return iter(self._prefixes)


@cache
def rdflib_prefixes() -> Mapping[str, str]:
    """The prefixes that rdflib binds in every graph, and that its parser of queries knows without being told."""
    return {prefix: str(namespace) for prefix, namespace in Graph().namespaces()}
