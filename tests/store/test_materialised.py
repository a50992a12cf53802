"""Encoded triples and what was derived from them, loaded together: as if the store had derived it, or refused.

Would catch closures that are read wrongly, what follows without being taken over or the other way round, a directory
that is believed although it belongs to other triples, other rules or another version, and damage that nobody notices.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyroaring import BitMap

from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError, LoadError
from kgreason.io.encoded.label_tables import CLOSURES, DEFINITIONS
from kgreason.io.encoded.manifest import DICTIONARY, MANIFEST, TRIPLES
from kgreason.store import state_changes
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from tests.facade import Follower, triples
from tests.inferred_directories import change_definitions, change_origin, forge, write_pair
from tests.spark.cases import CASES, GRAPH, local

SKOS = "@prefix s: <http://www.w3.org/2004/02/skos/core#> . " + GRAPH
THESAURUS = "".join(f"e:c{n} s:broader e:c{n // 2} . " for n in range(1, 40)) + (
    "e:c3 s:narrower e:c20 . e:c9 s:broader e:c18 . e:c4 s:related e:c7 . e:c5 s:exactMatch e:d5 . "
    "e:d5 s:exactMatch e:x5 . e:c6 s:inScheme e:all . e:c1 s:topConceptOf e:all . "
)
ALL = {**CASES, "thesaurus": ("skos", SKOS.removesuffix(GRAPH) + THESAURUS)}
CLOSED = "what is made of closures"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    return write_pair(tmp_path, local(*ALL[CLOSED]))


@pytest.fixture
def underived(pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """No change is maintained in this test: what is there was taken over."""

    def refuse(*_: object) -> None:
        raise AssertionError("something is derived")

    monkeypatch.setattr(state_changes, "apply_to_engine", refuse)


def empty(name: str = CLOSED) -> KnowledgeBase:
    return KnowledgeBase(local(*ALL[name]).program)


def derived(name: str = CLOSED) -> KnowledgeBase:
    return local(*ALL[name])


def assert_same(found: KnowledgeBase, expected: KnowledgeBase) -> None:
    found._check()
    assert triples(found, found.all()) == triples(expected, expected.all())
    assert triples(found, found.explicit()) == triples(expected, expected.explicit())
    assert triples(found, found.inferred()) == triples(expected, expected.inferred())


@pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")
@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("name", ALL)
def test_it_is_as_if_the_store_had_derived_it(tmp_path: Path, name: str, pairs: bool) -> None:
    """Also after changes, of which each is made in both."""
    expected = derived(name)
    directories = write_pair(tmp_path, expected, pairs=pairs)
    # Blank nodes of a document are others each time that it is read.
    expected = KnowledgeBase(expected.program)
    expected.bulk_load(directories[0])
    found = empty(name)
    follower = Follower(found)
    report = found.bulk_load(*directories)
    assert not report.notes
    assert follower.triples == triples(found, found.all())
    assert_same(found, expected)
    sizes = [{(r.name, r.scheme, r.facts) for r in base.statistics().relations} for base in (found, expected)]
    assert sizes[0] == sizes[1]
    rng = random.Random(name)
    terms = sorted(triples(found, found.explicit()), key=str)
    for _ in range(25):
        subject, predicate, object = rng.choice(terms)
        is_removed = rng.random() < 0.5
        subject = subject if is_removed else rng.choice(terms)[0]
        for base in (found, expected):
            change = base.remove if is_removed else base.add
            change(DEFAULT_GRAPH, *map(base.dictionary.encode, (subject, predicate, object)))
        assert_same(found, expected)
        assert follower.triples == triples(found, found.all())


@pytest.mark.usefixtures("underived")
@pytest.mark.parametrize("way", ["in order", "the other way round", "their folder"])
def test_both_are_given_in_any_way(pair: tuple[Path, Path], way: str) -> None:
    base = empty()
    given = {"in order": pair, "the other way round": pair[::-1], "their folder": (pair[0].parent,)}[way]
    report = base.bulk_load(*given)
    assert base.inferred().count()
    assert {Path(file.source).name for file in report.files} == {"encoded", "inferred"}
    assert report.triples == base.explicit().count() + next(f.triples for f in report.files if "inferred" in f.source)


@pytest.mark.usefixtures("underived")
def test_explicit_triples_go_to_the_graph_that_is_asked_for(pair: tuple[Path, Path]) -> None:
    base = empty()
    graph = base.dictionary.encode_key("http://example.org/graph")
    base.bulk_load(*pair, graph=graph)
    assert base.graphs() == [graph]
    assert base.inferred().count()


def assert_refused(base: KnowledgeBase, paths: tuple[Path, ...], reason: str) -> None:
    before = triples(base, base.all())
    with pytest.raises(LoadError, match=reason) as caught:
        base.bulk_load(*paths)
    assert "\n" not in str(caught.value)
    assert triples(base, base.all()) == before
    base._check()


def test_the_second_alone_says_what_it_needs(pair: tuple[Path, Path]) -> None:
    place = f"what follows from the triples of {pair[0]} .*; load that directory with it"
    assert_refused(empty(), pair[1:], f"{pair[1]}: holds {place}")


def test_the_second_with_another_first_is_refused(pair: tuple[Path, Path], tmp_path: Path) -> None:
    other, _ = write_pair(tmp_path / "other", local(*ALL["values"]))
    assert_refused(empty(), (other, pair[1]), f"expected those of {other}")


def test_what_cannot_be_taken_over_is_derived_with_a_note(pair: tuple[Path, Path], tmp_path: Path) -> None:
    expected = derived()
    more = tmp_path / "more.nt"
    more.write_text("<http://example.org/n5> <http://example.org/p> <http://example.org/n6> .\n")

    def assert_noted(base: KnowledgeBase, reason: str, *paths: Path) -> None:
        (note,) = base.bulk_load(*pair, *paths).notes
        assert note == f"{pair[1]}: not used, because {reason}; what follows is derived again"

    full = empty()
    full.bulk_load(more)
    assert_noted(full, "the store has other triples")
    together = empty()
    assert_noted(together, "other files were loaded with it", more)
    assert_same(full, together)
    again = empty()
    again.bulk_load(*pair)
    assert_noted(again, "the store has other triples")
    assert_same(again, expected)
    other = KnowledgeBase("rdfs")
    assert_noted(other, "the store has other rules")
    assert_same(other, loaded("rdfs", pair[0]))
    change_origin(pair[1], version="0.0.1")
    old = empty()
    assert_noted(old, "version 0.0.1 of kgreason derived it")
    assert_same(old, expected)


def loaded(rules: str, path: Path) -> KnowledgeBase:
    base = KnowledgeBase(rules)
    base.bulk_load(path)
    return base


def test_other_strategies_and_schemes_take_it_over(pair: tuple[Path, Path]) -> None:
    for options in ({"schemes": "plain"}, {"strategy": "plain"}):
        expected = derived()
        base = KnowledgeBase(expected.program, **options)
        assert not base.bulk_load(*pair).notes
        assert_same(base, expected)
        for triple in sorted(triples(base, base.explicit()), key=str)[:5]:
            for each in (base, expected):
                each.remove(DEFAULT_GRAPH, *map(each.dictionary.encode, triple))
            assert_same(base, expected)


def test_more_than_the_budget_allows_is_refused(pair: tuple[Path, Path]) -> None:
    base = KnowledgeBase(derived().program, budget=Budget(facts=2))
    with pytest.raises(BudgetError):
        base.bulk_load(*pair)
    assert base.is_empty
    assert not triples(base, base.all())


# -- damage ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_file_that_is_damaged_is_named(pair: tuple[Path, Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    files = [path.relative_to(pair[1]) for path in pair[1].rglob("*") if path.is_file() and path.name != MANIFEST]
    assert {file.parts[0] for file in files} == {DICTIONARY, TRIPLES, CLOSURES, DEFINITIONS}
    for file in files:
        shutil.copytree(pair[1], copy)
        content = bytearray((copy / file).read_bytes())
        content[len(content) // 2] ^= 1
        (copy / file).write_bytes(content)
        assert_refused(empty(), (pair[0], copy), f"{copy / file}: its SHA-256 is not the one in")
        (copy / file).unlink()
        assert_refused(empty(), (pair[0], copy), f"{copy / file}: (manifest.json names it, and it )?cannot be read")
        shutil.rmtree(copy)


def replaced(column: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[pa.Table], pa.Table]:
    def changed(table: pa.Table) -> pa.Table:
        numbers = change(table[column].to_numpy().copy())
        return table.set_column(table.schema.get_field_index(column), column, pa.array(numbers))

    return changed


def first_is(number: int) -> Callable[[np.ndarray], np.ndarray]:
    def change(numbers: np.ndarray) -> np.ndarray:
        numbers[0] = number
        return numbers

    return change


def fewer_labels(table: pa.Table) -> pa.Table:
    sets = [BitMap.deserialize(text) for text in table["labels"].to_pylist()]
    largest = max(range(len(sets)), key=lambda at: len(sets[at]))
    sets[largest].remove(sets[largest].max())
    return table.set_column(2, "labels", pa.array([each.serialize() for each in sets]))


WRONG_TABLES = {
    "an id that there is not": (TRIPLES, replaced("subject", first_is(99_999)), "the id 99999 is not that of a term"),
    "a negative id": (TRIPLES, replaced("object", first_is(-1)), "the id -1 is not that of a term"),
    "a node that there is not": ("closures/nodes", replaced("node", first_is(99_999)), "the id 99999 is not"),
    "an edge that there is not": ("closures/edges", replaced("object", first_is(99_999)), "the id 99999 is not"),
    "an edge missing": ("closures/edges", lambda table: table.slice(1), "the labels of .*: "),
    "a label twice": ("closures/nodes", replaced("label", first_is(1)), "labels of relation .* are not 0, 1, 2"),
    "other components": ("closures/nodes", replaced("component", lambda n: n * 0), "the labels of .*: the components"),
    "a label too few": ("closures/reached", fewer_labels, "the labels of .*: component .* this is not a closure"),
    "a set missing": ("closures/reached", lambda table: table.slice(1), "the labels of .*: there is not one set"),
    "no sets": ("closures/reached", lambda table: table.slice(0, 0), "the labels of .*: there is not one set"),
    "no nodes": ("closures/nodes", lambda table: table.slice(0, 0), "the labels of .*: the nodes are not"),
    "numbers for sets": (
        "closures/reached", lambda table: table.set_column(2, "labels", table["component"]), "the columns are not"
    ),
    "a column missing": ("closures/nodes", lambda table: table.drop(["label"]), "there is no column label"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_TABLES)
def test_tables_that_are_wrong_are_refused(pair: tuple[Path, Path], name: str) -> None:
    section, change, reason = WRONG_TABLES[name]
    forge(pair[1], section, change)
    assert_refused(empty(), pair, f"{pair[1]}.*{reason}")


def changed_first(**changes: object) -> Callable[[list], list]:
    """Change the first definition with labels."""

    def change(definitions: list) -> list:
        first = next(each for each in definitions if each["labels"] is not None)
        return [{**each, **changes} if each is first else each for each in definitions]

    return change


def circular(definitions: list) -> list:
    member = next(each for each in definitions if each["sources"])
    return [{**each, "sources": member["members"]} if each is member else each for each in definitions]


WRONG_DEFINITIONS: dict[str, tuple[Callable[[list], object], str]] = {
    "no list": (lambda definitions: 7, "no definitions of relations"),
    "no members": (changed_first(members=[]), "a definition has no members"),
    "a kind that there is not": (changed_first(closure="magic"), "a definition is 'magic'"),
    "labels that there are not": (changed_first(labels=12345), "there are no labels of relation 12345"),
    "labels that are no number": (changed_first(labels="x"), "no definitions of relations"),
    "no labels": (changed_first(labels=None), "has no labels"),
    "a relation that no rule mentions": (
        changed_first(members=[{"relation": "odd", "kind": "auxiliary", "arity": 2, "inverse": False}]),
        "no rule mentions the relation odd",
    ),
    "a circle": (circular, "definitions lead back to themselves"),
}


@pytest.mark.parametrize("name", WRONG_DEFINITIONS)
def test_definitions_that_are_wrong_are_refused(pair: tuple[Path, Path], name: str) -> None:
    change, reason = WRONG_DEFINITIONS[name]
    change_definitions(pair[1], change)
    assert_refused(empty(), pair, f"{pair[1]}.*{reason}")


def test_facts_of_a_scheme_that_do_not_follow_are_refused(tmp_path: Path) -> None:
    rules = "e:t(?x, ?z) :- e:t(?x, ?y), e:t(?y, ?z) . e:t(?x, ?y) :- e:p(?x, ?y) ."
    base = local(rules, "e:a e:p e:b . e:b e:p e:c . e:c e:p e:d .")
    directories = write_pair(tmp_path, base, pairs=True)
    forge(directories[1], TRIPLES, lambda table: table.slice(1))
    reason = f"{directories[1]}: what is there of .*/t> is not what follows"
    assert_refused(KnowledgeBase(base.program), directories, reason)
