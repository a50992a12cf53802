"""A stream in one of OWL's syntaxes to a part; everything is read at once, some microseconds for a triple."""

from __future__ import annotations

from typing import Final
from uuid import uuid4

from kgreason.errors import LoadError, TermError
from kgreason.io.formats import OwlFormat
from kgreason.io.owl.expressions import USUAL_PREFIXES, Names, OwlSyntaxError, Take
from kgreason.io.owl.rdf_mapping import Mapping
from kgreason.io.parts import Part
from kgreason.io.streams import BYTE_ORDER_MARK, Readable, whole_content

_TIMES: Final = 8
"""An ontology is taken to need so many times its bytes while it is read."""


def parse_owl(
    stream: Readable, format: OwlFormat, base: str | None, source: str, prefixes: dict[str, str] | None
) -> Part:
    """Read an ontology to its end.

    Args:
        stream: bytes, in UTF-8 unless it is XML that says otherwise.
        format: of them.
        base: what relative IRIs are relative to.
        source: the name of the stream in errors.
        prefixes: takes those that the ontology declares.

    Raises:
        LoadError: malformed; with the line.
    """
    data = whole_content(stream, "an ontology", _TIMES).removeprefix(BYTE_ORDER_MARK)
    names, mapping = Names(base), Mapping(f"b{uuid4().hex}")
    try:
        _read(data, format, names, mapping.take)
    except OwlSyntaxError as error:
        raise LoadError(error.reason, path=source, line=error.line) from None
    except TermError as error:
        raise LoadError.like(error).locate(path=source) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LoadError(f"not valid UTF-8: {error.reason}", path=source, line=line) from None
    if prefixes is not None:
        prefixes.update((name, iri) for name, iri in names.prefixes.items() if USUAL_PREFIXES.get(name) != iri)
    return mapping.part()


def _read(data: bytes, format: OwlFormat, names: Names, take: Take) -> None:
    match format:
        case OwlFormat.OWL_XML:
            from kgreason.io.owl.owl_xml import read_owl_xml

            read_owl_xml(data, names, take)
        case OwlFormat.MANCHESTER:
            from kgreason.io.owl.manchester_syntax import read_manchester

            read_manchester(data.decode(), names, take)
        case OwlFormat.OBO:
            from kgreason.io.owl.obo_format import read_obo

            read_obo(data.decode(), names, take)
        case _:
            from kgreason.io.owl.functional_syntax import read_functional

            read_functional(data.decode(), names, take)
