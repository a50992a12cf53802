"""Terms that only a change had that came to nothing are forgotten: they cost no memory, are in no commit, and no reader
who still holds their ids sees other terms under them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rdflib import OWL, RDF, RDFS, Literal

from kgreason import KGReasonError
from tests.rdflib_store.forgotten_term_cases import EX, FACT, keys, many, opened


@pytest.mark.parametrize("with_snapshot", [False, True])
def test_commit_after_a_rollback_has_only_its_own_terms(tmp_path: Path, with_snapshot: bool) -> None:
    graph = opened(tmp_path)
    store = graph.store
    graph.add(FACT)
    graph.commit()
    before = keys(store)
    if with_snapshot:
        store.write_snapshot()

    file = tmp_path / "many.nt"
    file.write_text("".join(f"<urn:s{number}> <urn:p> \"{number}\" .\n" for number in range(20_000)))
    store.bulk_load(file)
    for triple in many("dropped"):
        graph.add(triple)
    assert len(graph) == 20_051
    graph.rollback()
    assert keys(store) == before
    graph.add((EX.tom, EX.likes, Literal("dropped 7")))
    graph.commit()
    graph.close()

    again = opened(tmp_path)
    assert set(again) == {FACT, (EX.tom, EX.likes, Literal("dropped 7"))}
    assert keys(again.store) == before | {'"dropped 7"'}
    again.store.knowledge_base._check()


def test_snapshot_and_log_agree_on_the_terms_of_changes_that_came_to_nothing(tmp_path: Path) -> None:
    graph = opened(tmp_path)
    graph.add(FACT)
    graph.commit()
    known = len(keys(graph.store))
    # Interned by reading it, and in the snapshot.
    graph.query("SELECT * FROM NAMED <urn:named> { GRAPH <urn:named> { ?s ?p ?o } }")
    graph.store.write_snapshot()
    for name in ("first", "second"):
        for triple in many(name):
            graph.add(triple)
        len(graph)
        graph.rollback()
    graph.add((EX.tom, EX.likes, Literal("first 7")))
    graph.commit()
    graph.close()

    again = opened(tmp_path)
    assert set(again) == {FACT, (EX.tom, EX.likes, Literal("first 7"))}
    assert len(keys(again.store)) <= known + 2


def test_terms_that_rules_name_outlive_a_rollback(tmp_path: Path) -> None:
    graph = opened(tmp_path)
    graph.add(FACT)
    graph.commit()
    # A rule about rdf:type as a property stays where the axiom is taken away again.
    graph.add((RDF.type, RDFS.domain, EX.Typed))
    graph.add((EX.tom, RDF.type, EX.Cat))
    assert (EX.tom, RDF.type, EX.Typed) in graph
    graph.rollback()
    for triple in many("other"):
        graph.add(triple)
    graph.add((EX.tom, RDF.type, EX.Cat))
    assert set(graph.objects(EX.tom, RDF.type)) == {EX.Cat}
    graph.add((RDF.type, RDFS.domain, EX.Typed))
    assert set(graph.objects(EX.tom, RDF.type)) == {EX.Cat, EX.Typed}
    graph.store.knowledge_base._check()


@pytest.mark.parametrize("seed", range(4))
def test_random_history_of_changes_that_stay_and_that_do_not(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    graph = opened(tmp_path, strict=True)
    committed: set[Any] = set()
    now: set[Any] = set()
    held: list[tuple[Iterator[Any], set[Any]]] = []
    number = 0
    for _ in range(40):
        match chance.choice(["add", "add", "remove", "commit", "roll back", "fail", "snapshot", "reopen", "hold"]):
            case "add":
                number += 1
                fresh = set(many(f"n{number}-", chance.choice([1, 3, 40])))
                graph.addN((*triple, graph) for triple in fresh)
                now |= fresh
            case "remove" if now:
                triple = chance.choice(sorted(now))
                graph.remove(triple)
                now.discard(triple)
            case "commit":
                graph.commit()
                committed = set(now)
            case "roll back":
                graph.rollback()
                now = set(committed)
            case "fail":
                len(graph)
                number += 1
                graph.addN((*triple, graph) for triple in many(f"f{number}-"))
                graph.add((EX[f"c{number}"], OWL.unionOf, EX[f"l{number}"]))
                graph.add((EX[f"l{number}"], RDF.first, EX[f"m{number}"]))
                with pytest.raises(KGReasonError, match="cut off"):
                    len(graph)
            case "snapshot":
                graph.commit()
                committed = set(now)
                graph.store.write_snapshot()
            case "reopen":
                graph.close()
                committed = set(now)
                graph = opened(tmp_path, strict=True)
            case "hold":
                rows = graph.store.triples((None, None, None), graph)
                held.append(((triple for triple, _ in rows), set(now)))
                held.append((iter(graph.query("SELECT ?s ?p ?o { ?s ?p ?o }")), set(now)))
        assert set(graph) == now
        assert not any(key.startswith(str(EX) + "f") for key in keys(graph.store))
    graph.store.knowledge_base._check()
    graph.rollback()
    graph.store.knowledge_base._check()
    assert set(graph) == committed
    for rows, expected in held:
        assert {tuple(row) for row in rows} == expected
