"""Dictionaries with numbers that have no texts, in snapshots: catches a literal that comes back with another id or
another text, and a damaged column of numbers that is taken for one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Graph, Literal, URIRef

from kgreason import ReasoningStore
from kgreason.algebra.local_terms import StoredTerms
from kgreason.dictionary.dictionary import Dictionary
from kgreason.disk.codec import ColumnWriter
from kgreason.disk.snapshot_format.dictionaries import read_dictionary, write_dictionary
from kgreason.errors import DamageError
from tests.dictionary.test_prefixes import keys_of
from tests.disk.test_formats import in_a_file
from tests.thresholds import Tuned, tuning_context

EX = "http://example.org/"


def written(folder: Path, dictionary: Dictionary) -> tuple[Any, Any]:
    """The document of a dictionary, and what reads its columns."""
    columns = ColumnWriter()
    reader = in_a_file(folder, columns, {"dictionary": write_dictionary(dictionary.state(), columns)})
    return reader.document["dictionary"], reader


@given(
    integers=st.lists(st.integers(-(2**53), 2**53), max_size=9),
    quotients=st.lists(st.tuples(st.integers(-99, 99), st.integers(1, 9)), max_size=9),
    doubles=st.lists(st.floats(), max_size=9),
)
def test_numbers_come_back(
    tmp_path_factory: pytest.TempPathFactory, integers: list[int], quotients: list, doubles: list[float]
) -> None:
    with tuning_context() as tuned:
        tuned(SEGMENT_LEAST=1, NUMBERS_LEAST=1)
        dictionary = Dictionary()
        dictionary.encode_key("urn:a")
        terms = StoredTerms(dictionary)
        terms.encode_integers(np.array(integers, dtype=np.int64))
        columns = np.array(quotients, dtype=np.int64).reshape(-1, 2)
        terms.encode_quotients(columns[:, 0], columns[:, 1])
        terms.encode_doubles(np.array(doubles, dtype=np.float64))

    state, count = read_dictionary(*written(tmp_path_factory.mktemp("file"), dictionary))

    again = Dictionary.of_state(state)
    assert count == len(again) == len(dictionary)
    assert keys_of(again) == keys_of(dictionary)
    again._check()


def damaged(name: str) -> Callable[[list], None]:
    """What makes the runs of a dictionary wrong."""

    def edit(runs: list) -> None:
        integers, quotients = runs[1], runs[2]
        if name == "of another kind":
            integers[0] = "numbers"
        elif name == "divisors that are missing":
            quotients.pop()
        elif name == "fewer divisors":
            quotients[2][2] -= 1
        elif name == "no numbers":
            integers[1][2] = 0
        elif name == "out of order":
            integers[1] = quotients[2]
        elif name == "doubles that are zero":
            runs[3][1] = integers[1]
        elif name == "divisors of zero":
            quotients[1], quotients[2] = quotients[2], integers[1]
        else:
            quotients[1] = integers[1]

    return edit


@pytest.mark.parametrize(
    "name", ["of another kind", "divisors that are missing", "fewer divisors", "no numbers", "out of order",
             "divisors of zero", "doubles that are zero", "too large"]
)  # fmt: skip
def test_damaged_numbers_are_refused(name: str, tmp_path: Path, tuned: Tuned) -> None:
    tuned(SEGMENT_LEAST=1, NUMBERS_LEAST=1)
    dictionary = Dictionary()
    dictionary.encode_key("urn:a")
    terms = StoredTerms(dictionary)
    terms.encode_integers(np.array([0, 1, 2**53 - 1]))
    terms.encode_quotients(np.array([1, 1, 1]), np.array([7, 5, 2]))
    terms.encode_doubles(np.array([1.5, 2.5]))
    document, reader = written(tmp_path, dictionary)
    document = json.loads(json.dumps(document))
    damaged(name)(document[0])

    with pytest.raises(DamageError, match="keys from"):
        read_dictionary(document, reader)


def test_a_store_goes_on_with_its_numbers(tmp_path: Path, tuned: Tuned) -> None:
    tuned(SEGMENT_LEAST=4, NUMBERS_LEAST=4)
    rules = f"@prefix e: <{EX}> .\n[?x, e:sum, #sum(?y)], [?x, e:avg, #avg(?y)] :- [?x, e:p, ?y] ."
    lines = [f'<{EX}n{n % 7}> <{EX}p> "{n}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n' for n in range(40)]
    (tmp_path / "some.nt").write_text("".join(lines))
    with ReasoningStore(rules=rules) as store:
        store.open(str(tmp_path / "store"), create=True)
        store.bulk_load(tmp_path / "some.nt")
        store.commit()
        before = {*Graph(store=store)}
        store.commit()
        store.write_snapshot()
    with ReasoningStore() as store:
        store.open(str(tmp_path / "store"))
        graph = Graph(store=store)
        assert {*graph} == before
        graph.add((URIRef(EX + "n0"), URIRef(EX + "p"), Literal(-105)))
        assert {*graph.objects(URIRef(EX + "n0"), URIRef(EX + "sum"))} == {Literal(0)}
        store.commit()
    with ReasoningStore() as store:
        store.open(str(tmp_path / "store"))
        graph = Graph(store=store)
        assert {*graph.objects(URIRef(EX + "n0"), URIRef(EX + "sum"))} == {Literal(0)}
        assert len(graph) == len(before) + 1
