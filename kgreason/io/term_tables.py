"""Parquet files that others wrote, with a column of texts for each place of a triple or quad.

The columns are called ``s``, ``p``, ``o``, ``g`` or ``subject``, ``predicate``, ``object``, ``graph``, or as the user
says; folders ``p=value`` are columns, too. Values are terms of N-Triples (``<http://e/s>``, ``"x"@en``), or plain ones:
IRIs without brackets, ``_:label``, literals as in the keys of a dictionary, without escapes (``"x"@en``,
``"1"^^http://...``), and triple terms of N-Triples. A predicate is an IRI in any case, so the first one tells which. A
null in the column of graphs is the default graph, and refused elsewhere.

Whole columns at a time: the distinct values of some rows become tokens of N-Quads, which `tokens` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import BlankNode, NamedNode, RdfFormat, Triple, parse

from kgreason.arrow import pa, pc
from kgreason.dictionary.arrow_columns import mask_column, mask_of, numbers_of, row_column, text_column, text_scalar
from kgreason.dictionary.folded_keys import FoldedKeys
from kgreason.errors import LoadError, TermError, located, one_line
from kgreason.io import file_tuning, tokens
from kgreason.io.language_tags import Tags
from kgreason.io.nesting import Nesting
from kgreason.io.ntriples_blocks import Block, MalformedLineError, good_lines, part_of_codes
from kgreason.io.parquet_pages import check_pages
from kgreason.io.parsed_documents import key_of_parsed, long_terms, reason_of
from kgreason.rdf.triple_keys import OPENING

if TYPE_CHECKING:
    import pyarrow.parquet as pq

Style: TypeAlias = Literal["ntriples", "plain"]

PLACES: Final = ("subject", "predicate", "object", "graph")
_DOT: Final = ".\n"
_PLAIN_LITERAL: Final = r'(?s)^"(?P<text>.*)"(?P<tag>@[A-Za-z0-9\-]+)?(?:\^\^(?P<datatype>[^"]+))?$'
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What a user says of tables: the names of three or four columns, and how terms are written. None: see there."""

    columns: tuple[str, ...] | None = None
    terms: Style | None = None

    @classmethod
    def of(cls, columns: Sequence[str] | None, terms: str | None) -> TableOptions:
        """Check what a user says; LoadError when it is not that."""
        if columns is not None and (isinstance(columns, str) or len(columns) not in (3, 4)):
            raise LoadError(f"columns of a table: {columns!r}", expected="three or four names, of subject to graph")
        if terms is not None and terms not in get_args(Style):
            raise LoadError(f"terms of a table: {terms!r}", expected=" or ".join(get_args(Style)))
        return cls(None if columns is None else tuple(columns), cast("Style | None", terms))


def columns_of(names: Sequence[str], wanted: Sequence[str] | None = None) -> list[str]:
    """The names of the columns of subjects, predicates, objects and, where there are some, graphs.

    Raises:
        ValueError: there is none for a place, or more than one.
    """
    if wanted is not None:
        missing = [name for name in wanted if name not in names]
        if missing:
            raise ValueError(f"there is no column {', '.join(missing)} (there are {', '.join(names)})")
        return list(wanted)
    found: list[str] = []
    for place in PLACES:
        some = [name for name in names if name.lower() in (place, place[0])]
        if len(some) > 1:
            raise ValueError(f"{' and '.join(some)} may both be the {place} (expected one, or names given)")
        if not some and place != "graph":
            expected = "s, p, o or subject, predicate, object, or the names of the columns"
            raise ValueError(f"there is no column for the {place} among {', '.join(names)} (expected {expected})")
        found += some
    return found


def style_of(predicate: str) -> Style:
    """How terms are written where a predicate is written so."""
    return "ntriples" if predicate.lstrip().startswith("<") else "plain"


