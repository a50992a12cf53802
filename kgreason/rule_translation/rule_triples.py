"""The triples of a document that its SWRL and SHACL rules are read from, found over columns of ids.

A document may be an ontology of which few triples belong to rules, and to decode all takes longer than to read it.
From the nodes that are rules, and those that declare prefixes, a blank node leads to all its values, and another node
to those of properties that the languages follow from it: a class that a rule names leads to nothing more.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import pairs, sorted_sets
from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.quads import Ids, Quads
from kgreason.rdf.model import IRI, BlankNode
from kgreason.rdf.vocabulary import OWL_IMPORTS, RDF_FIRST, RDF_REST, RDF_TYPE, SHACL
from kgreason.rule_translation.rule_graph import RuleGraph
from kgreason.rule_translation.shacl import SHACL_RULE
from kgreason.rule_translation.shacl_prefixes import DECLARE
from kgreason.rule_translation.swrl import IMP, SWRL
from kgreason.sorting import argsort

Rows: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
_FOLLOWED: Final = (SWRL, SHACL, RDF_FIRST, RDF_REST, OWL_IMPORTS)
"""How the properties begin that lead from a node with a name to what a rule says."""


class RuleTriples:
    """The triples of a document, as columns, among them those of its rules.

    Cost: O(n log n) once, for the order of their subjects.
    """

    def __init__(self, quads: Quads, dictionary: Dictionary, source: str, prefixes: dict[str, str]) -> None:
        self._quads, self._dictionary, self._source, self._prefixes = quads, dictionary, source, prefixes
        self._order = argsort(quads.subject)
        self._subjects = quads.subject[self._order]
        self._followed: dict[int, bool] = {}
        self._declaring = self._with(DECLARE)
        self.nodes: Ids = np.concatenate((self._with(IRI(RDF_TYPE), IMP), self._with(SHACL_RULE)))
        """The SWRL rules, then the shapes that have rules, each in the order of the document."""

    def graph(self, nodes: Ids) -> RuleGraph:
        """The triples that some of the rules are read from, decoded, in the order of the document: O(those triples)."""
        rows = self._rows_from(sorted_sets.unique(np.concatenate((nodes, self._declaring))))
        decode, quads = self._dictionary.decode, self._quads
        columns = [each[rows].tolist() for each in (quads.subject, quads.predicate, quads.object)]
        triples = ((decode(s), decode(p), decode(o)) for s, p, o in zip(*columns, strict=True))
        return RuleGraph(triples, self._source, self._prefixes)

    def _with(self, property: IRI, value: IRI | None = None) -> Ids:
        """The subjects of triples with a property, and a value where one is given, in the order of the document."""
        quads, found = self._quads, np.arange(len(self._quads))
        for column, term in ((quads.predicate, property), (quads.object, value)):
            if term is not None:
                identifier = self._dictionary.lookup(term)
                found = found[:0] if identifier is None else found[column[found] == identifier]
        return quads.subject[found]

    def _rows_from(self, front: Ids) -> Rows:
        """The rows of nodes and of all that they lead to, ascending."""
        known, found = front, [np.empty(0, dtype=np.int64)]
        while len(front):
            begin = self._subjects.searchsorted(front)
            numbers, places = pairs.spread(begin, self._subjects.searchsorted(front, side="right"))
            rows = self._order[places]
            found.append(rows)
            values = self._quads.object[rows[self._lead_on(front[numbers], self._quads.predicate[rows])]]
            front = sorted_sets.difference(sorted_sets.unique(values), known)
            known = sorted_sets.union(known, front)
        return np.sort(np.concatenate(found))

    def _lead_on(self, subjects: Ids, predicates: Ids) -> Flags:
        """For each of some triples whether its value belongs to what a rule says."""
        decode, followed = self._dictionary.decode, self._followed
        for predicate in sorted_sets.unique(predicates).tolist():
            if predicate not in followed:
                term = decode(predicate)
                followed[predicate] = isinstance(term, IRI) and term.value.startswith(_FOLLOWED)
        blank = {each for each in sorted_sets.unique(subjects).tolist() if isinstance(decode(each), BlankNode)}
        both = zip(subjects.tolist(), predicates.tolist(), strict=True)
        return np.array([subject in blank or followed[predicate] for subject, predicate in both], dtype=np.bool_)
