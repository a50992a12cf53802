"""The packages on their way to executors, which have Python and its libraries but not kgreason."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ARCHIVE: Final = "kgreason.zip"

_PACKAGES: Final = ("kgreason", "kgreason_ontologies", "kgreason_mapping", "kgreason_spark")


def ship_packages(spark: SparkSession) -> None:
    """Send the installed packages to the executors, so that functions of theirs run there."""
    folder = Path(tempfile.mkdtemp(prefix="kgreason-spark-"))
    # Executors fetch the file whenever one of them starts.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    pack(folder / ARCHIVE)
    spark.sparkContext.addPyFile(str(folder / ARCHIVE))


def pack(archive: Path) -> None:
    """Write the installed packages into a zip file that Python can import from."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for package in _PACKAGES:
            spec = find_spec(package)
            for place in (spec.submodule_search_locations or ()) if spec is not None else ():
                for file in sorted(Path(place).rglob("*")):
                    if file.is_file() and "__pycache__" not in file.parts:
                        target.write(file, Path(package) / file.relative_to(place))
