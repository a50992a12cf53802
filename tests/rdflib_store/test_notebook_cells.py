"""What notebooks show. Text that gets out of its place, a script, an open end or thousands of rows would be caught."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from rdflib import RDF, RDFS, Graph, Literal, Namespace, URIRef

from kgreason import ReasoningStore
from kgreason.html_fragments import MOST_ROWS
from kgreason.proofs.proof_page import MOST_LINES

EX = Namespace("http://example.org/")
VOID = {"br"}
ALLOWED = {"div", "style", "table", "thead", "tbody", "tr", "th", "td", "p", "details", "summary", "span", "code"}
HOSTILE = "</code></details></div><script>alert(1)</script><img src=x onerror='alert(1)'>\u202e\x1b[31m&lt;"


class Parsed(HTMLParser):
    """HTML as a browser takes it: tags, nesting, and the text outside styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == [], "a tag is left open"
        assert self.tags <= ALLOWED
        assert self.attributes <= {"class", "open"}
        assert not re.search(r"https?://|url\(|@import", re.search("<style>(.*?)</style>", html, re.S)[1])

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text += data


def shown(thing: object) -> Parsed:
    return Parsed(thing._repr_html_())  # type: ignore[attr-defined]  # each has a cell


@pytest.fixture
def graph() -> Graph:
    graph = Graph(store=ReasoningStore(rules="owl-rl"))
    graph.bind("ex", EX)
    graph.add((EX.Dog, RDFS.subClassOf, EX.Animal))
    graph.add((EX.rex, RDF.type, EX.Dog))
    return graph


def test_a_proof_unfolds_and_marks_what_is_asserted(graph: Graph) -> None:
    html = graph.store.explain((EX.rex, RDF.type, EX.Animal))._repr_html_()

    parsed = Parsed(html)
    assert "ex:rex a ex:Animal cax-sco" in parsed.text
    assert html.count("<details open>") == 1
    assert re.findall(r"<code>([^<]*)</code> <span class=\"mark asserted\">asserted", html) == [
        "ex:Dog rdfs:subClassOf ex:Animal",
        "ex:rex a ex:Dog",
    ]
    assert "[?x, rdf:type, ?d] :- [?c, rdfs:subClassOf, ?d], [?x, rdf:type, ?c]" in parsed.text, "the rule itself"


def test_ipython_on_a_terminal_prints_the_text_of_a_proof(graph: Graph) -> None:
    proof, printed = graph.store.explain((EX.rex, RDF.type, EX.Animal)), io.StringIO()
    printed.text = printed.write
    proof._repr_pretty_(printed, False)
    assert printed.getvalue() == str(proof)


def test_a_proof_is_nested_like_its_text(graph: Graph) -> None:
    graph.add((EX.Animal, RDFS.subClassOf, EX.Thing))
    graph.add((EX.owns, RDFS.range, EX.Dog))
    graph.add((EX.ann, EX.owns, EX.fido))
    proof = graph.store.explain((EX.fido, RDF.type, EX.Thing))

    html = proof._repr_html_()

    lines = str(proof).splitlines()
    folds = sum(1 for one, other in pairwise(lines) if indent(other) > indent(one))
    assert html.count("<details") == folds > 1
    assert html.count('<div class="leaf">') == len(lines) - folds


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def test_a_long_proof_shows_its_beginning_and_counts_the_rest() -> None:
    store = ReasoningStore(rules=_conjunction(MOST_LINES + 50))
    graph = Graph(store=store)
    for number in range(MOST_LINES + 50):
        graph.add((EX.a, RDF.type, EX[f"c{number}"]))

    html = store.explain((EX.a, RDF.type, EX.all))._repr_html_()

    assert html.count("<code>") <= MOST_LINES + 1
    assert "... and 51 more" in Parsed(html).text


def _conjunction(count: int) -> str:
    return f"@prefix ex: <{EX}> .\nex:all(?x) :- " + ", ".join(f"ex:c{n}(?x)" for n in range(count)) + " ."


