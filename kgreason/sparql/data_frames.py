"""Arrow tables of solutions as data frames of pandas and Polars, in types that one computes with.

| terms of a column | pandas | Polars |
|---|---|---|
| integers | Int64 | Int64 |
| decimals, doubles, numbers of several datatypes | Float64 | Float64 |
| xsd:float | Float32 | Float32 |
| truth values | boolean | Boolean |
| xsd:dateTime, all with a time zone | datetime64[us, UTC] | Datetime("us", "UTC") |
| xsd:dateTime, all without | datetime64[us] | Datetime("us") |
| xsd:date | datetime64[ms] | Date |
| all others: IRIs, blank nodes, texts of any languages, different kinds in one column | string | String |

Unbound is null. Decimals become floats because neither pandas nor numpy computes with exact ones in bulk; the Arrow
table has them exactly, to 38 digits. What does not fit its type, such as an integer beyond 64 bits, leaves its column
strings: a value is never changed or lost for the sake of a type. Of terms of different kinds the strings are the IRIs
and the lexical forms; the Arrow table says what each of them is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

import pyarrow as pa
import pyarrow.compute as pc

from kgreason import memory
from kgreason.errors import OptionError, quoted
from kgreason.rdf.literal_values import INTEGER_TYPES
from kgreason.rdf.vocabulary import XSD

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_NUMERIC: Final = frozenset({*INTEGER_TYPES, XSD + "decimal", XSD + "double", XSD + "float"})


def frame_maker(library: str) -> Callable[[pa.Table], Any]:
    """The function from a table of solutions to a frame of "pandas" or "polars", which is imported for that.

    Raises:
        OptionError: another library, or one that is not installed.
    """
    if library not in _MAKERS:
        expected = "arrow, pandas or polars"
        raise OptionError(f"{quoted(library)} is not a kind of table", "to", library, expected=expected)
    try:
        import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        raise OptionError(f"{library} is not installed", "to", library, expected=f"pip install {library}") from None
    return _MAKERS[library]


def pandas_frame(table: pa.Table) -> pd.DataFrame:
    """A table of solutions as a frame of pandas, with nullable types: a copy."""
    import pandas as pd

    types = {
        pa.int64(): pd.Int64Dtype(),
        pa.float64(): pd.Float64Dtype(),
        pa.float32(): pd.Float32Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype("pyarrow"),
        pa.large_string(): pd.StringDtype("pyarrow"),
    }
    memory.check(2 * table.nbytes, "a data frame")
    return _computable(table).to_pandas(types_mapper=types.get, date_as_object=False)


def polars_frame(table: pa.Table) -> pl.DataFrame:
    """A table of solutions as a frame of Polars, mostly without a copy."""
    import polars as pl

    memory.check(table.nbytes, "a data frame")
    return cast("pl.DataFrame", pl.from_arrow(_computable(table)))


_MAKERS: Final[dict[str, Callable[[pa.Table], Any]]] = {"pandas": pandas_frame, "polars": polars_frame}


def _computable(table: pa.Table) -> pa.Table:
    """The table without structs and decimals, and without metadata."""
    return pa.table(dict(_columns(table)))


def _columns(table: pa.Table) -> Iterator[tuple[str, pa.ChunkedArray]]:
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_struct(column.type):
            yield field.name, _of_several_kinds(column)
        elif (field.metadata or {}).get(b"datatype") == (XSD + "decimal").encode():
            yield field.name, _tried(column, pa.float64())
        else:
            yield field.name, column


def _of_several_kinds(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Terms of several kinds as numbers where all are, else as strings."""
    values = pc.struct_field(column, "value")
    datatypes = set(pc.unique(pc.struct_field(column.drop_null(), "datatype")).to_pylist())
    if not datatypes <= _NUMERIC:
        return values
    return _tried(values, pa.int64() if datatypes <= INTEGER_TYPES else pa.float64())


def _tried(column: pa.ChunkedArray, type: pa.DataType) -> pa.ChunkedArray:
    """A column in a type, as it is where a value is none of it."""
    try:
        return pc.cast(column, type)
    except pa.ArrowInvalid:
        return column
