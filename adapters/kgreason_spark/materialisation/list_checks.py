"""Lists that joins read (`unspecialised`): those that are cut off or cyclic, as a store names them, and those that only
a walk can tell."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason.errors import ListWarning, SparkError, level_of_caller
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST
from kgreason.relations.codes import property_code
from kgreason.store.defective_lists import NAMED
from kgreason_spark.arrow_frames import to_arrow
from kgreason_spark.materialisation.fact_columns import argument
from kgreason_spark.materialisation.unspecialised import BACK, CELL, WHOLE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason_spark.materialisation.fixpoint import Fixpoint
    from kgreason_spark.materialisation.round_checkpoints import Round

_FAULTS: Final = {RDF_FIRST: "no rdf:first", RDF_REST: "no rdf:rest"}


def check_forks(fixpoint: Fixpoint, done: Round) -> None:
    """SparkError where a round found a cell from which one way leads to rdf:nil, and another one back to it."""
    code = fixpoint.reasoner.auxiliary(BACK, 1)
    if code is not None and code in done.relations:
        (cell,) = _named(fixpoint, _cells(fixpoint, code), 1)
        raise SparkError(f"a list leads from its cell {cell} to rdf:nil, and back to it: only a store reads such lists")


def defects(fixpoint: Fixpoint) -> list[str]:
    """What is wrong with the lists that joins have read, in words: the cells where they are cut off, at most NAMED for
    each fault; where there are none, a cell of a circle."""
    cell, whole = (fixpoint.reasoner.auxiliary(name, 1) for name in (CELL, WHOLE))
    if cell is None or whole is None:
        return []
    *ends, nil = fixpoint.terms.identify([*_FAULTS, RDF_NIL]).tolist()
    lost = _cells(fixpoint, cell).where(F.col(argument(0)) != nil)
    lost = fixpoint.keep(lost.join(_cells(fixpoint, whole), argument(0), "left_anti").distinct())
    found: list[str] = []
    for end, fault in zip(ends, _FAULTS.values(), strict=True):
        without = lost.join(_cells(fixpoint, property_code(end)), argument(0), "left_anti")
        found += [f"a list is cut off: its cell {name} has {fault}" for name in _named(fixpoint, without, NAMED)]
    return found or [f"a list is cyclic: its cell {name} leads to no rdf:nil" for name in _named(fixpoint, lost, 1)]


def warn(found: list[str]) -> None:
    """Warn of defects, at the line of the user that led here."""
    for text in found:
        warnings.warn(text, ListWarning, stacklevel=level_of_caller())


def _cells(fixpoint: Fixpoint, code: int) -> DataFrame:
    """The first arguments of the facts of a relation, wherever they are."""
    return fixpoint.facts_of(code).select(argument(0))


def _named(fixpoint: Fixpoint, cells: DataFrame, most: int) -> list[str]:
    """Some of the cells, the least first, by their terms."""
    ids = to_arrow(cells.orderBy(argument(0)).limit(most))[argument(0)].to_numpy()
    return [str(fixpoint.reasoner.dictionary.decode(number)) for number in fixpoint.terms.to_driver(ids).tolist()]
