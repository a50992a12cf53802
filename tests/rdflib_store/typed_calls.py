"""The types that callers see; mypy reads this module with the code, and nothing runs it."""

from __future__ import annotations

from typing import assert_type

import pandas as pd
import polars as pl
import pyarrow as pa

from kgreason import ReasoningStore
from kgreason_rdflib import Inconsistency


def tables(store: ReasoningStore, query: str) -> None:
    """What `query_table` gives depends on `to`."""
    assert_type(store.query_table(query), pa.Table)
    assert_type(store.query_table(query, to="arrow"), pa.Table)
    assert_type(store.query_table(query, to="pandas", timeout=1), pd.DataFrame)
    assert_type(store.query_table(query, to="polars"), pl.DataFrame)
    store.query_table(query, to="excel")  # type: ignore[call-overload]  # what is refused


def inconsistencies(store: ReasoningStore) -> list[Inconsistency]:
    """A list, apart from what notebooks show of it."""
    return store.inconsistencies()
