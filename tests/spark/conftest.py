"""One Spark for all tests of this folder, on two cores of this machine, in three sessions.

Nearly all tests have a few rows, for which compiling plans, adapting them and starting tasks takes longer than running
them. Spark's own defaults hold in `compiling_spark`, but for materialisation over few triples, which has such a session
of its own (`session_for_few`); on the cluster (`test_cluster`) plans are adapted, and not compiled.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Final

import pytest
from pyspark.sql import SparkSession

from kgreason_spark.session import spark_session
from tests.mapping.engines import Engine
from tests.spark.cluster import QUICK_START
from tests.spark.spark_engine import SparkEngine

# Most of what Java collects as garbage early are classes and plans.
os.environ.setdefault("SPARK_SUBMIT_OPTS", f"{QUICK_START} -Xmn512m -XX:MetaspaceSize=256m")

SMALL: Final = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.ui.explainMode": "simple",
}
"""What suits few rows: plans are interpreted, and a file is one task."""


def small_session(spark: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """Another session for few rows, with settings of its own."""
    session = spark.newSession()
    for name, value in {**SMALL, **settings}.items():
        session.conf.set(name, value)
    return session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The first session, which commands take; it starts when the first test asks for it."""
    session = spark_session("local[2]", memory="2g")
    for name, value in SMALL.items():
        session.conf.set(name, value)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def quick_spark(spark: SparkSession) -> SparkSession:
    """A session like the first one, elsewhere."""
    return small_session(spark, {"spark.sql.session.timeZone": "America/New_York"})


@pytest.fixture(scope="session")
def compiling_spark(spark: SparkSession) -> SparkSession:
    """A session with Spark's defaults: plans are compiled and adapted, for more rows or for the code itself."""
    session = spark.newSession()
    session.conf.set("spark.sql.shuffle.partitions", "4")
    return session


@pytest.fixture(scope="session", params=["auto", pytest.param("columns", marks=pytest.mark.thorough)])
def engine(quick_spark: SparkSession, request: pytest.FixtureRequest) -> Engine:
    """What runs mappings in the tests of `tests.mapping`: the Arrow engine in executors, or column expressions."""
    return SparkEngine(quick_spark, request.param)
