"""What one version of Spark has and another has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column


def is_valid_utf8(text: Column) -> Column:
    """Whether a text, which may be any bytes, is valid UTF-8."""
    if hasattr(F, "is_valid_utf8"):
        return F.is_valid_utf8(text)
    content = text.cast("binary")  # Spark 3.5
    return F.encode(F.decode(content, "UTF-8"), "UTF-8") == content


def has_variants() -> bool:
    """Whether there are variants, as which JSON is read."""
    return hasattr(F, "try_parse_json")
