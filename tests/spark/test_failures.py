"""Errors of Spark as errors of ours. Catches a message of a Python worker that is taken for the end of Java."""

from __future__ import annotations

import pytest
from pyspark.errors.exceptions.captured import PythonException

from kgreason.errors import KGReasonError, LoadError, SparkError
from kgreason_spark.failures import described

TRACEBACK = """
  An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "/x/csv_records.py", line 107, in end
    raise LoadError("...")
"""


@pytest.mark.usefixtures("quick_spark")
@pytest.mark.parametrize(
    ("raised", "kind", "told"),
    [
        ("kgreason.errors.LoadError: a.csv:8: never closed", LoadError, "a.csv:8: never closed"),
        ("kgreason.errors.SparkError: no room", SparkError, "reading: no room"),
        ("ZeroDivisionError: division by zero", SparkError, "reading: ZeroDivisionError: division by zero"),
    ],
)
def test_what_a_python_worker_raised_has_no_java_in_spark_3_5(
    raised: str, kind: type[KGReasonError], told: str
) -> None:
    found = described(PythonException(TRACEBACK + raised, ""), "reading")

    assert type(found) is kind
    assert str(found) == told


def test_end_of_java_is_told() -> None:
    assert "the Java process of Spark has ended" in str(described(ConnectionError("reset"), "reading"))
