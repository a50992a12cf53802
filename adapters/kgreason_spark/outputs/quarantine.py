"""Rows that could not become quads, as JSON lines with their reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgreason_spark.directories import UNMARKED, Directory

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def write_quarantine(quarantine: DataFrame, target: Directory) -> None:
    """Write a folder of JSON lines, each with those of the columns PROBLEM that the row has."""
    quarantine.write.options(**UNMARKED).json(str(target))
