"""Language tags in upper case beside datatypes, in snapshots: catches a sound snapshot that is taken for damaged."""

from __future__ import annotations

import io
import logging
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from kgreason import ReasoningStore
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.folded_keys import FoldedKeys, Spellings
from kgreason.dictionary.ordered_keys import OrderedPieces
from kgreason.disk.codec import ColumnWriter
from kgreason.disk.snapshot_format.dictionaries import read_dictionary, write_dictionary
from tests.dictionary.test_prefixes import keys_of
from tests.disk.test_formats import in_a_file
from tests.thresholds import Tuned

LITERALS = ['"a"@en-GB', '"b"@en', '"2020-01-01"^^<http://www.w3.org/2001/XMLSchema#date>', '"c"@DE', '"d"^^<urn:T>']


@pytest.mark.parametrize("format", ["nt", "turtle"])
def test_a_snapshot_of_tags_beside_datatypes_is_read(
    tmp_path: Path, format: str, tuned: Tuned, caplog: pytest.LogCaptureFixture
) -> None:
    tuned(SEGMENT_LEAST=1)
    store = ReasoningStore(rules="none")
    store.open(str(tmp_path / "store"), create=True)
    lines = "".join(f"<urn:s{i}> <urn:p> {literal} .\n" for i in range(500) for literal in LITERALS)
    store.bulk_load(io.StringIO(lines), format=format)
    store.commit()
    written = {term.n3() for term in store.explicit.objects()}
    store.compact()
    store.close()

    with caplog.at_level(logging.WARNING):
        again = ReasoningStore()
        again.open(str(tmp_path / "store"))

    assert caplog.text == ""
    assert {term.n3() for term in again.explicit.objects()} == written
    again.close()


def test_a_datatype_among_the_suffixes_of_no_row_is_no_damage(tmp_path: Path, tuned: Tuned) -> None:
    """Snapshots have been written so."""
    tuned(SEGMENT_LEAST=1)
    spellings = Spellings(np.array([1]), np.array([1], dtype=np.int32), ("^^urn:T", "@en-GB"))
    dictionary = Dictionary()
    dictionary.encode_ordered(OrderedPieces([FoldedKeys(pa.array(['"0"', '"a"@en-gb'], pa.string()), spellings)]))
    columns = ColumnWriter()
    document = {"dictionary": write_dictionary(dictionary.state(), columns)}
    reader = in_a_file(tmp_path, columns, document)

    state, _ = read_dictionary(reader.document["dictionary"], reader)

    assert keys_of(Dictionary.of_state(state)) == keys_of(dictionary)
