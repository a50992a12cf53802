"""The Spark session: the one of spark-submit where there is one, else one of our own on this machine or a cluster."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kgreason.errors import SparkError
from kgreason_spark.executor_packages import ship_packages
from kgreason_spark.failures import one_line
from kgreason_spark.java_launch import quiet_java

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

OLDEST_JAVA: Final = 17

_LOCAL: Final = "local"
_LOOPBACK: Final = "127.0.0.1"
_INSTALL_SPARK: Final = "pip install kgreason[spark]"
_INSTALL_JAVA: Final = f"apt-get install openjdk-{OLDEST_JAVA}-jre-headless"
_LARGEST_LOCAL_HEAP: Final = 8 << 30
_DEEP: Final = "-Xss8m"
"""The stack of a thread: a JSON document may be a thousand levels deep, and while Java has not compiled the parser yet,
that takes more than the megabyte it gives by itself. Only what is used takes memory."""
_QUICK: Final = "-XX:TieredStopAtLevel=1"
"""Java's quick compiler alone, on this machine: the other one takes more than it gains there, since rows become triples
in Python and jobs are short. 1.8 million triples take 15 processor seconds in place of 24, and 5.5 in place of 7.7 in
the same process again; by column expressions 35 in place of 40, and 22 in place of 23 (`tests.benchmarks.gtfs`)."""
_FOR_FEW: Final = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.leafNodeDefaultParallelism": "1",
}
_LOGGING: Final = Path(__file__).with_name("log4j2.properties")
_CLASSES: Final = ("functions", "PythonUtils", "PythonSQLUtils", "SimplePythonFunction")
"""Classes of Java that PySpark looks up by their short names, at each column and each plan."""


def spark_session(
    master: str | None = None, *, application: str = "kgreason", memory: str | None = None, ui: bool = False
) -> SparkSession:
    """The session to work in.

    Args:
        master: Spark's address of a cluster (``spark://host:7077``, ``yarn``) or ``local[N]``; left out, it is the
            session that runs or that spark-submit has prepared, and without one of them all cores of this machine.
        application: its name in Spark's lists.
        memory: heap of the driver, such as ``4g``; left out, locally a quarter of the machine's memory, 8 GB at most.
        ui: whether the driver serves Spark's pages.

    On a cluster the packages that executors need are sent along.

    Raises:
        SparkError: pyspark or Java is missing or too old, or Spark does not start; it says what to install.
    """
    try:
        # Its absence is an error that says what to install.
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise SparkError(f"pyspark is not installed ({error}): {_INSTALL_SPARK}") from None
    running = SparkSession.getActiveSession()
    if running is not None and master is None:
        return running
    settings = _settings(master, memory, ui)
    if not _submitted():
        check_java()
    builder = SparkSession.builder.appName(application)
    for name, value in settings.items():
        builder = builder.config(name, value)
    if settings.get("spark.master", "").startswith(_LOCAL):
        # Elsewhere Python has its own place; here Spark would take the first python3 in PATH.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        with quiet_java():
            spark = builder.getOrCreate()
    except Exception as error:  # pyspark raises what Py4J, Java or its own launcher happen to raise
        raise SparkError(f"Spark does not start: {one_line(str(error))}") from error
    _silence_queries()
    _remember_classes(spark.sparkContext._jvm)
    if not str(spark.sparkContext.master).startswith(_LOCAL):
        ship_packages(spark)
    return spark


def session_for_few(spark: SparkSession) -> SparkSession:
    """A session like the given one for a few hundred thousand rows: plans are interpreted, not compiled or adapted, and
    tasks are few. That takes less than half the time: compiling takes longer than running what is compiled."""
    return session_with(spark, _FOR_FEW)


def compile_plans(few: SparkSession, spark: SparkSession) -> None:
    """Give a session for few rows the settings of the one that it was made of, as rows have become many."""
    for name in _FOR_FEW:
        value = spark.conf.get(name, None)
        if value is None:
            few.conf.unset(name)
        else:
            few.conf.set(name, value)


def session_with(spark: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """Another session with the settings of the given one, credentials for file systems among them, but for some."""
    # As heavy as Spark itself.
    from pyspark.sql import SparkSession

    java: Any = spark._jsparkSession
    session = SparkSession(spark.sparkContext, java.cloneSession())
    for name, value in settings.items():
        session.conf.set(name, value)
    return session


def check_java() -> None:
    """SparkError unless there is a Java that Spark can run on."""
    home = os.environ.get("JAVA_HOME")
    command = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    try:
        if command is None:
            raise FileNotFoundError
        shown = subprocess.run([command, "-version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        where = f" in JAVA_HOME={home}" if home else ""
        raise SparkError(
            f"Spark needs Java {OLDEST_JAVA} or newer, and there is none{where}: {_INSTALL_JAVA}"
        ) from None
    version = java_version(shown.stderr + shown.stdout)
    if version < OLDEST_JAVA:
        reason = f"{command} is version {version}" if version else f"{command} -version does not work"
        raise SparkError(f"Spark needs Java {OLDEST_JAVA} or newer, and {reason}: {_INSTALL_JAVA}")


def java_version(shown: str) -> int:
    """The major version in what ``java -version`` shows, 0 when there is none: 8 for ``1.8.0``, 17 for ``17.0.15``."""
    found = re.search(r'version "(?:1\.)?(\d+)', shown)
    return int(found.group(1)) if found else 0


def _silence_queries() -> None:
    """Without pyspark's own log on stderr: it repeats exceptions, as JSON with all of Java's stack."""
    try:
        # As heavy as Spark itself.
        from pyspark.logger import PySparkLogger
    except ModuleNotFoundError:  # Spark 3.5 has no such log
        return
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL + 1)


def _remember_classes(java: Any) -> None:
    """Look up classes of Java once. Java takes a short name for a whole one first, and looks for that in all archives
    of Spark each time: some 30% of what a column costs."""
    for name in _CLASSES:
        setattr(java, name, getattr(java, name))


def _submitted() -> bool:
    """Whether spark-submit has started the Java side already."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _settings(master: str | None, memory: str | None, ui: bool) -> dict[str, str]:
    settings = {
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # Joins name the predicates whose folders they need; what Spark would find out is that, later and at a price.
        "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
        # PySpark would tell Java the line of Python that makes a column, at several times the price of making it.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        # Java would look through its own stack for the same line, which is more than half of what a column costs.
        "spark.sql.dataFrameQueryContext.enabled": "false",
    }
    if memory is not None:
        settings["spark.driver.memory"] = memory
    if _submitted() and master is None:
        return settings
    master = master or f"{_LOCAL}[*]"
    java = f"-Dlog4j2.configurationFile={_LOGGING.as_uri()} {_DEEP}"
    settings |= {
        "spark.master": master,
        "spark.ui.enabled": str(ui).lower(),
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": java,
    }
    if master.startswith(_LOCAL):
        cores = _cores(master)
        settings |= {
            "spark.driver.extraJavaOptions": f"{java} {_QUICK}",
            "spark.driver.host": _LOOPBACK,
            "spark.driver.bindAddress": _LOOPBACK,
            "spark.sql.shuffle.partitions": str(max(8, 4 * cores)),
            "spark.driver.memory": memory or f"{_local_heap() >> 20}m",
        }
    return settings


def _cores(master: str) -> int:
    found = re.match(r"local\[(\d+)", master)
    return int(found.group(1)) if found else (os.cpu_count() or 1) if "*" in master else 1


def _local_heap() -> int:
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(_LARGEST_LOCAL_HEAP, max(1 << 30, physical // 4))
