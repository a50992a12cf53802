"""The relation of all triples (`unspecialised.TRIPLE`) in frames: it is stored nowhere, but in the facts of all others.

A fact ``p(s, o)`` of a property is the fact ``(s, p, o)`` of it, and ``C(s)`` of a class is ``(s, rdf:type, C)``. What
rules derive of it becomes facts of classes and properties again, before it is compared with what is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import TemplateAtom
from kgreason.rdf.keys import IRI_KIND, kind_of
from kgreason.relations.codes import AUXILIARY, CLASS, PROPERTY
from kgreason_spark.materialisation.fact_columns import RELATION, argument, fact_columns
from kgreason_spark.materialisation.parameter_frames import RuleGroup

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import Column

    from kgreason.io.encoded.manifest import TermCounts
    from kgreason_spark.materialisation.term_ids import Terms

WIDTH = 3
"""The arguments of a triple."""
_PAIR = 2


@dataclass(frozen=True, slots=True)
class EveryTriple:
    """The relation of all triples by its code; `type_id` is the cluster's id of rdf:type, `counts` are the terms of the
    dataset."""

    code: int
    type_id: int
    counts: TermCounts
    terms: Terms
    width: int

    def of(self, facts: Iterable[DataFrame]) -> DataFrame:
        """The triples among some facts."""
        named, kind = F.shiftright(F.col(RELATION), 2), F.col(RELATION).bitwiseAND(3)
        whole = reduce(DataFrame.unionAll, [each.select(*fact_columns(_PAIR)) for each in facts])
        return whole.where(kind != AUXILIARY).select(
            F.lit(self.code).cast("long").alias(RELATION),
            F.col(argument(0)),
            F.when(kind == CLASS, F.lit(self.type_id)).otherwise(named).alias(argument(1)),
            F.when(kind == CLASS, named).otherwise(F.col(argument(1))).alias(argument(2)),
            *(F.lit(0).cast("long").alias(argument(position)) for position in range(WIDTH, self.width)),
        )

    def as_facts(self, derived: DataFrame) -> DataFrame:
        """Derived facts, with those of this relation as facts of classes and properties. A subject or class that
        is a literal, or a predicate that is no IRI, makes no triple."""
        is_triple = F.col(RELATION) == self.code
        subject, predicate, target = (F.col(argument(position)) for position in range(WIDTH))
        is_class, is_resource = predicate == self.type_id, target < self.counts.first_literal
        relation = F.when(is_class, _code(target, CLASS)).otherwise(_code(predicate, PROPERTY))
        second = F.when(is_class, F.lit(0)).otherwise(target)
        kept = (subject < self.counts.first_literal) & self._is_iri(predicate) & (~is_class | is_resource)
        return derived.where(~is_triple | kept).select(
            F.when(is_triple, relation).otherwise(F.col(RELATION)).alias(RELATION),
            subject,
            F.when(is_triple, second).otherwise(predicate).cast("long").alias(argument(1)),
            F.when(is_triple, F.lit(0)).otherwise(target).cast("long").alias(argument(2)),
            *map(argument, range(WIDTH, self.width)),
        )

    def _is_iri(self, column: Column) -> Column:
        others = [identifier for key, identifier in self.terms.new.items() if kind_of(key) != IRI_KIND]
        found = column < self.counts.first + self.counts.iris
        return found & ~column.isin([each for each in others if each < 0]) if others else found

    def code_for(self, relations: Sequence[int]) -> list[int]:
        """Its code, where some relations have facts that are triples."""
        return [self.code] if any(code & 3 != AUXILIARY for code in relations) else []

    def is_in(self, group: RuleGroup) -> bool:
        """Whether a rule of a group is about all triples."""
        atoms = (*group.template.body, *group.template.negated, *_heads(group.template))
        return any((group.parameters[:, atom.relation] == self.code).any() for atom in atoms)


def _heads(template: RuleTemplate) -> list[TemplateAtom]:
    return [] if template.head is None else [template.head]


def _code(identifier: Column, kind: int) -> Column:
    return F.shiftleft(identifier, 2) + kind
