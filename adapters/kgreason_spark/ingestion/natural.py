"""Natural RDF literals: what the values of a typed column are without a declared datatype.

The text of a value is its plain form, which templates and declared datatypes use (1.5); a literal of it is canonical
(1.5E0). Sources: RML-Core, section Datatype conversions, and https://www.w3.org/TR/xmlschema11-2/.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from kgreason.rdf.vocabulary import XSD, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER
from kgreason_spark.ingestion.reference_values import Value


def natural_value(column: Column, kind: T.DataType) -> Value | None:
    """The value of a column of a Spark type; None for types that hold more than one value."""
    text = column.cast("string")
    match kind:
        case T.StringType():
            return Value(column)
        case T.ByteType() | T.ShortType() | T.IntegerType() | T.LongType():
            return Value(text, XSD_INTEGER)
        case T.FloatType() | T.DoubleType():
            return Value(xsd_real(text), XSD_DOUBLE)
        case T.DecimalType():
            return Value(text, XSD_INTEGER) if kind.scale == 0 else Value(_plain_decimal(text), XSD_DECIMAL)
        case T.BooleanType():
            return Value(text, XSD_BOOLEAN)
        case T.DateType():
            return Value(_without("ltrim", "+", text), XSD + "date")
        case T.TimestampNTZType():
            return Value(_date_time(column), XSD + "dateTime")
        case T.TimestampType():
            return Value(F.concat(_date_time(_in_utc(column)), F.lit("Z")), XSD + "dateTime")
        case T.BinaryType():
            return Value(F.hex(column), XSD + "hexBinary")
        case _:
            return None


def literal_key(text: Column, datatype: Column | str | None) -> Column:
    """The dictionary key of a natural literal, in canonical form."""
    if datatype is None:
        return F.concat(F.lit('"'), text, F.lit('"'))
    if isinstance(datatype, str):
        lexical = canonical_double(text) if datatype == XSD_DOUBLE else text
        return F.concat(F.lit('"'), lexical, F.lit(f'"^^{datatype}'))
    lexical = F.when(datatype == XSD_DOUBLE, canonical_double(text)).otherwise(text)
    suffix = F.when(datatype.isNull(), F.lit('"')).otherwise(F.concat(F.lit('"^^'), datatype))
    return F.concat(F.lit('"'), lexical, suffix)


def canonical_double(text: Column) -> Column:
    """The canonical form of a double that is written with digits and a point, and perhaps with an exponent."""
    sign = F.when(text.startswith("-"), "-").otherwise("")
    unsigned = _without("ltrim", "+-", text)
    whole, fraction = F.substring_index(unsigned, ".", 1), F.get(F.split(unsigned, r"\."), 1)
    decimals = F.coalesce(fraction, F.lit(""))
    digits = F.concat(whole, decimals)
    significant = _without("ltrim", "0", digits)
    exponent = F.length(whole) - 1 - (F.length(digits) - F.length(significant))
    rest = _without("rtrim", "0", significant.substr(F.lit(2), F.length(significant)))
    mantissa = F.concat(significant.substr(1, 1), F.lit("."), F.when(rest == "", "0").otherwise(rest))
    return (
        F.when(text.rlike("[EN]"), text)
        .when(significant == "", F.concat(sign, F.lit("0.0E0")))
        .otherwise(F.concat(sign, mantissa, F.lit("E"), exponent.cast("string")))
    )


def xsd_real(text: Column) -> Column:
    """The text of a double of Spark, as XSD writes it."""
    return F.replace(text, F.lit("Infinity"), F.lit("INF"))


def _plain_decimal(text: Column) -> Column:
    """Digits without zeros at the end: XSD 1.1 writes a decimal without a fraction as an integer."""
    return F.regexp_replace(text, r"\.?0+$", "")


def _date_time(column: Column) -> Column:
    return _without("ltrim", "+", F.replace(column.cast("string"), F.lit(" "), F.lit("T")))


def _without(function: str, characters: str, text: Column) -> Column:
    """Text without some characters at its begin (ltrim) or end (rtrim), by the function of SQL: PySpark 3.5 has those
    that trim spaces alone."""
    return F.call_function(function, F.lit(characters), text)


def _in_utc(column: Column) -> Column:
    """The instant on a clock in UTC, for any time zone of the session."""
    seconds = F.unix_micros(column).cast("decimal(20,0)") / F.lit(1_000_000)
    epoch = F.lit("1970-01-01 00:00:00").cast("timestamp_ntz")
    return epoch + F.make_dt_interval(F.lit(0), F.lit(0), F.lit(0), seconds.cast("decimal(18,6)"))
