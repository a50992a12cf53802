"""What the first steps of a process import. Catches a module that would make every process wait for what few need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("lark", "pandas", "pyarrow", "pyparsing", "pyspark", "regex", "re2", "scipy", "sqlite3")
FIRST_GRAPH = """
import sys
from rdflib import Graph, RDF, RDFS, URIRef
from kgreason import ReasoningStore
graph = Graph(store=ReasoningStore(rules={rules!r}))
a, b, c = (URIRef("http://example.org/" + name) for name in "abc")
graph.add((a, RDF.type, b))
graph.add((b, RDFS.subClassOf, c))
assert (a, RDF.type, c) in graph
assert len(list(graph.triples((None, RDF.type, None)))) == 2
{then}
print(sorted(set({heavy!r}) & sys.modules.keys()))
"""

ANSWERS = (
    "SELECT ?x WHERE { ?x <urn:p> ?y } ORDER BY DESC(STR(?x)) ?x",
    "SELECT ?n WHERE { ?x <urn:p> ?y BIND(STRLEN(STR(?x)) * 1.5 AS ?n) FILTER(?n > 2) } ORDER BY ?n",
    "SELECT ?t ?m WHERE { ?x <urn:p> ?y BIND(STRLANG(STR(?x), 'en') AS ?t) BIND(IF(?x < <urn:5>, ?x, ?t) AS ?m) }",
    "SELECT ?x ?z WHERE { ?x <urn:p> ?y OPTIONAL { ?y <urn:p> ?z } }",
)

LABELS = (
    "SELECT ?x (UCASE(?l) AS ?u) (REPLACE(?l, 'n(a)', '$1') AS ?r) { ?x rdfs:label ?l FILTER REGEX(?l, 'NA', 'i') }",
    "SELECT ?d (COUNT(*) AS ?n) { ?x <http://example.org/day> ?d } GROUP BY ?d HAVING(?n > 2) ORDER BY ?n",
    "SELECT (YEAR(?d) AS ?y) (GROUP_CONCAT(?l) AS ?all) { ?x <http://example.org/day> ?d ; rdfs:label ?l } GROUP BY ?d",
)


def imported(rules: str, then: str = "") -> str:
    """Which of the heavy modules are there after a first graph."""
    code = FIRST_GRAPH.format(rules=rules, then=then, heavy=HEAVY)
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert finished.stderr == ""
    return finished.stdout.strip()


@pytest.mark.parametrize("rules", ["rdfs", "owl-rl"])
def test_first_graph_imports_nothing_heavy(rules: str) -> None:
    assert imported(rules) == "[]"


def test_first_query_imports_nothing_heavy() -> None:
    query = 'assert len(graph.query("SELECT ?x WHERE { ?x a <http://example.org/c> }")) == 1'

    assert imported("owl-rl", query) == "[]"


@pytest.mark.parametrize("format", ["json", "xml", "csv", "tsv"])
def test_written_answer_imports_nothing_heavy(format: str) -> None:
    query = f'assert graph.query("SELECT ?x WHERE {{ ?x a ?y }}").serialize(format="{format}")'
    assert imported("owl-rl", query) == "[]"


def test_answer_of_a_thousand_rows_imports_no_pandas(tmp_path: Path) -> None:
    path = tmp_path / "data.nt"
    path.write_text("".join(f"<urn:{number}> <urn:p> <urn:o> .\n" for number in range(1000)))
    code = f"graph.store.bulk_load({str(path)!r})\n"
    code += 'assert len([*graph.query("SELECT ?x WHERE { ?x <urn:p> ?y }")]) == 1000\n'
    code += "".join(f"assert len(graph.store.query_table({query!r})) > 200\n" for query in ANSWERS)

    assert "pandas" not in imported("rdfs", code)


def test_texts_that_an_answer_makes_import_no_pandas(tmp_path: Path) -> None:
    """They are looked up among terms of two files, of which nothing is in the order of the ids."""
    for step in (1, 7):
        lines = (f'<urn:{number}> <urn:p> "{number * step}" .\n' for number in range(9000))
        (tmp_path / f"{step}.nt").write_text("".join(lines))
    code = f"graph.store.bulk_load({str(tmp_path)!r})\n"
    code += "assert len([*graph.query(\"SELECT ?x { ?x <urn:p> ?y FILTER(STR(?x) >= 'urn:18') }\")]) > 9000\n"

    assert "pandas" not in imported("rdfs", code)


LATER_QUERIES = (
    "SELECT ?x { ?x ?p ?n FILTER(?n > 4) }",
    "SELECT ?x { ?x ?p ?n FILTER(CONTAINS(STR(?n), '4') && LANG(?n) = 'en') }",
    "SELECT ?n { ?x ?p ?n } ORDER BY DESC(?n) LIMIT 3",
    "SELECT ?p (SUM(?n) AS ?sum) (COUNT(DISTINCT ?x) AS ?count) { ?x ?p ?n } GROUP BY ?p HAVING(MIN(?n) > 1)",
    "SELECT * { ?x a/(<urn:p>|^<urn:p>)* ?y OPTIONAL { ?y <urn:p> ?z } MINUS { ?y <urn:p> 3 } }",
    "SELECT * { VALUES ?x { <urn:1> } { ?x <urn:p> ?y } UNION { ?y <urn:p> ?x } BIND(STRLEN(STR(?y)) + 1 AS ?n) }",
    "ASK { ?x <urn:p> ?y FILTER NOT EXISTS { ?y <urn:p> ?z } }",
    "CONSTRUCT { ?x <urn:q> ?y } WHERE { SELECT DISTINCT ?x ?y { ?x <urn:p> ?y } OFFSET 1 }",
    "DESCRIBE <urn:1>",
)


def test_later_queries_import_no_more_of_the_package(tmp_path: Path) -> None:
    """What a query needs is there since the first one: modules that come later take milliseconds of an answer."""
    (tmp_path / "data.nt").write_text("".join(f'<urn:{number}> <urn:p> "{number}" .\n' for number in range(100)))
    code = f"graph.store.bulk_load({str(tmp_path)!r})\n"
    code += 'list(graph.query("SELECT ?x { ?x a <http://example.org/c> }"))\nbefore = set(sys.modules)\n'
    code += "".join(f'list(graph.query("{query}"))\n' for query in LATER_QUERIES)
    code += 'late = {name for name in set(sys.modules) - before if name.startswith("kgreason")}\n'
    code += "assert not late, late"

    imported("rdfs", code)


WITHOUT_PANDAS = """
import sys
from pathlib import Path

