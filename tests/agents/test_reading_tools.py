"""Would catch a tool that answers a question wrongly, or with more than an agent can read."""

from __future__ import annotations

import pytest
from rdflib import RDFS, Graph, Literal, Namespace

from kgreason_mcp import AgentOptions
from kgreason_mcp.short_answers import MOST_CHARACTERS
from tests.agents.memories import CHANGING, RefusedError, answer, memory_store

EX = Namespace("http://example.org/")


class TestReading:
    def test_overview_has_sizes_prefixes_and_relations(self) -> None:
        lines = answer("overview").splitlines()
        store = memory_store()
        assert lines[0].startswith(f"{len(store.explicit)} asserted and {len(store.inferred)} inferred triples")
        assert "ex: <http://example.org/>" in lines[1]
        assert "foaf" not in lines[1]
        assert lines[2] == "classes, by members: ex:Person 2"
        assert lines[3] == "properties, by triples: ex:above 3, ex:child 1"

    def test_rows_are_shown_with_prefixes_up_to_the_limit(self) -> None:
        sparql = "SELECT ?x ?y { ?x ex:above ?y } ORDER BY ?x ?y"
        assert answer("query", sparql=sparql).splitlines() == [
            "?x | ?y",
            "ex:ada | ex:Q42",
            "ex:ada | ex:bob",
            "ex:bob | ex:Q42",
            "(3 rows)",
        ]
        assert answer("query", sparql=sparql, limit=1).splitlines()[1:] == [
            "ex:ada | ex:Q42",
            "(1 row, and more: raise the limit or ask more precisely)",
        ]
        assert answer("query", sparql=sparql, inferred=False).endswith("(2 rows)")

    @pytest.mark.parametrize(
        ("sparql", "expected"),
        [
            ("ASK { ex:ada ex:above ex:Q42 }", "yes"),
            ("ASK { ex:Q42 ex:above ex:ada }", "no"),
            ("CONSTRUCT WHERE { ?x ex:child ?y }", "ex:ada ex:child ex:bob .\n(1 triple)"),
            ("SELECT ?x { ?x ex:none ?y }", "?x\n(0 rows)"),
        ],
    )
    def test_other_forms_of_queries_have_short_answers(self, sparql: str, expected: str) -> None:
        assert answer("query", sparql=sparql) == expected

    @pytest.mark.parametrize(
        "sparql",
        [
            "SELEC",
            "SELECT * { ?x unknown:p ?y }",
            "INSERT DATA { ex:a ex:p ex:b }",
            "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        ],
    )
    def test_query_that_cannot_be_answered_says_why(self, sparql: str) -> None:
        with pytest.raises(RefusedError, match=r"Error executing tool query: \S"):
            answer("query", sparql=sparql)

    def test_long_query_ends_in_time(self) -> None:
        endless = "SELECT * { " + " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(5)) + " }"
        with pytest.raises(RefusedError, match=r"longer than|more than"):
            answer("query", options=AgentOptions(timeout=0.5, max_rows=100_000), sparql=endless)

    def test_term_is_found_by_its_label(self) -> None:
        assert answer("find", text="lovelace") == 'ex:ada "Ada Lovelace" (ex:Person)'
        assert answer("find", text="nobody").startswith("no label has words")

    @pytest.mark.parametrize("end", ["\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\u202e"])
    def test_label_does_not_forge_lines(self, end: str) -> None:
        store = memory_store()
        label = f'ufo{end}ex:bob "Bob'
        Graph(store=store).add((EX.ufo, RDFS.label, Literal(label)))
        Graph(store=store).add((EX.ada, EX.note, EX.ufo))
        shown = r'\"Bob"'
        calls = [
            ("find", {"text": "ufo"}, 1),
            ("describe", {"term": "ex:ufo"}, 5),
            ("query", {"sparql": "SELECT ?l { ex:ufo rdfs:label ?l }"}, 3),
            ("query", {"sparql": "CONSTRUCT WHERE { ex:ufo rdfs:label ?l }"}, 2),
            ("propose_change", {"remove": "ex:ada ex:note ex:ufo .", "update": "DELETE WHERE { ex:ufo ?p ?l }"}, 4),
        ]
        for tool, arguments, count in calls:
            text = answer(tool, store, **arguments)
            assert shown in text
            assert len(text.splitlines()) == count, text
            assert end == "\n" or end not in text
        [proof] = answer(
            "explain", store, subject="ex:ufo", predicate="rdfs:label", object=Literal(label).n3().replace("\n", r"\n")
        ).splitlines()[:1]
        assert proof.endswith(f"{shown}  [asserted]")

    def test_description_tells_asserted_from_inferred(self) -> None:
        assert sorted(answer("describe", term="ex:bob").splitlines()) == [
            "  a ex:Person",
            '  ex:above ex:Q42 "Cem"',
            "  ex:ada ex:above ex:bob",
            "  ex:ada ex:child ex:bob",
            "asserted of others with it:",
            "asserted:",
            "ex:bob",
        ]
        lines = answer("describe", term="http://example.org/ada").splitlines()
        assert '  ex:above ex:Q42 "Cem"' in lines[lines.index("inferred:") :]
        assert answer("describe", term="ex:unheard-of").endswith("nothing is known of it")

    @pytest.mark.parametrize("term", ["nowhere:x", "ex:a . ex:b ex:c ex:d", "<not an iri", "[]", '"open', ""])
    def test_text_that_is_no_term_is_refused(self, term: str) -> None:
        with pytest.raises(RefusedError, match="Error executing tool describe"):
            answer("describe", term=term)

    def test_answer_about_much_is_cut(self) -> None:
        store = memory_store("none")
        graph = Graph(store=store)
        for number in range(300):
            graph.add((EX.long, EX.p, Literal(f"{number} {'x' * 200}")))
        found = answer("query", store, sparql="SELECT * { ex:long ?p ?o }", limit=200)
        assert len(found) < MOST_CHARACTERS + 100
        assert found.endswith("... (cut here: ask for less, or more precisely)")


    def test_long_term_does_not_hide_what_else_there_is(self) -> None:
        store = memory_store()
        Graph(store=store).add((EX.ada, EX.note, Literal("y" * 1_000_000)))
        found = answer("describe", store, term="ex:ada")
        assert "y... (1,000,002 characters)" in found
        assert "ex:child ex:bob" in found

    def test_line_that_is_too_long_is_shown_as_far_as_it_goes(self) -> None:
        found = answer("query", sparql=f"SELECT (1 AS ?{'v' * 20_000}) {{}}")
        assert found.startswith("?vvv")
        assert len(found) < MOST_CHARACTERS + 100

    @pytest.mark.parametrize("term", ["x" * 100_000, f'"{"y" * 100_000}"', "<<( " * 3_000])
    def test_refusal_is_as_short_as_an_answer(self, term: str) -> None:
        with pytest.raises(RefusedError) as caught:
            answer("explain", subject="ex:ada", predicate="ex:above", object=term)
        assert len(str(caught.value)) < MOST_CHARACTERS + 100

    def test_text_with_a_lone_surrogate_is_refused_by_name(self) -> None:
        for tool, name in (("describe", "term"), ("find", "text"), ("query", "sparql"), ("propose_change", "add")):
            with pytest.raises(RefusedError, match=f"{name}: it has a lone surrogate"):
                answer(tool, **{name: "\ud800"})

    @pytest.mark.parametrize("term", ["ex:a\nrefused", "ex:a . ex:b ex:c\u202eex:d", "x" * 20_000, '"y"@\x1b[2J'])
    def test_refusal_of_a_term_is_one_line_with_the_reason(self, term: str) -> None:
        for tool, arguments in (("describe", {"term": term}), ("why_not", dict.fromkeys(("subject", "object"), term))):
            with pytest.raises(RefusedError, match=r": \S|is not one term \(expected") as caught:
                answer(tool, **{"predicate": "a", **arguments} if tool == "why_not" else arguments)
            assert str(caught.value).isprintable()
            assert not str(caught.value).endswith("characters)")

    @pytest.mark.parametrize(
        ("tool", "arguments", "expected"),
        [
            ("query", {"sparql": "ASK {}", "limit": 0}, "limit: 0 (input should be greater than or equal to 1)"),
            ("query", {}, "sparql: field required"),
            ("describe", {"term": ["ex:ada"]}, "term: ['ex:ada'] (input should be a valid string)"),
            (
                "check",
                {"limit": "a\nb"},
                r"limit: 'a\nb' (input should be a valid integer, unable to parse string as an integer)",
            ),
            (
                "why_not",
                {"subject": "?", "predicate": None, "object": 5},
                "predicate: None (input should be a valid string); object: 5 (input should be a valid string)",
            ),
            ("overview", {"limit": 5}, "limit: no argument of this tool (expected none)"),
            (
                "query",
                {"sparql": "ASK {}", "infered": False},
                "infered: no argument of this tool (expected sparql, limit, inferred)",
            ),
            (
                "propose_change",
                {"add": "ex:a a ex:B .", "remov\ned": "ex:a a ex:C ."},
                r"remov\u000Aed: no argument of this tool (expected add, remove, update, limit)",
            ),
        ],
    )
    def test_argument_of_the_wrong_type_is_refused_by_name(
        self, tool: str, arguments: dict[str, object], expected: str
    ) -> None:
        with pytest.raises(RefusedError) as caught:
            answer(tool, **arguments)
        assert str(caught.value) == f"Error executing tool {tool}: {expected}"

    def test_refusal_of_a_long_argument_is_short(self) -> None:
        with pytest.raises(RefusedError, match=r"^Error executing tool find: text: \['x.*\(input should be") as caught:
            answer("find", text=["x" * 100_000])
        assert len(str(caught.value)) < 2_000

    @pytest.mark.parametrize(
        ("prefix", "namespace"),
        [("x.", "http://e/"), ("_", "http://e/"), ("x", "rel/"), ("x", "http://e/> . <a:> <a:> <a:> . #")],
    )
    def test_prefix_that_turtle_cannot_have_is_left_out(self, prefix: str, namespace: str) -> None:
        store = memory_store()
        Graph(store=store).bind(prefix, namespace)
        assert answer("describe", store, term="ex:bob").startswith("ex:bob")
        assert "asserted (1):" in answer("apply_change", store, CHANGING, add="ex:a ex:p ex:b .")
        assert f" {prefix}: <" not in answer("overview", store)

    def test_triple_term_has_prefixes(self) -> None:
        store = memory_store()
        term = "<<( ex:s ex:p <<( ex:s a ex:c )>> )>>"
        answer("apply_change", store, CHANGING, add=f"ex:x ex:q {term} .")
        assert f"  ex:q {term}" in answer("describe", store, term="ex:x")