def blocks_of_table(
    source: Path | bytes,
    name: str,
    partition: Mapping[str, str | None],
    options: TableOptions,
    scope: str,
    lenient: bool,
) -> Iterator[Callable[[], Block]]:
    """The work of reading some rows each, for threads; it may raise MalformedLineError, with the number of a row.

    Args:
        source: the path of the file, or its content.
        name: what errors call it.
        partition: columns that the folders of the file stand for.
        options: what the user says of it.
        scope: put before the labels of blank nodes.
        lenient: skip rows that are not triples, and count them.

    Raises:
        LoadError: not Parquet, or not of such columns.
    """
    # Parquet takes 0.1 seconds to import, and most stores never read any.
    import pyarrow.parquet as pq

    try:
        stream = pa.BufferReader(source) if isinstance(source, bytes) else source
        with pq.ParquetFile(stream, page_checksum_verification=True) as file:
            yield from _blocks(file, source, name, partition, options, scope, lenient)
    except ValueError as error:  # Arrow's are among these
        reason = f"not readable as Parquet: {one_line(error)}" if isinstance(error, pa.ArrowException) else str(error)
        raise LoadError(reason, path=name) from error
    except OSError as error:
        raise LoadError(f"cannot be read: {one_line(error)}", path=name) from error


def _blocks(
    file: pq.ParquetFile,
    source: Path | bytes,
    name: str,
    partition: Mapping[str, str | None],
    options: TableOptions,
    scope: str,
    lenient: bool,
) -> Iterator[Callable[[], Block]]:
    own = file.schema_arrow.names
    names = columns_of([*own, *(name for name in partition if name not in own)], options.columns)
    style = options.terms
    with located(path=name):
        check_pages(file, source, [column for column in names if column in own])
    read = [name for name in names if name in own]
    for batch in file.iter_batches(file_tuning.TABLE_ROWS, columns=read, use_threads=False):
        length = len(batch)
        columns = [
            _texts(batch.column(name), name) if name in own else _constant(partition[name], length) for name in names
        ]
        if style is None:
            first = next((value.as_py() for value in columns[1] if value.is_valid), None)
            style = None if first is None else style_of(first)
        yield partial(read_rows, columns, style or "ntriples", scope, lenient)


