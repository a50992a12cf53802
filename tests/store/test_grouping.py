"""Columns of quads by relation: the same tables for rows in any order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.io.quads import Quads
from kgreason.relations.codes import class_code, property_code
from kgreason.store.quad_relations import relations_of, tables_of
from tests.thresholds import tuning_context

TYPE, LITERAL = 0, 9
TRIPLES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, LITERAL)), max_size=30)


def expected(triples: list[tuple[int, int, int]]) -> dict[int, set[tuple[int, ...]]]:
    found: dict[int, set[tuple[int, ...]]] = {}
    for subject, predicate, object in triples:
        is_class = predicate == TYPE and object != LITERAL
        code = class_code(object) if is_class else property_code(predicate)
        found.setdefault(code, set()).add((subject,) if is_class else (subject, object))
    return found


@pytest.mark.parametrize(("many", "at_once"), [(1, 1 << 18), (1, 4), (4096, 4)])
@given(TRIPLES, st.booleans())
def test_quads_in_any_order_give_the_same_tables(
    many: int, at_once: int, triples: list[tuple[int, int, int]], in_order: bool
) -> None:
    if in_order:
        triples = sorted(triples, key=lambda triple: (triple[1], triple))
    columns = np.array(triples, dtype=np.uint32).reshape(-1, 3).T
    quads = Quads(np.zeros(len(triples), dtype=np.uint32), *columns)
    literals = np.arange(LITERAL + 1) == LITERAL
    with tuning_context() as tuned:
        tuned(MANY_QUADS=many, SORTED_QUADS=at_once, SORTED_EACH=1)
        tables = list(relations_of(quads, TYPE, literals))
    found = {code: set(zip(*(column.tolist() for column in table.columns()), strict=True)) for code, table in tables}
    assert len(found) == len(tables)
    assert found == expected(triples)
    for _, table in tables:
        table._check()


@pytest.mark.parametrize("few", [0, 1000])
@given(st.lists(st.tuples(*(st.integers(*ends) for ends in ((7, 9), (0, 5), (0, 3), (0, LITERAL)))), max_size=30))
def test_few_quads_and_many_give_the_same_tables(few: int, rows: list[tuple[int, int, int, int]]) -> None:
    literals = np.arange(LITERAL + 1) == LITERAL

    with tuning_context() as tuned:
        tuned(FEW_QUADS=few)
        tables = list(tables_of(Quads.of_rows(rows), TYPE, literals))

    found: dict[int, dict[int, set[tuple[int, ...]]]] = {}
    for graph, code, table in tables:
        table._check()
        assert code not in found.setdefault(graph, {})
        found[graph][code] = set(zip(*(column.tolist() for column in table.columns()), strict=True))
    graphs = {row[0] for row in rows}
    assert found == {graph: expected([row[1:] for row in rows if row[0] == graph]) for graph in graphs}
