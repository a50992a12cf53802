"""What tests expect of one version of Spark and not of another."""

from __future__ import annotations

from pyspark.sql import functions as F


def broken_off(file: str) -> str:
    """A pattern for the error that a compressed text breaks off; Spark 3.5 does not name the `file`."""
    named = rf"{file}: cannot be read" if hasattr(F, "is_valid_utf8") else "a file cannot be read"
    return rf"{named}: .*end of input"
