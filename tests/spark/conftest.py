"""One Spark session for all tests of this folder, on two cores."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from kgreason_spark.session import spark_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Starts when the first test asks for it."""
    session = spark_session("local[2]", memory="1g")
    session.conf.set("spark.sql.shuffle.partitions", "4")
    yield session
    session.stop()
