"""Would catch a tool that changes what it is not to change, or a change that is not the one that was proposed."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import RDF, RDFS, Graph, Literal, Namespace

from kgreason.errors import StoreError
from tests.agents.memories import CHANGING, RefusedError, answer, memory_store

EX = Namespace("http://example.org/")


class TestChanges:
    def test_proposal_shows_consequences_and_changes_nothing(self) -> None:
        store = memory_store()
        before = set(Graph(store=store))
        found = answer("propose_change", store, add="ex:ada a ex:Adult .", remove="ex:bob ex:above ex:Q42 .")
        for line in (
            "asserted (1):\n  ex:ada a ex:Adult",
            "no longer asserted (1):\n  ex:bob ex:above ex:Q42",
            "  ex:ada a ex:Parent",
            "follows no longer (1):\n  ex:ada ex:above ex:Q42",
            "It would bring no inconsistency. Nothing was changed.",
        ):
            assert line in found
        assert set(Graph(store=store)) == before

    def test_blank_nodes_that_go_are_shown_by_what_was_said_of_them(self) -> None:
        found = answer("propose_change", update="DROP ALL")
        assert "ex:Parent owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( ex:Adult" in found
        assert "_:" not in found

    def test_triple_that_follows_from_others_is_said_to_stay(self) -> None:
        store = memory_store()
        Graph(store=store).add((EX.ada, EX.above, EX.Q42))
        found = answer("propose_change", store, remove="ex:ada ex:above ex:Q42 .")
        assert "still holds, as it follows: ex:ada ex:above ex:Q42" in found

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("ex:ada ex:age 36", "add:1:17: Unexpected end (expected '.' after a whole triple)"),
            ("ex:ada ex:age 36 .\nex:ada ex:age", "add:2:14: Unexpected end (expected '.' after a whole triple)"),
            ("ex:ada ex:age .", "add:1:15: . is not a valid RDF object"),
            ("ex:a a ex:b .\nex:a nope:b ex:c .", "add:2:6: The prefix nope: has not been declared (known are rdf, "),
        ],
    )
    def test_turtle_that_is_wrong_is_refused_with_its_place(self, text: str, message: str) -> None:
        with pytest.raises(RefusedError) as caught:
            answer("propose_change", add=text)

        assert f"propose_change: {message}" in str(caught.value)

    def test_triple_that_is_removed_and_added_again_does_not_follow(self) -> None:
        made = answer("apply_change", options=CHANGING, add="ex:x a ex:Cat .", remove="ex:x a ex:Cat .")

        assert "ex:x a ex:Cat is removed and added again" in made
        assert "follows" not in made

    def test_change_that_contradicts_is_refused(self) -> None:
        store = memory_store()
        with pytest.raises(RefusedError, match=r"(?s)refused.*nothing was changed.*inconsistent: cax-dw"):
            answer("apply_change", store, CHANGING, add="ex:bob a ex:Cat .")
        assert (EX.bob, RDF.type, EX.Cat) not in Graph(store=store)

        answer("apply_change", store, CHANGING, add="ex:bob a ex:Cat .", despite_inconsistencies=True)
        assert (EX.bob, RDF.type, EX.Cat) in Graph(store=store)
        assert len(store.inconsistencies()) == 1

    def test_change_is_made_by_update_and_by_turtle(self) -> None:
        store = memory_store()
        found = answer(
            "apply_change",
            store,
            CHANGING,
            add='ex:eve rdfs:label "Eve"@en .',
            update="DELETE { ?x ex:child ?y } INSERT { ?y ex:parent ?x } WHERE { ?x ex:child ?y }",
        )
        assert found.endswith("The change was made.")
        graph = Graph(store=store)
        assert (EX.bob, EX.parent, EX.ada) in graph
        assert (EX.ada, EX.child, EX.bob) not in graph
        assert (EX.eve, RDFS.label, Literal("Eve", lang="en")) in graph

    @pytest.mark.parametrize(
        "change",
        [
            {},
            {"add": "ex:a ex:p"},
            {"remove": "[] ex:p ex:b ."},
            {"update": "INSERT DATA { ex:a ex:p }"},
            {"update": "LOAD <http://127.0.0.1:9/x>"},
            {"add": "ex:a ex:p ex:b .", "update": "LOAD <file:///etc/hostname>"},
        ],
    )
    def test_change_that_cannot_be_made_leaves_all_as_it_was(self, change: dict[str, str]) -> None:
        store = memory_store()
        before = set(Graph(store=store))
        with pytest.raises(RefusedError, match=r"Error executing tool apply_change: \S"):
            answer("apply_change", store, CHANGING, **change)
        assert set(Graph(store=store)) == before


def test_change_that_cannot_be_committed_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise StoreError("no room on the disk")

    store = memory_store()
    store.open(str(tmp_path / "store"), create=True)
    monkeypatch.setattr(store, "commit", fails)

    with pytest.raises(RefusedError, match="no room"):
        answer("apply_change", store, CHANGING, add="ex:eve ex:above ex:ada .")

    assert (EX.eve, EX.above, EX.ada) not in Graph(store=store)
