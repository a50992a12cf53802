"""Sets and pairs of terms of a knowledge base as columns of ids: what checks are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.columns import pairs as keys
from kgreason.columns import sorted_sets
from kgreason.columns.components import topological_components, undirected_components
from kgreason.columns.id_columns import repeated
from kgreason.io.quads import DEFAULT_GRAPH, Ids, Quads
from kgreason.rdf.keys import IRI_KIND, LITERAL_KIND
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.relations.codes import property_code
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.triple_view import TripleView

Mask = NDArray[np.bool_]
_NONE: Final[Ids] = np.empty(0, dtype=np.uint32)
_REACHES: Final = "urn:x-kgreason:reaches"
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Distinct pairs of ids, sorted: two columns of one length."""

    left: Ids
    right: Ids

    @classmethod
    def of(cls, left: Ids, right: Ids) -> Pairs:
        """Pairs in any order, perhaps with duplicates."""
        found = sorted_sets.unique(keys.pack(left, right))
        return cls(keys.subjects(found), keys.objects(found))

    def __len__(self) -> int:
        return len(self.left)

    @property
    def inverse(self) -> Pairs:
        """The pairs the other way round."""
        return Pairs.of(self.right, self.left)

    def union(self, *others: Pairs) -> Pairs:
        """The pairs of several."""
        parts = (self, *others)
        return Pairs.of(np.concatenate([p.left for p in parts]), np.concatenate([p.right for p in parts]))

    def where(self, mask: Mask) -> Pairs:
        """Some of the pairs."""
        return Pairs(self.left[mask], self.right[mask])

    def within(self, other: Pairs) -> Mask:
        """For each pair whether it is one of others."""
        return np.isin(keys.pack(self.left, self.right), keys.pack(other.left, other.right))

    def without(self, other: Pairs) -> Pairs:
        """The pairs that are none of others."""
        return self.where(~self.within(other))

    def unordered(self) -> Pairs:
        """Each two terms once, the lower id first; no term with itself."""
        found = Pairs.of(np.minimum(self.left, self.right), np.maximum(self.left, self.right))
        return found.where(found.left != found.right)

    def joined(self, other: Pairs) -> tuple[Ids, Ids, Ids]:
        """All (a, b, c) where (a, b) is here and (b, c) is there; MemoryError where these are too many."""
        begin, end = np.searchsorted(other.left, self.right), np.searchsorted(other.left, self.right, side="right")
        counts = end - begin
        memory.check(40 * int(counts.sum()), "a join of a check")
        rows = np.repeat(np.arange(len(self)), counts)
        places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts) + begin[rows]
        return self.left[rows], self.right[rows], other.right[places]

    def rows(self) -> list[tuple[int, int]]:
        """The pairs as tuples."""
        return list(zip(self.left.tolist(), self.right.tolist(), strict=True))

    def components(self, *, directed: bool) -> list[tuple[int, ...]]:
        """The components of several terms, strongly connected if `directed`, each in ascending order of ids."""
        nodes = np.union1d(self.left, self.right)
        numbers = topological_components if directed else undirected_components
        labels = numbers(len(nodes), np.searchsorted(nodes, self.left), np.searchsorted(nodes, self.right))
        order = np.argsort(labels, kind="stable")
        borders = np.flatnonzero(np.diff(labels[order])) + 1
        return [tuple(part.tolist()) for part in np.split(nodes[order], borders) if len(part) > 1]


