"""The session of a caller: a notebook's, a job's, or that of Databricks or EMR.

What it lacks is said in one line, before anything long begins; what its executors need is sent to them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kgreason.errors import OptionError, SparkError
from kgreason_spark.executor_packages import ARCHIVE, ship_packages
from kgreason_spark.frames import QUAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

OLDEST: Final = (3, 5)

_LOCAL: Final = "local"
_PACKAGES: Final = {"re2": "google-re2"}
_NO_CONNECT: Final = (
    "this is a session of Spark Connect, whose client has no file systems, jobs or broadcasts of the driver: run where"
    " the driver is (spark-submit, a notebook on the cluster), or with spark.api.mode=classic"
)


def caller_session(session: SparkSession | None = None, *frames: DataFrame) -> SparkSession:
    """The session to work in: that of the frames of triples, the one that is given, or the active one.

    Raises:
        OptionError: a frame is none, or not one of triples.
        SparkError: there is none, it is one of Spark Connect or of a Spark that is too old, or executors lack Python
            packages; it says which.

    Cost: on a cluster, once for each application, a short job that asks all executors that are there.
    """
    if frames and not hasattr(frames[0], "sparkSession"):
        raise OptionError(f"{type(frames[0]).__name__} is not a DataFrame", "triples", frames[0])
    found: Any = frames[0].sparkSession if frames else session or _active()
    if type(found).__module__.startswith("pyspark.sql.connect"):
        raise SparkError(_NO_CONNECT)
    _check_version(str(found.version))
    for frame in frames:
        if missing := [name for name in QUAD if name not in frame.columns]:
            expected = f"{', '.join(QUAD)}, as as_triples gives them"
            raise OptionError(f"there is no column {', '.join(missing)}", "triples", frame.columns, expected=expected)
    context = found.sparkContext
    if not str(context.master).startswith(_LOCAL) and not any(ARCHIVE in file for file in context.listFiles):
        _check_executors(found)
        ship_packages(found)
    known: SparkSession = found
    return known


def _active() -> Any:
    try:
        # Its absence is an error that says what to install.
        from pyspark.sql import SparkSession
        from pyspark.sql.utils import is_remote
    except ImportError as error:
        raise SparkError(f"pyspark is not installed ({error}): pip install kgreason[spark]") from None
    if is_remote():
        raise SparkError(_NO_CONNECT)
    active = SparkSession.getActiveSession()
    if active is None:
        expected = "session=, or SparkSession.builder.getOrCreate()"
        raise SparkError("there is no active session of Spark", expected=expected)
    return active


def _check_version(version: str) -> None:
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST:
        raise SparkError(f"Spark {version} is too old", expected="3.5, or 4")


def _check_executors(session: SparkSession) -> None:
    """SparkError where an executor cannot import what it needs, or has another Python than the driver."""
    context = session.sparkContext
    tasks = max(2, context.defaultParallelism)
    found = context.parallelize(range(tasks), tasks).mapPartitions(_missing).collect()
    missing = sorted({name for host, names in found for name in names})
    if missing:
        host = next(host for host, names in found if names)
        expected = " ".join(("pip install", *(_PACKAGES.get(name, name) for name in missing)))
        raise SparkError(f"Python of the executor {host} has no {', '.join(missing)}", expected=expected)


def _missing(rows: Any) -> Sequence[tuple[str, list[str]]]:
    """The host of this executor, and what it cannot import of all that functions of ours import there. It is sent as it
    is, as no code of ours is there yet."""
    import importlib.util
    import socket

    needed = ("numpy", "pyarrow", "pyoxigraph", "pyroaring", "re2", "regex")
    return [(socket.gethostname(), [name for name in needed if not importlib.util.find_spec(name)])]
