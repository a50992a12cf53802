"""Records in texts: values that are documents of JSON or XML, or CSV with a header of its own."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa

from kgreason.errors import LoadError
from kgreason_mapping.arrow.columns import Rows
from kgreason_mapping.arrow.csv_batches import CsvParser, CsvRows, as_json
from kgreason_mapping.arrow.csv_pieces import Records as CsvRecords
from kgreason_mapping.arrow.json_batches import JsonReader, JsonRows
from kgreason_mapping.arrow.row_batches import Fault, Records, RowBatch, no_records
from kgreason_mapping.arrow.typed_batches import TypedRows, field_of
from kgreason_mapping.arrow.xml_batches import XmlReader, XmlRows, xml_reader
from kgreason_mapping.documents.mapping_model import Dialect, Formulation, IterableField
from kgreason_mapping.documents.view_names import field_references
from kgreason_mapping.quarantine_reasons import FIELD_COUNT
from kgreason_mapping.sources.csv_grammar import column_names

_DIALECT: Final = Dialect()
_SHOWN: Final = 10_000


def records_in_texts(
    field: IterableField, texts: pa.Array, nulls: frozenset[str], faults: list[Fault]
) -> tuple[Rows, RowBatch]:
    """The records of texts in the formulation of a field, and the text that each is of; faults of texts are added.
    Cost: Python's for each text."""
    documents = texts.to_pylist()
    match field.formulation:
        case Formulation.JSON:
            reader = _json_reader(field, nulls)
            read = [reader.parse([text.encode()]) for text in documents]
            faults += [fault for one in read for fault in one.faults]
            nodes = [list(one.nodes) for one in read]
            return _owners(nodes), JsonRows(_all(nodes), (), nulls)
        case Formulation.XML:
            xml = _xml_reader(field, nulls)
            pieces = [list(xml.document_pieces(field.name, iter([text.encode()]))) for text in documents]
            faults += [fault for one in pieces for piece in one for fault in piece.faults]
            nodes = [[node for piece in one for node in piece.nodes] for one in pieces]
            return _owners(nodes), XmlRows(xml, _all(nodes), ())
        case _:
            return _csv_records(field, documents, nulls, faults)


def checked_texts(field: IterableField) -> Records:
    """What records in texts may be asked; MappingError for an iterator that is not of their formulation."""
    match field.formulation:
        case Formulation.JSON:
            return _json_reader(field, frozenset())
        case Formulation.XML:
            return _xml_reader(field, frozenset())
        case _:
            return _AnyColumns()


class _AnyColumns:
    """Each text has a header of its own."""

    def check(self, reference: str) -> None:
        """Any column may be there."""

    def nested(self, iterator: str) -> Records:
        return no_records("CSV", iterator)


def _json_reader(field: IterableField, nulls: frozenset[str]) -> JsonReader:
    return JsonReader((), field.name, nulls, field.iterator, lines=False)


def _xml_reader(field: IterableField, nulls: frozenset[str]) -> XmlReader:
    # Texts are small, and held whole: what is asked of all their nodes may lead out of one.
    return xml_reader((), field.name, nulls, field.iterator, dict(field.namespaces), ("/",))


def _csv_records(
    field: IterableField, documents: list[str], nulls: frozenset[str], faults: list[Fault]
) -> tuple[Rows, RowBatch]:
    asked = field_references(field.fields)
    parsed = [_csv_rows(text, asked, nulls, faults) for text in documents]
    columns = [
        pa.concat_arrays([pa.array([], pa.string()), *(one.values(name).texts for one in parsed if one is not None)])
        for name in asked
    ]
    counts = [0 if one is None else one.length for one in parsed]
    # A record has a number at least, so that records are counted where nothing is asked of them.
    numbers = pa.array(np.arange(sum(counts)))
    batch = pa.RecordBatch.from_arrays([*columns, numbers], [*asked, "\n"])
    return np.repeat(np.arange(len(counts)), counts), TypedRows(batch, nulls, field_of)


def _csv_rows(text: str, asked: list[str], nulls: frozenset[str], faults: list[Fault]) -> CsvRows | None:
    """The records of a text; none, and a fault, where its header lacks what is asked."""
    records = CsvRecords(_DIALECT).each(text if text.endswith("\n") else f"{text}\n")
    first = next(records, None)
    if first is None:
        return None
    try:
        header = column_names(first, _DIALECT, "")
    except LoadError:
        header = []
    if not set(asked) <= set(header):
        faults.append(Fault(FIELD_COUNT, as_json({"text": text[:_SHOWN]})))
        return None
    rows = CsvParser(header, nulls, _DIALECT).rows(records)
    faults += rows.faults
    return rows


def _owners(nodes: list[list[Any]]) -> Rows:
    return np.repeat(np.arange(len(nodes)), [len(one) for one in nodes])


def _all(nodes: list[list[Any]]) -> list[Any]:
    return [node for one in nodes for node in one]
