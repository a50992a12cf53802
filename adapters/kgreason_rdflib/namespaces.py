"""Prefixes and namespaces, bound to each other as rdflib's memory store binds them."""

from __future__ import annotations

from dataclasses import dataclass, field

from rdflib.term import URIRef


@dataclass(slots=True)
class Namespaces:
    """Two dictionaries that are kept inverse to each other."""

    by_prefix: dict[str, URIRef] = field(default_factory=dict)
    by_namespace: dict[URIRef, str] = field(default_factory=dict)

    def bind(self, prefix: str, namespace: URIRef, override: bool) -> None:
        """Bind a prefix to a namespace; without `override`, what is bound already stays."""
        namespace = URIRef(namespace)
        if override:
            earlier_prefix = self.by_namespace.pop(namespace, None)
            if earlier_prefix is not None:
                self.by_prefix.pop(earlier_prefix, None)
            earlier_namespace = self.by_prefix.pop(prefix, None)
            if earlier_namespace is not None:
                self.by_namespace.pop(earlier_namespace, None)
        elif prefix in self.by_prefix or namespace in self.by_namespace:
            return
        self.by_prefix[prefix] = namespace
        self.by_namespace[namespace] = prefix
