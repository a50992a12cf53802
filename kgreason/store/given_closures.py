"""The result of a job as tables: all facts of classes and properties, closures in the tables of their schemes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError
from kgreason.io.encoded.manifest import current_version
from kgreason.io.inferred_quads import Inferred
from kgreason.relations.catalogue import CHAIN, EQUIVALENCE, LEFT, RIGHT, SYMMETRIC, TRANSITIVE, UNION, Input, Oriented
from kgreason.relations.codes import class_code, property_code
from kgreason.relations.free_closures import given_closure, given_equivalence
from kgreason.relations.given_labels import GivenLabels, LabelsError
from kgreason.relations.schemes import standard_catalogue, turned
from kgreason.relations.table import Table
from kgreason.store.quad_relations import relations_of

if TYPE_CHECKING:
    from kgreason.io.encoded.label_tables import WrittenDefinition, WrittenLabels, WrittenRelation
    from kgreason.store.compiler import RelationCodes

Tables: TypeAlias = Mapping[int, Table]

_MADE: Final = frozenset((UNION, SYMMETRIC, CHAIN))
_LABELLED: Final = frozenset((TRANSITIVE, EQUIVALENCE))


def unfit_reason(inferred: Inferred, digest: str, is_empty: bool) -> str | None:
    """Why what was inferred is of no use to a store whose rules have a digest; None where it can be taken over."""
    origin = inferred.derived_from
    if not is_empty:
        return "the store has other triples"
    if origin.rules != digest:
        return "the store has other rules"
    if not inferred.is_alone:
        return "other files were loaded with it"
    if origin.version != current_version():
        return f"version {origin.version} of kgreason derived it"
    return None if inferred.is_distinct else "two of its terms are one term here"


@dataclass(frozen=True, slots=True)
class Materialised:
    """The facts that follow from explicit triples, for an engine to take over.

    `type_id` is the id of rdf:type; `relations` are those that the rules mention.
    """

    inferred: Inferred
    dictionary: Dictionary
    relations: RelationCodes
    type_id: int

    def tables(self, explicit: Tables) -> Tables:
        """All facts by relation, given the explicit ones: O(facts + bytes of the labels).

        Raises:
            LoadError: labels that are not those of a closure, or definitions without relations.
        """
        facts = dict(explicit)
        for code, table in relations_of(self.inferred.quads, self.type_id, self.dictionary.object_only_mask()):
            known = facts.get(code)
            facts[code] = known.union(table) if known else table
        for definition in self._in_order(self.inferred.definitions):
            closure = definition.closure
            if closure in _LABELLED and definition.labels is not None:
                table = self._labelled(definition, definition.labels)
            elif closure in _MADE:
                inputs = list(self._inputs(definition, facts))
                table = standard_catalogue().schemes[closure].derive(None, inputs)
            else:
                raise self._error(f"a definition is {closure!r}, or has no labels")
            for member in definition.members:
                found = turned(table, self._oriented(member))
                if found:
                    facts[self._code(member)] = found
                else:
                    facts.pop(self._code(member), None)
        return facts

    # -- definitions --------------------------------------------------------------------------------------------

    def _in_order(self, definitions: Iterable[WrittenDefinition]) -> Iterator[WrittenDefinition]:
        """The definitions, each after those whose relations it reads."""
        waiting = list(definitions)
        while waiting:
            members = {member.relation for definition in waiting for member in definition.members}
            ready = [each for each in waiting if members.isdisjoint(read.relation for read in each.reads)]
            if not ready:
                raise self._error("definitions lead back to themselves")
            yield from ready
            waiting = [each for each in waiting if each not in ready]

    def _inputs(self, definition: WrittenDefinition, facts: Tables) -> Iterator[Input]:
        roles = ((CHAIN, definition.members + definition.sources), (LEFT, definition.left), (RIGHT, definition.right))
        for role, relations in roles:
            for relation in relations:
                table = turned(facts.get(self._code(relation)), self._oriented(relation))
                yield Input(None, table, table, None, role)

    def _oriented(self, relation: WrittenRelation) -> Oriented:
        return Oriented(self._code(relation), relation.inverse)

    def _code(self, relation: WrittenRelation) -> int:
        if relation.kind == "auxiliary":
            code = self.relations.auxiliaries.get((relation.relation, relation.arity))
            if code is None:
                raise self._error(f"no rule mentions the relation {relation.relation}")
            return code
        identifier = self.dictionary.encode_key(relation.relation)
        return class_code(identifier) if relation.kind == "class" else property_code(identifier)

    # -- labels -------------------------------------------------------------------------------------------------

    def _labelled(self, definition: WrittenDefinition, number: int) -> Table:
        labels = self.inferred.labels[number]
        try:
            edges = (_ids(labels.subject), _ids(labels.object))
            if definition.closure == EQUIVALENCE:
                return given_equivalence(edges, _ids(labels.node), labels.component)
            other = definition.inverse_labels
            inverse_labels = None if other is None else _given(self.inferred.labels[other])
            return given_closure(edges, _given(labels), inverse_labels)
        except LabelsError as error:
            raise self._error(f"the labels of {definition.members[0].relation}: {error}") from error

    def _error(self, reason: str) -> LoadError:
        return LoadError(reason, path=self.inferred.directory)


def _given(labels: WrittenLabels) -> GivenLabels:
    return GivenLabels(_ids(labels.node), labels.component, labels.number, labels.data, labels.ends)


def _ids(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(np.uint32)
