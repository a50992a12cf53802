"""One protocol of tables: a scheme with the required methods alone reads as any other, and no reader asks for a class.

Would catch a default of the protocol that is wrong where every scheme of ours has a method of its own, and a reader
outside of `kgreason.relations` that treats one class of table otherwise than another.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kgreason
from kgreason.relations import table_tuning
from kgreason.relations.inverse import inverse_view
from kgreason.relations.table import Table
from kgreason.relations.union import UnionTable
from tests.relations.required import Required
from tests.relations.sequences import SequenceTable
from tests.relations.table_reads import (
    EXAMPLES,
    assert_combines,
    assert_reads,
    edges_of,
    facts_of,
    ids,
    inverted,
    make,
    rows_of,
)
from tests.thresholds import Tuned

NODES = [0, 1, 2, 5, 8, 2**16, 2**31, 2**32 - 1]
HOUSE = Path(kgreason.__file__).parents[1]
ROOM = HOUSE / "kgreason" / "relations"


def pairs_of(sequences: list[list[int]]) -> set[tuple[int, int]]:
    return {(x, y) for each in sequences for at, x in enumerate(each) for y in each[at + 1 :]}


def split(nodes: list[int], cuts: list[int]) -> list[list[int]]:
    ends = sorted({0, *(cut for cut in cuts if cut < len(nodes)), len(nodes)})
    return [nodes[begin:end] for begin, end in pairwise(ends)]


def sequences() -> st.SearchStrategy[list[list[int]]]:
    return st.builds(split, st.permutations(NODES), st.lists(st.integers(1, len(NODES) - 1), max_size=3))


@pytest.mark.parametrize("chunk", [1, 3, table_tuning.CHUNK])
def test_table_with_required_methods_reads_as_its_facts(chunk: int, tuned: Tuned) -> None:
    tuned(CHUNK=chunk, PLAIN_CHUNK=chunk, SUBJECTS=min(chunk, 8))
    for each in ([], [[3, 1, 2]], [[5, 0, 7, 2], [1, 9], [4]]):
        table, facts = SequenceTable(each), pairs_of(each)
        if chunk > 1:
            assert_reads(table, facts)
        assert facts_of(table) == facts
        subjects = table.distinct(0)
        found = [pair for chunk in table.chunks_of(subjects) for pair in rows_of(chunk)]
        assert sorted(found) == sorted(facts)
        assert table.symmetric_count() == 0
        assert table.symmetric_fanout(ids(0, 1, 2)).tolist() == [0, 0, 0]


@given(sequences(), sequences(), st.frozensets(st.tuples(*[st.sampled_from(NODES)] * 2), max_size=6))
@settings(max_examples=EXAMPLES)
def test_table_with_required_methods_combines_with_others(mine: list, theirs: list, plain: frozenset) -> None:
    left, right, other = SequenceTable(mine), SequenceTable(theirs), edges_of(plain)
    facts, expected = pairs_of(mine), pairs_of(theirs)
    assert_combines(left, facts, right, expected)
    assert_combines(left, facts, other, plain)
    assert_combines(other, plain, left, facts)
    assert_combines(inverse_view(left), inverted(facts), right, expected)
    assert_reads(UnionTable([left, other, right]), facts | expected | plain)
    assert facts_of(left.insert(right)[1]) == expected - facts
    assert facts_of(left.delete(right)[1]) == expected & facts
    both = UnionTable([left, inverse_view(left)])
    assert len(both) == len(facts | inverted(facts))
    for whole, part in ((left, right), (left, other), (other, left), (left, left)):
        for position in (0, 1):
            missing = {*whole.distinct(position).tolist()} - {*part.distinct(position).tolist()}
            assert missing <= {*whole.keys_missing_from(part, position).tolist()}
            assert missing == {*whole.difference(part).new_keys(position).tolist()} & missing


@pytest.mark.parametrize("arity", [1, 2, 3, 4])
def test_required_methods_are_enough_for_any_arity(arity: int) -> None:
    mine = {*product([1, 5, 2**31], repeat=arity)} - {(5,) * arity}
    theirs = {*product([5, 9], repeat=arity)}
    left, right = (Required(make(facts, arity)) for facts in (mine, theirs))

    assert_reads(left, mine)

    for other in (right, right.materialised()):
        assert_combines(left, mine, other, theirs)
    assert_combines(right.materialised(), theirs, left, mine)


def test_symmetric_part_of_any_table_is_counted() -> None:
    facts = {(1, 2), (2, 1), (3, 3), (3, 1), (1, 4)}
    plain = make(facts)
    assert plain.symmetric_count() == 3
    assert plain.symmetric_fanout(ids(1, 3, 4, 1)).tolist() == [1, 1, 0, 1]


def test_table_without_required_methods_is_refused() -> None:
    class Nothing(Table):
        pass

    with pytest.raises(TypeError, match="arity"):
        Nothing()


def readers() -> Iterator[Path]:
    """All modules outside of the room of tables."""
    for folder in ("kgreason", "adapters", "ontologies"):
        yield from (path for path in sorted((HOUSE / folder).rglob("*.py")) if ROOM not in path.parents)


def names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} | {
        each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)
    }


def class_tests(tree: ast.AST, classes: set[str]) -> Iterator[int]:
    """The lines that ask which class or scheme a table has."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("isinstance", "issubclass") and names_in(node.args[1]) & classes:
                yield node.lineno
        elif isinstance(node, ast.MatchClass) and names_in(node.cls) & classes:
            yield node.cls.lineno
        elif isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            if any(isinstance(side, ast.Attribute) and side.attr in ("scheme", "stored_as") for side in sides):
                is_none = any(isinstance(side, ast.Constant) and side.value is None for side in sides)
                if not is_none:
                    yield node.lineno
            elif any(isinstance(side, ast.Name) and side.id in classes for side in sides):
                yield node.lineno


def classes_of_tables() -> set[str]:
    """The names of all classes of tables."""
    import_module("kgreason.relations.table_readers")  # imports all, some of which are imported when they are needed

    def below(kind: type) -> Iterator[type]:
        yield kind
        for each in kind.__subclasses__():
            yield from below(each)

    return {each.__name__ for each in below(Table) if each.__module__.startswith("kgreason.")}


def test_no_reader_asks_which_class_a_table_has() -> None:
    classes = classes_of_tables()
    assert {"Table", "BinaryTable", "TransitiveTable", "UnionTable"} <= classes
    found = [
        f"{path.relative_to(HOUSE)}:{line}"
        for path in readers()
        if "kgreason.relations" in path.read_text(encoding="utf-8")
        for line in class_tests(ast.parse(path.read_text(encoding="utf-8")), classes)
    ]
    assert not found


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(table, BinaryTable)",
        "isinstance(table, (int, tables.UnionTable))",
        "isinstance(table, TransitiveTable | EquivalenceTable)",
        "match table:\n    case InverseTable():\n        pass",
        "type(table) is BinaryTable",
        "table.scheme == 'pairs'",
        "table.scheme in ('pairs', 'rows')",
    ],
)
def test_question_for_the_class_of_a_table_is_seen(text: str) -> None:
    assert [*class_tests(ast.parse(text), classes_of_tables())]