class Refused:
    def find_spec(self, name, path=None, target=None):
        assert name != "pandas", "pandas is imported"

sys.meta_path.insert(0, Refused())
import numpy as np
from rdflib import RDFS, XSD, Graph, Literal, URIRef
from kgreason import ReasoningStore
from kgreason.io.encoded.encoded_writer import write_encoded
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.lookup.best_labels import BestLabels
from kgreason.lookup.label_index import LabelIndex

def opened(**options):
    graph = Graph(store=ReasoningStore(rules="rdfs"))
    graph.open(str(folder / "store"), **options)
    return graph

folder, e = Path(sys.argv[1]), "http://example.org/"
graph = opened(create=True)
for n in range(300):
    graph.add((URIRef(f"{e}{n}"), RDFS.label, Literal(f"name of {n}", "en")))
    graph.add((URIRef(f"{e}{n}"), URIRef(e + "day"), Literal(f"2020-01-{n % 28 + 1:02}", datatype=XSD.date)))
graph.commit()
graph.store.write_snapshot()
graph.store.compact()
graph.close()
graph = opened()
knowledge = graph.store.knowledge_base
assert LabelIndex().find(knowledge, "name of 5")
assert BestLabels.of(knowledge.all(), knowledge.dictionary, "en")
((subjects, predicates, objects), *_) = knowledge.explicit().match(None, None, None)
graphs = [DEFAULT_GRAPH] * len(subjects)
write_encoded(folder, knowledge.dictionary, subjects, predicates, objects, np.array(graphs), DEFAULT_GRAPH)
for query in sys.stdin.read().splitlines():
    for format in ("json", "xml", "csv", "tsv"):
        graph.query(query).serialize(format=format)
    graph.store.query_table(query)
for format in ("nt", "turtle", "xml"):
    graph.serialize(folder / "written", format=format)
"""


def test_a_store_on_disk_its_labels_and_what_is_written_import_no_pandas(tmp_path: Path) -> None:
    """pyarrow imports it for its arrays and scalars: a fifth of a second, where it is installed."""
    finished = subprocess.run(
        [sys.executable, "-c", WITHOUT_PANDAS, str(tmp_path)],
        input="\n".join((*ANSWERS, *LABELS)),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert not finished.returncode, finished.stderr


def test_rules_of_the_user_import_the_parser_alone() -> None:
    """Which imports `regex` itself."""
    text = "@prefix r: <http://www.w3.org/2000/01/rdf-schema#> . [?x, a, ?c] :- [?x, a, ?b], r:subClassOf(?b, ?c) ."

    assert imported(text) == "['lark', 'regex']"
