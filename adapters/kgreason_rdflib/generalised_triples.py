"""Generalised triples: those with a literal as subject, or with a blank node or a literal as predicate.

RDF has none of them, but rdflib's memory store does, and software over it adds them: owlrl says which types literals
have, and ends when everything that it adds is in the graph. A store follows one policy:

* ``"refuse"``: adding one raises TermError.
* ``"drop"``: it is left out with one warning for each store, and counted. No iteration, pattern or query shows it, and
  no rule reads it, but ``triple in graph`` is true for it, so that software of that kind ends.
* ``"keep"``: iterations, patterns, ``in`` and ``len`` of rdflib's graphs show it. Rules and SPARQL know nothing of it,
  and neither does a file that ``kg-*`` serializers write.

They belong to the store object: no directory, branch, pickle or transaction has them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from rdflib.term import BNode, IdentifiedNode, Literal, Node, URIRef

from kgreason.errors import OptionError, TermError, TermWarning, level_of_caller
from kgreason_rdflib.graph_scopes import Scope
from kgreason_rdflib.rdflib_terms import Triple

if TYPE_CHECKING:
    from rdflib.plugins.stores.memory import SimpleMemory

POLICIES: Final = ("refuse", "drop", "keep")
DROP: Final = "drop"
_ALL: Final = (None, None, None)


class GeneralisedTriples:
    """The generalised triples of a store by graph, under one policy, in memory stores of rdflib."""

    def __init__(self, policy: str) -> None:
        """Raises OptionError for another policy than these three."""
        if policy not in POLICIES:
            raise OptionError(f"generalised={policy!r}", "generalised", policy, expected=", ".join(POLICIES))
        self.policy = policy
        self.graphs: dict[IdentifiedNode, SimpleMemory] = {}
        """Empty as long as there is none, so that a store asks no further."""
        self._has_warned = False

    @property
    def is_shown(self) -> bool:
        """Whether iterations and patterns show them."""
        return self.policy == "keep"

    def check(self, triple: Any, refusal: TermError) -> None:
        """Warn of a triple that the store's contents have refused, if it is the first that is dropped.

        Raises:
            TermError: `refusal`, where the policy is to refuse the triple, or it is not a generalised triple either.
        """
        if self.policy == "refuse" or not is_generalised(triple):
            raise refusal
        if self.policy == DROP and not self._has_warned:
            reason = f"{refusal}: this triple and others of the kind are left out, as `generalised` says"
            warnings.warn(reason, TermWarning, stacklevel=level_of_caller())
            self._has_warned = True

    def add(self, triple: Any, name: IdentifiedNode) -> None:
        """Drop or keep a triple that was checked."""
        from rdflib.plugins.stores.memory import SimpleMemory

        graph = self.graphs.get(name)
        if graph is None:
            graph = self.graphs[name] = SimpleMemory()
        graph.add(triple, None)  # type: ignore[arg-type]  # it has no graphs, and asks for none

    def remove(self, pattern: Any, scope: Scope) -> None:
        """Remove those in a scope that match a pattern."""
        for name in self._names(scope):
            self.graphs[name].remove(pattern)
            if not len(self.graphs[name]):
                del self.graphs[name]

    def read(self, pattern: Any, scope: Scope) -> Iterator[Triple]:
        """Those in a scope that match a pattern, each once, from a snapshot; dropped ones only where all three terms
        are given."""
        if not self.is_shown and None in pattern:
            return iter(())
        found = (self.graphs[name].triples(pattern) for name in self._names(scope))
        return iter(dict.fromkeys(row for row, _ in chain.from_iterable(found)))

    def size(self, scope: Scope) -> int:
        """How many of a scope are shown."""
        return sum(1 for _ in self.read(_ALL, scope))

    def graphs_of(self, triple: Any) -> Iterator[IdentifiedNode]:
        """The graphs that show a triple."""
        return (name for name, graph in self.graphs.items() if self.is_shown and any(graph.triples(triple)))

    def __len__(self) -> int:
        """How many there are in all graphs, shown or dropped."""
        return sum(map(len, self.graphs.values()))

    def _names(self, scope: Scope) -> list[IdentifiedNode]:
        return [name for name in self.graphs if scope.graphs is None or name in scope.graphs]


def is_generalised(triple: Any) -> bool:
    """Whether the places of its terms alone keep a triple from being an RDF triple."""
    subject, predicate, object = triple
    in_place = isinstance(subject, (URIRef, BNode)) and isinstance(predicate, URIRef)
    return not in_place and all(map(_is_rdf_term, (subject, predicate, object)))


def _is_rdf_term(node: Node) -> bool:
    return isinstance(node, (URIRef, BNode, Literal))