def test_hostile_literals_stay_text() -> None:
    rules = f'@prefix ex: <{EX}> .\n#[name("{HOSTILE[:40]}")]\nex:q(?x, ?y) :- ex:p(?x, ?y) .'
    store = ReasoningStore(rules=[rules, f"@prefix ex: <{EX}> .\nfalse :- ex:q(?x, ?y) ."])
    Graph(store=store).add((EX.a, EX.p, Literal(HOSTILE)))
    branch = store.branch()
    Graph(store=branch).add((EX.b, EX.p, Literal(HOSTILE * 100)))

    for thing in (
        store.explain((EX.a, EX.q, Literal(HOSTILE))),
        store.inconsistencies(),
        store.inconsistencies()[0],
        store.statistics(),
        store,
        branch,
        branch.difference(),
    ):
        parsed = shown(thing)
        assert "\u202e" not in parsed.text
        assert "\x1b" not in parsed.text
    assert "<script>alert(1)</script>" in shown(store.inconsistencies()).text
    assert len(branch._repr_html_()) < 10_000


def test_inconsistencies_are_a_list_that_is_shown(graph: Graph) -> None:
    store = graph.store
    assert store.inconsistencies() == []
    assert "no inconsistencies" in shown(store.inconsistencies()).text

    graph.parse(data=f"<{EX.Dog}> <http://www.w3.org/2002/07/owl#disjointWith> <{EX.Cat}> .", format="nt")
    for number in range(MOST_ROWS + 5):
        graph.add((EX[f"x{number}"], RDF.type, EX.Dog))
        graph.add((EX[f"x{number}"], RDF.type, EX.Cat))

    found = store.inconsistencies()
    assert isinstance(found, list)
    assert "cax-dw" in shown(found[0]).text
    assert "ex:Dog owl:disjointWith ex:Cat" in shown(found[0]).text
    assert "... and 5 more" in shown(found).text
    assert shown(found).text.count("cax-dw") == MOST_ROWS


def test_statistics_are_tables(graph: Graph) -> None:
    for number in range(MOST_ROWS):
        graph.add((EX.a, EX[f"p{number}"], EX.b))
    statistics = graph.store.statistics()

    parsed = shown(statistics)

    assert f"explicit triples{statistics.explicit:,}" in parsed.text
    assert f"... and {len(statistics.relations) - MOST_ROWS} more" in parsed.text


def test_a_branch_shows_what_sets_it_apart(graph: Graph) -> None:
    assert "branch" not in shown(graph.store).text
    branch = graph.store.branch()
    assert "no difference" in shown(branch).text
    assert "no difference" in shown(branch.difference()).text

    work = Graph(store=branch)
    work.add((EX.Animal, RDFS.subClassOf, EX.Thing))
    work.remove((EX.rex, RDF.type, EX.Dog))
    branch.add_rules(f"@prefix ex: <{EX}> . ex:r(?x, ?y) :- ex:s(?x, ?y) .")
    branch.bulk_load(b"<http://e/a> <http://e/b> <http://e/c> .", format="nt", graph=URIRef("http://e/g"))

    text = shown(branch.difference()).text
    for line in (
        "explicit triples added: 2",
        "explicit triples removed: 1",
        "rules added: 1",
        "ex:Animal rdfs:subClassOf ex:Thing",
        "explicit triples added to http://e/g: 1",
    ):
        assert line in text
    assert text in shown(branch).text


def test_answers_are_tables(graph: Graph) -> None:
    graph.add((EX.rex, EX.name, Literal(HOSTILE)))
    result = graph.query("SELECT ?x ?name ?none { ?x ex:name ?name OPTIONAL { ?x ex:none ?none } }")
    parsed = shown(result)
    assert parsed.text.startswith('xnamenoneex:rex"</code></details></div><script>')
    assert len(list(result)) == 1, "rows are read again"
    assert "ex:rex rdf:type" not in parsed.text

    many = graph.query("SELECT * { VALUES ?n { " + "1 " * (MOST_ROWS + 1) + "} }")
    assert shown(many).text.count("xsd:integer") == MOST_ROWS
    assert shown(many).text.endswith("... and more")
    just = graph.query("SELECT * { VALUES ?n { " + "1 " * MOST_ROWS + "} }")
    assert "more" not in shown(just).text


def test_an_answer_that_is_no_table(graph: Graph) -> None:
    assert shown(graph.query("ASK { ?x a ex:Animal }")).text == "true"
    assert shown(graph.query("ASK { ?x a ex:Cat }")).text == "false"
    triples = shown(graph.query("CONSTRUCT { ?x a ex:Pet } { ?x a ex:Dog }")).text
    assert triples.startswith("triples: 1")
    assert "/rex> a <" in triples
