"""A mapping compiled to one inert tree, which engines translate: what every row of a source makes.

* `tree`: the tree. It holds what a mapping settles for all rows; values of rows come in where it has a `Reference`.
* `term_rules`: term maps as rules; a term map that can make no valid term is refused here.
* `compilation`: triples maps as quads, problems and joins.

Translators: `kgreason_mapping.arrow`, to columns of Arrow; `kgreason_spark.ingestion`, to column expressions of Spark.
"""

from __future__ import annotations

from kgreason_mapping.plan.compilation import compile_mapping
from kgreason_mapping.plan.tree import JoinPlan, MappingPlan, SourcePlan

__all__ = ["JoinPlan", "MappingPlan", "SourcePlan", "compile_mapping"]
