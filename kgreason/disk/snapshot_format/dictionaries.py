"""The dictionary of a snapshot: runs of keys, and the ways to them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kgreason.dictionary.arrow_columns import mask_of, row_column
from kgreason.dictionary.dictionary_state import DictionaryState
from kgreason.dictionary.double_segments import DoubleSegment
from kgreason.dictionary.folded_keys import FoldedKeys, Spellings
from kgreason.dictionary.hash_index import HashIndex, Level
from kgreason.dictionary.key_lists import KeyList
from kgreason.dictionary.key_runs import Run
from kgreason.dictionary.number_segments import IntegerSegment, NumberSegment, QuotientSegment
from kgreason.dictionary.ordered_keys import OrderedKeys
from kgreason.dictionary.segments import Segment
from kgreason.disk import commit_records as records
from kgreason.disk.codec import ColumnReader, ColumnWriter, Json, expect_list
from kgreason.disk.json_documents import expect, expect_number
from kgreason.errors import DamageError
from kgreason.rdf.keys import TRIPLE_KIND, folded_key

_IDS: Final = 1 << 32
_WORDS: Final = {IntegerSegment: "integers", QuotientSegment: "quotients", DoubleSegment: "doubles"}


def write_dictionary(state: DictionaryState, to: ColumnWriter) -> Json:
    """A dictionary. Keys that came one by one are bytes (`records.keys_to_bytes`): they may not be valid Unicode."""
    runs = [_write_run(run, to) for run in state.runs]
    index = [[to.numbers(level.hashes), to.numbers(level.identifiers)] for level in state.index.levels]
    ordered = None if state.ordered is None else state.ordered[0]
    return [runs, index, ordered, to.numbers(state.kinds)]


def _write_run(run: Run, to: ColumnWriter) -> Json:
    if isinstance(run, KeyList):
        return ["keys", to.data(records.keys_to_bytes(run))]
    if isinstance(run, NumberSegment):
        return [_WORDS[type(run)], *map(to.numbers, run.terms())]
    spellings = run.keys.spellings
    written = [to.numbers(spellings.rows), to.numbers(spellings.codes), list(spellings.suffixes)]
    return ["texts", to.texts(run.keys.texts), written]


def read_dictionary(value: Json, of: ColumnReader) -> tuple[DictionaryState, int]:
    """A dictionary, and how many terms it has; LoadError where an id has no term, or a column is not in order."""
    parts = expect_list(value, 4, "the dictionary")
    runs: list[Run] = []
    starts = [0]
    for written in expect(parts[0], list, "the runs of keys"):
        runs.append(_read_run(written, starts[-1], of))
        starts.append(expect_number(starts[-1] + len(runs[-1]), "the count of terms", 0, _IDS))
    kinds = of.numbers(parts[3], np.uint8, "the kinds of terms")
    if len(kinds) > starts[-1] or (len(kinds) and int(kinds.max()) > TRIPLE_KIND):
        raise DamageError("more than there are terms, or of another kind", part="the kinds of terms")
    index = _read_index(parts[1], runs, of)
    return DictionaryState(tuple(runs), index, _read_ordered(parts[2], runs), kinds), starts[-1]


def _read_run(value: Json, start: int, of: ColumnReader) -> Run:
    what = f"the keys from {start} on"
    word = expect(value, list, what)[:1]
    if word == ["keys"]:
        keys = records.keys_from_bytes(bytes(of.data(expect_list(value, 2, what)[1], what)))
        if len({*map(folded_key, keys)}) != len(keys):
            raise DamageError("a key stands twice", part=what)
        return KeyList(keys)
    if word and isinstance(word[0], str) and word[0] in _WORDS.values():
        return _read_numbers(word[0], value, start, what, of)
    if word != ["texts"]:
        raise DamageError(f"{what} are of an unknown kind")
    texts = of.texts(expect_list(value, 3, what)[1], what)
    if not len(texts):
        raise DamageError("no keys", part=what)
    return Segment(start, FoldedKeys(texts, _read_spellings(value[2], texts, f"the spellings of {what}", of)))


def _read_numbers(word: str, value: Json, start: int, what: str, of: ColumnReader) -> NumberSegment:
    """Integers, the dividends and divisors of quotients, or the bits of doubles, in the order of their numbers."""
    length = 3 if word == "quotients" else 2
    columns = [of.numbers(written, np.int64, what) for written in expect_list(value, length, what)[1:]]
    if not len(columns[0]) or len(columns[0]) != len(columns[-1]):
        raise DamageError("no numbers, or other than divisors", part=what)
    segment = _within(word, start, columns)
    if segment is None:
        raise DamageError("numbers that are too large, or not in order", part=what)
    return segment


def _within(word: str, start: int, columns: list[NDArray[np.int64]]) -> NumberSegment | None:
    match word:
        case "integers":
            return IntegerSegment.within(start, *columns)
        case "quotients":
            return QuotientSegment.within(start, *columns)
    return DoubleSegment.within(start, *columns)


def _read_spellings(value: Json, texts: pa.Array, what: str, of: ColumnReader) -> Spellings:
    parts = expect_list(value, 3, what)
    rows, codes = of.numbers(parts[0], np.int64, what), of.numbers(parts[1], np.int32, what)
    suffixes = tuple(expect(suffix, str, what) for suffix in expect(parts[2], list, what))
    if len(rows) != len(codes) or not bool((rows[1:] > rows[:-1]).all()):
        raise DamageError("not in order, or not one for each row", part=what)
    if len(rows) and (int(rows[0]) < 0 or int(rows[-1]) >= len(texts)):
        raise DamageError("of a row that does not exist", part=what)
    if len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < len(suffixes):
        raise DamageError("none of its suffixes", part=what)
    are_tagged = mask_of(_is_tagged(texts.take(row_column(rows))))
    # Snapshots of versions before had the datatypes of the same column among the suffixes, as those of no row.
    used = [suffixes[code] for code in np.unique(codes).tolist()]
    if not all(suffix.startswith("@") for suffix in used) or not bool(are_tagged.all()):
        raise DamageError("of a term without a tag", part=what)
    return Spellings(rows, codes, suffixes)


def _is_tagged(keys: pa.Array) -> pa.Array:
    return pc.match_substring_regex(keys, '(?s)^".*"@[^"]*$')


def _read_index(value: Json, runs: list[Run], of: ColumnReader) -> HashIndex:
    levels: list[Level] = []
    for parts in expect(value, list, "the index of keys"):
        hashes, identifiers = expect_list(parts, 2, "a level of the index of keys")
        level = Level(
            of.numbers(hashes, np.uint64, "hashes of keys"), of.numbers(identifiers, np.uint32, "the index of keys")
        )
        if len(level.hashes) != len(level.identifiers) or not bool((level.hashes[1:] >= level.hashes[:-1]).all()):
            raise DamageError("hashes that are not in order, or of nothing", part="the index of keys")
        if not _are_in_columns(level.identifiers, runs):
            raise DamageError("an id in a column that no term has", part="the index of keys")
        levels.append(level)
    return HashIndex(tuple(levels))


def _are_in_columns(identifiers: NDArray[np.uint32], runs: list[Run]) -> bool:
    """Whether all are ids of terms that came in columns: these alone are looked up by hashes."""
    lengths = [len(run) for run in runs]
    if not len(identifiers) or int(identifiers.max()) >= sum(lengths):
        return not len(identifiers)
    is_column = np.repeat([isinstance(run, Segment) for run in runs], lengths)
    # By `take`: where memory runs out, an index in brackets may end the process.
    return bool(is_column.take(identifiers).all())


def _read_ordered(value: Json, runs: list[Run]) -> tuple[int, OrderedKeys] | None:
    """The keys that are found by their order: those of one run. That they are in order is looked at where one is looked
    for: out of order, one may not be found."""
    if value is None:
        return None
    found: list[Any] = [run for run in runs if isinstance(run, Segment) and run.first == value]
    if type(value) is not int or not found:
        raise DamageError("the keys in order do not belong to a run")
    return value, OrderedKeys(found[0].keys)
