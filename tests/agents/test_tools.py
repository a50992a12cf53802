"""Would catch a tool that is there and should not be, reasons wrongly, or goes beyond the limits of its owner."""

from __future__ import annotations

import pytest
from rdflib import RDF, Graph, Namespace

from kgreason import ReasoningStore
from kgreason.errors import OptionError
from kgreason_mcp import AgentOptions
from tests.agents.memories import CHANGING, Call, RefusedError, answer, memory_store, with_client

EX = Namespace("http://example.org/")


async def say_nothing(call: Call) -> None:
    """Talk about nothing."""


def test_tool_that_changes_the_store_is_there_only_where_it_is_allowed() -> None:
    readers = with_client(memory_store(), say_nothing)
    assert readers == ["overview", "query", "find", "describe", "explain", "why_not", "check", "propose_change"]
    assert with_client(memory_store(), say_nothing, CHANGING) == [*readers, "apply_change"]


class TestReasoning:
    def test_proof_ends_at_asserted_triples(self) -> None:
        assert answer("explain", subject="ex:ada", predicate="ex:above", object="ex:Q42").splitlines() == [
            "ex:ada ex:above ex:Q42  [prp-trp, a path of 2 steps]",
            "  ex:above a owl:TransitiveProperty  [asserted]",
            "  ex:ada ex:above ex:bob  [asserted]",
            "  ex:bob ex:above ex:Q42  [asserted]",
        ]

    def test_each_of_two_questions_refers_to_the_other(self) -> None:
        with pytest.raises(RefusedError, match="ex:ada a ex:Parent does not hold; why_not says"):
            answer("explain", subject="ex:ada", predicate="a", object="ex:Parent")
        with pytest.raises(RefusedError, match=r"ex:ada ex:above \? holds; explain says why"):
            answer("why_not", subject="ex:ada", predicate="ex:above", object="?")

    def test_what_is_missing_is_named_and_cells_of_lists_are_left_out(self) -> None:
        found = answer("why_not", subject="ex:ada", predicate="a", object="ex:Parent", limit=1)
        assert "cls-int1: missing ex:ada a ex:Adult" in found
        assert "rdf:rest" not in found

    def test_text_in_a_literal_hides_no_line_of_a_proof(self) -> None:
        store = memory_store("@prefix ex: <http://example.org/> . ex:noted(?s, ?o) :- ex:note(?s, ?o) .")
        for text in ('"(a) rdf:first b"', '"1 != 2  [true]"'):
            answer("apply_change", store, CHANGING, add=f"ex:ada ex:note {text} .")
            lines = answer("explain", store, subject="ex:ada", predicate="ex:noted", object=text).splitlines()
            assert lines[1] == f"  ex:ada ex:note {text}  [asserted]"

    def test_triple_that_no_rule_gives_has_to_be_asserted(self) -> None:
        asked = {"subject": "ex:ada", "predicate": "ex:knows", "object": "?"}
        assert answer("why_not", memory_store("none"), **asked).splitlines() == [
            "ex:ada ex:knows ?  [does not hold; rules that could give it: 0]",
            "  no rule gives such a triple: it has to be asserted",
        ]

    def test_check_tells_which_triples_clash(self) -> None:
        store = memory_store()
        assert answer("check", store) == "consistent"
        Graph(store=store).add((EX.felix, RDF.type, EX.Cat))
        Graph(store=store).add((EX.felix, RDF.type, EX.Adult))
        assert set(answer("check", store).splitlines()) == {
            "inconsistencies: 1",
            "cax-dw:",
            "  ex:Cat owl:disjointWith ex:Person  [asserted]",
            "  ex:felix a ex:Cat  [asserted]",
            "  ex:felix a ex:Person  [inferred: explain says why]",
        }


@pytest.mark.parametrize(("name", "limit"), [("timeout", -1.0), ("timeout", float("nan")), ("max_rows", -1)])
def test_limit_that_is_none_is_refused_before_a_call(name: str, limit: float) -> None:
    with pytest.raises(OptionError, match=rf"^{name}={limit} \(expected 0 or more\)$"):
        AgentOptions(**{name: limit})  # type: ignore[arg-type]  # what is refused


def test_call_without_time_says_so_in_its_own_words() -> None:
    with pytest.raises(RefusedError, match=r"describe: the call took longer than 0 s$"):
        answer("describe", options=AgentOptions(timeout=0.0), term="ex:ada")


def test_language_of_labels_is_that_of_the_owner() -> None:
    found = answer("describe", memory_store(), AgentOptions(language="de"), term="ex:ada")
    assert found.splitlines()[0] == 'ex:ada "Ada von Lovelace"'


def test_empty_store_has_an_overview() -> None:
    assert answer("overview", ReasoningStore(rules="none")).startswith("0 asserted and 0 inferred triples")