class GraphColumns:
    """What a knowledge base has of classes and properties; each is read once.

    Properties and classes are IRIs. `explicit` asks for what is asserted, otherwise what follows counts, too.
    """

    def __init__(self, knowledge: KnowledgeBase) -> None:
        """The knowledge base must not change meanwhile."""
        self.knowledge = knowledge
        self.dictionary = knowledge.dictionary
        self.all, self.explicit = knowledge.all(), knowledge.explicit()
        self._known: dict[object, Any] = {}

    def once(self, name: object, make: Callable[[], _Found]) -> _Found:
        """What `make` gives, made when it is first asked for under a name."""
        if name not in self._known:
            self._known[name] = make()
        found: _Found = self._known[name]
        return found

    def id(self, iri: str) -> int | None:
        """The id of an IRI, None where nothing has it."""
        return self.dictionary.lookup(IRI(iri))

    def _ids(self, iris: Iterable[str]) -> list[int]:
        """The ids of those IRIs that something has."""
        return [identifier for identifier in map(self.id, iris) if identifier is not None]

    def _view(self, explicit: bool) -> TripleView:
        return self.explicit if explicit else self.all

    def pairs(self, *properties: str, explicit: bool = False) -> Pairs:
        """The triples of some properties together."""
        return self.once((properties, explicit), lambda: self._pairs(properties, self._view(explicit)))

    def _pairs(self, properties: Iterable[str], view: TripleView) -> Pairs:
        left, right = [_NONE], [_NONE]
        for identifier in self._ids(properties):
            for subjects, _, objects in view.match(None, identifier, None):
                left.append(subjects)
                right.append(objects)
        return Pairs.of(np.concatenate(left), np.concatenate(right))

    def members(self, *classes: str, explicit: bool = False) -> Ids:
        """The members of some classes together, in ascending order."""
        return self.once((classes, explicit, "members"), lambda: self._members(classes, self._view(explicit)))

    def _members(self, classes: Iterable[str], view: TripleView) -> Ids:
        found, type_id = [_NONE], self.id(RDF_TYPE)
        for identifier in self._ids(classes):
            found += [subjects for subjects, _, _ in view.match(None, type_id, identifier)]
        return sorted_sets.unique(np.concatenate(found))

    def is_iri(self, ids: Ids) -> Mask:
        """Which are IRIs."""
        return np.asarray(self.dictionary.kinds(ids) == IRI_KIND)

    def is_literal(self, ids: Ids) -> Mask:
        """Which are literals."""
        return np.asarray(self.dictionary.kinds(ids) == LITERAL_KIND)

    def iris(self, ids: Ids) -> Ids:
        """Those that are IRIs."""
        return ids[self.is_iri(ids)]

    def texts(self, ids: Ids) -> list[str]:
        """The keys of terms: an IRI itself, a literal in quotation marks with its tag or datatype."""
        return self.dictionary.keys(ids)

    @cached_property
    def predicates(self) -> Ids:
        """The properties of explicit triples, in ascending order."""
        found = [predicates[:1] for _, predicates, _ in self.explicit.match(None, None, None) if len(predicates)]
        return sorted_sets.unique(np.concatenate([_NONE, *found]))

    @cached_property
    def subjects(self) -> Ids:
        """The subjects of explicit triples, in ascending order."""
        found = [subjects for subjects, _, _ in self.explicit.match(None, None, None)]
        return sorted_sets.unique(np.concatenate([_NONE, *found]))

    def reaches(self, name: str, edges: Pairs) -> Callable[[Pairs], Mask]:
        """Tells which pairs a path of edges leads along; `name` is for the closure, which is made once."""
        return self.once(("reaches", name), lambda: _closure(self.knowledge, edges))


def _closure(knowledge: KnowledgeBase, edges: Pairs) -> Callable[[Pairs], Mask]:
    """The transitive closure of edges in a knowledge base of its own, which stores it compressed."""
    path = f"<{_REACHES}>"
    rules = f"{path}(?x, ?z) :- {path}(?x, ?y), {path}(?y, ?z) ."
    own = KnowledgeBase(rules, dictionary=knowledge.dictionary.fork())
    predicate = own.dictionary.encode(IRI(_REACHES))
    count = len(edges)
    graphs = repeated(DEFAULT_GRAPH, count)
    own.add_quads(Quads(graphs, edges.left, repeated(predicate, count), edges.right))
    table = own.all().table(property_code(predicate))

    def contains(pairs: Pairs) -> Mask:
        if table is None or not len(pairs):
            return np.zeros(len(pairs), dtype=np.bool_)
        return table.contains((pairs.left, pairs.right))

    return contains
