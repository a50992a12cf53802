"""Entries: what one row makes, as an array of one narrow struct for quads and problems alike.

A quad has a null `reason`. A problem has its reason, the triples map as `subject`, the part of the triple that is bad
as `predicate`, and the text that is not a term as `object`. A row makes many entries, so they have only five columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kgreason_mapping.plan.compilation import DEFAULT_GRAPH
from kgreason_spark.frames import DETAIL, QUAD, REASON, SOURCE, TRIPLES_MAP
from kgreason_spark.frames import ROW as ROW_COLUMN
from kgreason_spark.ingestion.reference_values import Term
from kgreason_spark.ingestion.source_rows import ROW

ENTRY: Final = "entry"
ENTRY_TYPE: Final = "struct<subject:string,predicate:string,object:string,graph:string,reason:string>"


def quad_entry(parts: Sequence[Term], *, in_default: bool) -> Column:
    """A quad of subject, predicate, object and graph, or null where one of them is none.

    `in_default` tells that the graph is the default graph for all rows. Blank nodes belong to one graph only (RML-Core,
    Scope of blank nodes), so in a named graph their labels end in its digest.
    """
    subject, predicate, object_, graph = parts
    named = F.lit(None).cast("string") if in_default else F.when(graph.key != DEFAULT_GRAPH, graph.key)
    good = reduce(Column.__and__, [one.is_good() for one in parts])
    return F.when(
        good,
        _entry(
            _scoped(subject, named, in_default=in_default),
            predicate.key,
            _scoped(object_, named, in_default=in_default),
            named,
            F.lit(None).cast("string"),
        ),
    )


def problem_entry(reason: Column, triples_map: str, part: str, text: Column) -> Column:
    """A problem, or null where there is none."""
    empty = F.lit(None).cast("string")
    return F.when(reason.isNotNull(), _entry(F.lit(triples_map), F.lit(part), text, empty, reason))


def fault_entry(reason: Column) -> Column:
    """A row that cannot be read, for any triples map."""
    empty = F.lit(None).cast("string")
    return _entry(empty, empty, empty, empty, reason)


def rows_of_entries(frame: DataFrame) -> DataFrame:
    """The columns ENTRY, SOURCE and ROW as rows (`kgreason_spark.frames`)."""
    entry = F.col(ENTRY)
    is_quad = entry["reason"].isNull()
    told = F.concat_ws(": ", entry["predicate"], entry["object"])
    return frame.where(entry.isNotNull()).select(
        *(F.when(is_quad, entry[name]).alias(name) for name in QUAD),
        SOURCE,
        F.when(~is_quad, entry["subject"]).alias(TRIPLES_MAP),
        entry["reason"].alias(REASON),
        F.when(~is_quad, told).alias(DETAIL),
        F.col(ROW).alias(ROW_COLUMN),
    )


def _entry(subject: Column, predicate: Column, object_: Column, graph: Column, reason: Column) -> Column:
    columns = {"subject": subject, "predicate": predicate, "object": object_, "graph": graph, "reason": reason}
    return F.struct(*(column.alias(name) for name, column in columns.items()))


def _scoped(term: Term, graph: Column, *, in_default: bool) -> Column:
    if in_default or not term.blank:
        return term.key
    return F.when(graph.isNull(), term.key).otherwise(F.concat(term.key, F.lit("_g"), F.md5(graph.cast("binary"))))