def _texts(column: pa.Array, name: str) -> pa.Array:
    """A column as strings; ValueError when it is of another type."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if not (is_text or pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_null(kind)):
        raise ValueError(f"the column {name} is of type {column.type} (expected strings)")
    return column.cast(kind).cast(pa.string())


def _constant(value: str | None, length: int) -> pa.Array:
    if value is None:
        return pa.nulls(length, pa.string())
    return text_column([value]).take(row_column(np.zeros(length, dtype=np.int64)))


def read_rows(columns: Sequence[pa.Array], style: Style, scope: str, lenient: bool) -> Block:
    """Read string columns of subjects, predicates, objects and perhaps graphs.

    Raises:
        MalformedLineError: the first row that is not a quad, counted from 0, unless reading is lenient.
    """
    length = len(columns[0])
    texts, pieces = [], []
    codes = np.empty((length, 4), dtype=np.int32)
    begin = 0
    for place, column in enumerate(columns):
        encoded = column.dictionary_encode()
        distinct = encoded.dictionary
        # The end of a graph is that of a line, by which `tokens` knows it.
        ending = text_scalar(" .\n" if place == 3 else " ")
        written = distinct if style == "ntriples" else _as_ntriples(distinct)
        pieces.append(pc.binary_join_element_wise(written, ending, text_scalar("")))
        texts.append(distinct)
        # A null ends a line without a graph. In the other columns it is not a term.
        codes[:, place] = numbers_of(encoded.indices) + begin
        codes[mask_of(column.is_null()), place] = -1
        begin += len(distinct)
    codes[:, len(columns) :] = -1
    codes[codes < 0] = begin
    given = pa.concat_arrays([*pieces, text_column([_DOT])])
    terms, places, faults = _completed(given, tokens.terms_of(given.cast(pa.binary()), scope), scope)
    good = good_lines(places[codes], terms, quads=True)
    malformed = np.flatnonzero(~good)
    if len(malformed) and not lenient:
        row = int(malformed[0])
        kinds = terms.kinds[places]
        raise MalformedLineError(row, _reason(codes[row].tolist(), kinds, faults, pa.concat_arrays(texts)))
    return Block(part_of_codes(places[codes[good]], terms), length, malformed)


def _as_ntriples(values: pa.Array) -> pa.Array:
    """Distinct plain terms as terms of N-Triples. A text that is not a term stays malformed."""
    first = pc.utf8_slice_codeunits(values, 0, 1)
    literal = mask_of(pc.equal(first, text_scalar('"')))
    # A triple term is written in one way alone.
    blank = mask_of(pc.or_(pc.starts_with(values, "_:"), pc.starts_with(values, OPENING.rstrip())))
    iris = values.filter(mask_column(~literal & ~blank))
    # A backslash is an escape there, and nothing in an IRI.
    iris = pc.replace_substring(iris, "\\", "\\\\")
    pieces = [_joined("<", iris, ">"), values.filter(mask_column(blank))]
    pieces.append(_literals_as_ntriples(values.filter(mask_column(literal))))
    places = np.empty(len(values), dtype=np.int64)
    places[np.concatenate([np.flatnonzero(~literal & ~blank), np.flatnonzero(blank), np.flatnonzero(literal)])] = (
        np.arange(len(values))
    )
    return pa.concat_arrays(pieces).take(row_column(places))


def _literals_as_ntriples(values: pa.Array) -> pa.Array:
    parts = pc.extract_regex(values, _PLAIN_LITERAL)
    text, tag, datatype = (parts.field(number) for number in range(3))
    for character, escape in _ESCAPES.items():
        text = pc.replace_substring(text, character, escape)
    is_typed = pc.not_equal(datatype, text_scalar(""))
    suffix = pc.if_else(is_typed, _joined("^^<", datatype, ">"), tag)
    whole = pc.binary_join_element_wise(_joined('"', text, '"'), suffix, text_scalar(""))
    return pc.if_else(parts.is_valid(), whole, values)


def _joined(before: str, texts: pa.Array, after: str) -> pa.Array:
    return pc.binary_join_element_wise(text_scalar(before), texts, text_scalar(after), text_scalar(""))


def _completed(
    given: pa.Array, terms: tokens.Terms, scope: str
) -> tuple[tokens.Terms, NDArray[np.int32], dict[int, str]]:
    """The terms, with those behind them that `tokens` leaves to pyoxigraph; for each token the place of its term; and
    why others are not terms."""
    places = np.arange(len(given), dtype=np.int32)
    faults: dict[int, str] = {}
    kinds: list[int] = []
    keys: list[str] = []
    for number in np.flatnonzero(terms.kinds == tokens.ODD).tolist():
        try:
            kind, key = _parsed(given[number].as_py(), scope)
        except SyntaxError as error:
            faults[number] = reason_of(error)
        except (ValueError, TermError) as error:
            faults[number] = str(error)
        else:
            places[number] = len(given) + len(keys)
            kinds.append(kind)
            keys.append(key)
    more = FoldedKeys.of(text_column(keys))
    all_kinds = np.concatenate((terms.kinds, np.array(kinds, dtype=np.uint8)))
    return tokens.Terms(all_kinds, FoldedKeys.joined([terms.keys, more])), places, faults


def _parsed(token: str, scope: str) -> tuple[int, str]:
    """The kind and key of a token that is a term for pyoxigraph; an error for any other."""
    is_graph = token.endswith("\n")
    text = token.removesuffix(" .\n")
    if "\n" in text:
        raise ValueError("a term has a line break")
    line = f"<a:> <a:> {text} .\n".encode()
    Nesting().see(line)
    with long_terms():
        (quad,) = parse(input=line, format=RdfFormat.N_TRIPLES, rename_blank_nodes=False)
    tags = Tags(RdfFormat.N_TRIPLES)
    tags.see(line)
    key = key_of_parsed(quad.object, scope, tags)
    if isinstance(quad.object, NamedNode):
        return (tokens.NAMED_GRAPH if is_graph else tokens.IRI), key
    if isinstance(quad.object, BlankNode):
        return (tokens.BLANK_GRAPH if is_graph else tokens.BLANK), key
    return (tokens.TRIPLE if isinstance(quad.object, Triple) else tokens.LITERAL), key


def _reason(
    codes: Sequence[int], kinds: NDArray[np.uint8], faults: Mapping[int, str], texts: pa.Array
) -> str:
    """Why a row is not a quad."""
    for place, code in zip(PLACES, codes, strict=True):
        if code == len(texts):
            if place == "graph":
                continue
            return f"the {place} is null (expected a term)"
        shown = texts[code].as_py()
        shown = repr(shown if len(shown) <= 100 else f"{shown[:100]}...")
        if code in faults:
            return f"the {place} {shown} is not a term: {faults[code]}"
        kind = kinds[code]
        if kind in (tokens.LITERAL, tokens.TRIPLE) and place != "object":
            what = "literal" if kind == tokens.LITERAL else "triple term"
            return f"the {place} {shown} is a {what} (expected an IRI)"
        if kind == tokens.BLANK and place == "predicate":
            return f"the {place} {shown} is a blank node (expected an IRI)"
    return "not a quad"
