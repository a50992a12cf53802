"""Why a row, or a part of it, goes to quarantine: the fixed list that reports count by."""

from __future__ import annotations

from typing import Final

INVALID_IRI: Final = "invalid IRI"
RELATIVE_IRI: Final = "relative IRI without a base"
EMPTY_VALUE: Final = "empty value in an IRI or a blank node"
INVALID_LANGUAGE: Final = "invalid language tag"
INVALID_DATATYPE: Final = "invalid datatype IRI"
ILL_TYPED: Final = "value outside its datatype"
FUNCTION_INPUT: Final = "value that a function does not take"
NOT_SCALAR: Final = "object or array where one value is needed"
FIELD_COUNT: Final = "CSV row with too many or too few fields"
OPEN_QUOTE: Final = "CSV row with a quotation mark that is not closed"
MISPLACED_QUOTE: Final = "CSV row with text between a closing quotation mark and the delimiter"
INVALID_UTF8: Final = "invalid UTF-8"
MALFORMED_JSON: Final = "malformed JSON"
MALFORMED_XML: Final = "malformed XML"
LARGE_JSON: Final = "JSON document too large for one row"

REASONS: Final = (
    INVALID_IRI,
    RELATIVE_IRI,
    EMPTY_VALUE,
    INVALID_LANGUAGE,
    INVALID_DATATYPE,
    ILL_TYPED,
    FUNCTION_INPUT,
    NOT_SCALAR,
    FIELD_COUNT,
    OPEN_QUOTE,
    MISPLACED_QUOTE,
    INVALID_UTF8,
    MALFORMED_JSON,
    MALFORMED_XML,
    LARGE_JSON,
)
