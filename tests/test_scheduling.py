"""Would catch one more Java for Spark's tests, a file that one process alone has, and long tests that come last."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.test_selection import Item

scheduling = pytest.importorskip("tests.scheduling", reason="there is no pytest-xdist")


@pytest.mark.parametrize(("processes", "sizes"), [(2, [250]), (4, [100, 150])])
def test_spark_is_one_group_or_two_and_files_are_groups_of_twenty(processes: int, sizes: list[int]) -> None:
    groups = scheduling.Groups(processes)
    files = ("csv", "labels", "materialisation", "materialisation_job", "cluster")
    spark = [f"tests/spark/test_{file}.py::test_{number}" for file in files for number in range(50)]
    others = [f"tests/io/test_files.py::test_one[{number}]" for number in range(50)]

    assert sorted(Counter(map(groups.of, spark)).values()) == sizes
    assert max(Counter(map(groups.of, others)).values()) == scheduling.TOGETHER
    assert [groups.of(name) for name in others] == [groups.of(name) for name in others]


def test_spark_comes_first_and_slow_tests_come_before_the_others() -> None:
    slow = Item("tests/disk/test_disks.py::test_slow", ("slow",))
    spark = Item("tests/spark/test_csv.py::test_one", ("spark",))
    deriving = Item("tests/spark/test_materialisation.py::test_one", ("spark",))
    other = Item("tests/algebra/test_joins.py::test_one")
    items = [other, slow, deriving, spark]

    scheduling.long_first(items)

    assert items == [spark, deriving, slow, other]
