"""Text inside IRIs and blank node labels: what may not stand there is written as the bytes of its UTF-8.

Text that needs nothing is recognised by one regular expression and handed on; only the rest is taken apart.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F

from kgreason_mapping.syntax import whole

_UNRESERVED: Final = r"A-Za-z0-9\-._~"
_PLANES: Final = "".join(rf"\x{{{plane:X}0000}}-\x{{{plane:X}FFFD}}" for plane in range(1, 14))
_IUNRESERVED: Final = (
    rf"{_UNRESERVED}\x{{A0}}-\x{{D7FF}}\x{{F900}}-\x{{FDCF}}\x{{FDF0}}-\x{{FFEF}}{_PLANES}\x{{E1000}}-\x{{EFFFD}}"
)


def iri_safe(text: Column, *, only_ascii: bool) -> Column:
    """Percent-encode what is not unreserved in an IRI (RFC 3987), or with `only_ascii` in a URI (RFC 3986)."""
    free = _UNRESERVED if only_ascii else _IUNRESERVED
    runs = F.regexp_extract_all(text, F.lit(rf"(?s)[{free}]+|[^{free}]+"), F.lit(0))
    encoded = F.transform(runs, lambda run: F.when(run.rlike(rf"^[{free}]"), run).otherwise(_percent_encoded(run)))
    return F.when(text.rlike(whole(f"[{free}]*")), text).otherwise(F.array_join(encoded, ""))


def blank_label(text: Column) -> Column:
    """A label of letters, digits and ``_XX`` for each other byte: different texts have different labels."""
    bytes_of = _percent_encoded(text)
    for character, code in (("_", "%5F"), (".", "%2E"), ("-", "%2D"), ("~", "%7E")):
        bytes_of = F.replace(bytes_of, F.lit(character), F.lit(code))
    return F.when(text.rlike(whole("[A-Za-z0-9]*")), text).otherwise(F.replace(bytes_of, F.lit("%"), F.lit("_")))


def _percent_encoded(text: Column) -> Column:
    form_encoded = F.url_encode(text)
    for wrong, right in (("+", "%20"), ("*", "%2A"), ("%7E", "~")):
        form_encoded = F.replace(form_encoded, F.lit(wrong), F.lit(right))
    return form_encoded
