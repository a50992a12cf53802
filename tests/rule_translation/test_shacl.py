"""Would catch SHACL rules that derive something else than SHACL says, or that are ignored.

The peer is pySHACL, which runs rules again and again until they give nothing new; it shares no code with ours.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import rdflib
from pyshacl import shacl_rules
from rdflib import RDF, RDFS, Graph, Namespace

from kgreason import ReasoningStore, RuleError, RulesWarning, StratificationError
from kgreason.program.parser import parse_program
from kgreason.store.rule_sets import resolve_rules

EX = Namespace("http://example.org/")
PREFIXES = """
@prefix ex: <http://example.org/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
ex: a owl:Ontology ; sh:declare [ sh:prefix "ex" ; sh:namespace "http://example.org/"^^xsd:anyURI ] .
"""
DATA = f"""{PREFIXES}
ex:Square rdfs:subClassOf ex:Rectangle . ex:Rectangle rdfs:subClassOf ex:Figure .
ex:r1 a ex:Rectangle ; ex:width 8 ; ex:height 8 ; ex:next ex:r2 .
ex:r2 a ex:Rectangle ; ex:width 4 ; ex:height 6 ; ex:name "two", "deux"@fr ; ex:next ex:r3 .
ex:r3 a ex:Square ; ex:width 5 ; ex:next ex:r4, ex:p1 .
ex:r4 a ex:Rectangle ; ex:width "wide" ; ex:height 3, 4 ; ex:next ex:r1 ; ex:name "vier" .
ex:p1 a ex:Point ; ex:at ex:r1, ex:r2 ; ex:name "punkt" ; ex:colour ex:red .
ex:p2 a ex:Point ; ex:at ex:p1 .
"""


def rule(body: str, target: str = "sh:targetClass ex:Rectangle", more: str = "") -> str:
    return f"{PREFIXES}\nex:Shape a sh:NodeShape ; {target} ; sh:rule [ {body} ] .\n{more}"


def triple(object: str = "ex:Found", more: str = "", subject: str = "sh:this", predicate: str = "rdf:type") -> str:
    return f"a sh:TripleRule ; sh:subject {subject} ; sh:predicate {predicate} ; sh:object {object} ; {more}"


def query(where: str, template: str = "$this ex:found ?y") -> str:
    return f'a sh:SPARQLRule ; sh:prefixes ex: ; sh:construct """CONSTRUCT {{ {template} }} WHERE {{ {where} }}"""'


def ours(text: str, path: Path) -> set:
    path.write_text(text)
    graph = Graph(store=ReasoningStore(rules=path))
    graph.parse(data=DATA)
    return {*graph.store.inferred}


def peer(text: str) -> set:
    data = Graph().parse(data=DATA)
    found = shacl_rules(data, shacl_graph=Graph().parse(data=text), advanced=True, iterate_rules=True)
    return {(s, p, without_string(o)) for s, p, o, *_ in found} - {*data}


def without_string(term: rdflib.term.Node) -> rdflib.term.Node:
    """A string without its datatype, which is the same term."""
    is_string = isinstance(term, rdflib.Literal) and term.datatype == rdflib.XSD.string
    return rdflib.Literal(str(term)) if is_string else term


def condition(shape: str) -> str:
    return triple(more=f"sh:condition [ a sh:NodeShape ; {shape} ]")


COMPUTED = 'BIND(IRI(CONCAT(STR(?c), "Of", STR(?w))) AS ?d)'
SHAPES = {
    "a guard against itself": rule(
        query("$this ex:next ?y FILTER NOT EXISTS { $this ex:next2 ?y } FILTER NOT EXISTS { $this ex:at ?y }",
              "$this ex:next2 ?y")
    ),
    "a guard against itself and more": rule(
        query("$this ex:next ?y FILTER NOT EXISTS { ?y ex:in ?z . $this a ?z . $this ex:next2 ?y . ?y ex:back $this }",
              "$this ex:next2 ?y . ?y ex:back $this")
    ),
    "a computed class": rule(
        query(f"$this a ?c ; ex:width ?w {COMPUTED} FILTER(!CONTAINS(STR(?c), 'Of'))", "$this a ?d")
    ),
    "a computed property": rule(query(f"$this ?c ?y . ?y ex:width ?w {COMPUTED} FILTER(?c = ex:next)", "$this ?d ?y")),
    "a property that may be the type": rule(
        query("$this ex:height ?h BIND(IF(?h > 3, rdf:type, ex:low) AS ?d)", "$this ?d ex:Class")
    ),
    "a term": rule(triple()),
    "a literal": rule(triple("42", predicate="ex:says")),
    "an explicit target": rule(triple(), "sh:targetNode ex:p1, ex:p2"),
    "subjects": rule(triple(), "sh:targetSubjectsOf ex:at"),
    "objects": rule(triple(), "sh:targetObjectsOf ex:next"),
    "an implicit class": f"{PREFIXES} ex:Rectangle a rdfs:Class, sh:NodeShape ; sh:rule [ {triple()} ] .",
    "two targets": rule(triple(), "sh:targetClass ex:Point, ex:Square"),
    "a class above": rule(triple(), "sh:targetClass ex:Figure"),
    "a path": rule(triple("[ sh:path ex:width ]", predicate="ex:size")),
    "an inverse path": rule(triple("[ sh:path [ sh:inversePath ex:next ] ]", predicate="ex:before")),
    "a sequence": rule(triple("[ sh:path ( ex:next ex:next ) ]", predicate="ex:after")),
    "one or more": rule(triple("[ sh:path [ sh:oneOrMorePath ex:next ] ]", predicate="ex:reaches")),
    "any number": rule(triple("[ sh:path [ sh:zeroOrMorePath ex:next ] ]", predicate="ex:reaches")),
    "at most one": rule(triple("[ sh:path [ sh:zeroOrOnePath ex:next ] ]", predicate="ex:reaches")),
    "alternatives": rule(triple("[ sh:path [ sh:alternativePath ( ex:width ex:height ) ] ]", predicate="ex:size")),
    "paths on both sides": rule(
        triple("[ sh:path ( ex:next ex:width ) ]", "", "[ sh:path ( ex:next ex:next ) ]", "ex:w")
    ),
    "a union": rule(triple("[ sh:union ( [ sh:path ex:width ] ex:one ) ]", predicate="ex:size")),
    "an intersection": rule(
        triple("[ sh:intersection ( [ sh:path ex:width ] [ sh:path ex:height ] ) ]", predicate="ex:side")
    ),
    "deactivated": rule(triple(more="sh:deactivated true")),
    "equal values": rule(condition("sh:property [ sh:path ex:width ; sh:equals ex:height ]")),
    "a shape by its name": rule(
        triple(more="sh:condition ex:Rectangle2, ex:Equal"),
        more="ex:Rectangle2 a sh:NodeShape ; sh:property [ sh:path ex:width ; sh:datatype xsd:integer ; "
        "sh:minCount 1 ; sh:maxCount 1 ], [ sh:path ex:height ; sh:minCount 1 ; sh:maxCount 1 ] . "
        "ex:Equal a sh:NodeShape ; sh:property [ sh:path ex:width ; sh:equals ex:height ] .",
    ),
    "a count": rule(condition("sh:property [ sh:path ex:height ; sh:minCount 1 ; sh:maxCount 1 ]")),
    "two or more": rule(condition("sh:property [ sh:path ex:height ; sh:minCount 2 ]")),
    "none": rule(condition("sh:property [ sh:path ex:name ; sh:maxCount 0 ]")),
    "a datatype": rule(condition("sh:property [ sh:path ex:width ; sh:datatype xsd:integer ]")),
    "a class of values": rule(condition("sh:property [ sh:path ex:next ; sh:class ex:Figure ]")),
    "a kind": rule(condition("sh:property [ sh:path ex:next ; sh:nodeKind sh:IRI ]")),
    "a value": rule(condition("sh:property [ sh:path ex:next ; sh:hasValue ex:r2 ]")),
    "an enumeration": rule(condition("sh:property [ sh:path ex:width ; sh:in ( 8 4 ) ]")),
    "ranges": rule(condition("sh:property [ sh:path ex:width ; sh:minInclusive 5 ; sh:maxExclusive 8 ]")),
    "a pattern": rule(condition('sh:property [ sh:path ex:name ; sh:pattern "^T" ; sh:flags "i" ]')),
    "lengths": rule(condition("sh:property [ sh:path ex:name ; sh:minLength 3 ; sh:maxLength 3 ]")),
    "not": rule(condition("sh:not [ sh:property [ sh:path ex:name ; sh:minCount 1 ] ]")),
    "or": rule(condition("sh:or ( [ sh:class ex:Square ] [ sh:property [ sh:path ex:name ; sh:minCount 1 ] ] )")),
    "and": rule(condition("sh:and ( [ sh:class ex:Square ] [ sh:property [ sh:path ex:width ; sh:minCount 1 ] ] )")),
    "nested": rule(
        condition("sh:property [ sh:path ex:next ; sh:node [ sh:property [ sh:path ex:width ; sh:minCount 1 ] ] ]")
    ),
    "a query": rule(query("$this ex:next ?y")),
    "a filter": rule(query("$this ex:width ?y FILTER (?y > 4 && isNumeric(?y))")),
    "an expression": rule(query("$this ex:width ?w ; ex:name ?n BIND (STRLEN(?n) AS ?y)")),
    "two triples": rule(query("?x ex:at $this", "?x a ex:There . $this ex:has ?x")),
    "a union of patterns": rule(query("{ $this ex:next ?y } UNION { ?y ex:at $this }")),
    "optional": rule(query("$this ex:width ?w OPTIONAL { $this ex:name ?y }", "$this a ex:Wide ; ex:called ?y")),
    "not exists": rule(query("$this ex:next ?y FILTER NOT EXISTS { ?y ex:name ?n }")),
    "exists": rule(query("$this ex:next ?y FILTER EXISTS { ?y ex:name ?n FILTER (?n != 'two') }")),
    "minus": rule(query("$this ex:next ?y MINUS { ?y a ex:Point }")),
    "values": rule(query("$this ex:width ?w VALUES ?y { ex:a ex:b }")),
    "values of what is bound": rule(query("$this ex:next ?y VALUES ?y { ex:r3 ex:r4 }")),
    "a path in a query": rule(query("$this ex:next/ex:next|^ex:at ?y")),
    "transitive in a query": rule(query("$this ex:next+ ?y")),
    "any number in a query": rule(query("$this ex:next* ?z . ?z ex:name ?y")),
    "a class path": rule(query(f"$this a/<{RDFS.subClassOf}>* ?y")),
    "a cast": rule(query("$this ex:width ?w BIND (<http://www.w3.org/2001/XMLSchema#string>(?w) AS ?y)")),
    "a query with a condition": rule(
        f"{query('$this ex:next ?y')} ; sh:condition [ a sh:NodeShape ; sh:class ex:Square ]"
    ),
    "a query of a node": rule(query("$this ex:at ?y"), "sh:targetNode ex:p1"),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_rules_derive_what_pyshacl_derives(name: str, tmp_path: Path) -> None:
    found = ours(SHAPES[name], tmp_path / "rules.ttl")

    assert found == peer(SHAPES[name])
    assert bool(found) == (name not in ("deactivated",))


@pytest.mark.parametrize("name", SHAPES)
def test_text_of_the_rules_reads_back_as_the_same_rules(name: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.ttl"
    path.write_text(SHAPES[name])
    program = resolve_rules(path)

    assert parse_program(str(program)).rules == program.rules
    assert resolve_rules(path).rules == program.rules, "a file is other rules each time it is read"


BASE = "GRAPH <urn:graph:base>"
CHAIN = PREFIXES + "ex:a a ex:Rectangle ; ex:next ex:b . ex:b a ex:Rectangle ; ex:next ex:c . ex:c ex:next ex:d ."


@pytest.mark.parametrize(
    ("where", "template", "expected"),
    [
        ("$this ex:next/ex:next ?y", "$this ex:next ?y", {"a b", "a c", "a d", "b c", "b d", "c d"}),
        (f"{BASE} {{ $this ex:next/ex:next ?y }}", "$this ex:next ?y", {"a b", "a c", "b c", "b d", "c d"}),
        (f"{BASE} {{ $this ex:next+ ?y }}", "$this ex:next ?y", {"a b", "a c", "a d", "b c", "b d", "c d"}),
        (f"$this ex:next ?y FILTER NOT EXISTS {{ {BASE} {{ ?y ex:next ex:d }} }}", "$this ex:next ex:d",
         {"a b", "a d", "b c", "c d"}),
        (f"{BASE} {{ ?y ex:next ?z FILTER NOT EXISTS {{ ?x ex:next ?y }} }}", "$this ex:next ?z",
         {"a b", "b b", "b c", "c d"}),
        (f"{BASE} {{ $this ex:next ?y }} ?y ex:next ?z", "$this ex:next ?z",
         {"a b", "a c", "a d", "b c", "b d", "c d"}),
    ],
)  # fmt: skip
def test_pattern_in_the_base_graph_matches_what_is_asserted(
    where: str, template: str, expected: set[str], tmp_path: Path
) -> None:
    """So such a rule need not be stratified, and does not go on from its own conclusions."""
    (tmp_path / "rules.ttl").write_text(rule(query(where, template)))
    graph = Graph(store=ReasoningStore(rules=tmp_path / "rules.ttl")).parse(data=CHAIN, format="turtle")

    def shown() -> set[str]:
        return {f"{s.rpartition('/')[2]} {o.rpartition('/')[2]}" for s, _, o in graph.triples((None, EX.next, None))}

    assert shown() == expected

    graph.remove((EX.b, EX.next, EX.c))
    graph.add((EX.b, EX.next, EX.c))

    assert shown() == expected


REFUSED = {
    "a JavaScript rule": (rule("a sh:JSRule"), "neither a triple rule nor a SPARQL rule"),
    "no target": (rule(triple(), "sh:name 'x'"), "no target"),
    "a target that is a query": (rule(triple(), "sh:target [ a sh:SPARQLTarget ]"), "sh:target"),
    "a function": (rule(triple("[ ex:f ( 1 ) ]")), "a node expression"),
    "a constraint": (rule(condition("sh:property [ sh:path ex:name ; sh:uniqueLang true ]")), "sh:uniqueLang"),
    "a closed shape": (rule(condition("sh:closed true")), "sh:closed"),
    "a blank node": (rule(query("$this ex:next ?y", "[] ex:of ?y")), "a blank node in the template"),
    "an aggregate": (rule(query("{ SELECT $this (COUNT(?z) AS ?y) { $this ex:next ?z } GROUP BY $this }")), "subquery"),
    "a graph": (rule(query("GRAPH ?g { $this ex:next ?y }")), "GRAPH"),
    "BOUND": (rule(query("$this ex:next ?y OPTIONAL { ?y ex:name ?n } FILTER (!BOUND(?n))")), "bound"),
    "optional and more": (rule(query("OPTIONAL { $this ex:next ?y } ?y ex:name ?n")), "?y of an OPTIONAL"),
    "what nothing binds": (rule(query("$this ex:next ?z")), "nothing binds ?y"),
    "another query": (rule(query("$this ex:next ?y").replace("CONSTRUCT { $this ex:found ?y }", "SELECT *")), "SELECT"),
    "a syntax error": (rule(query("$this ex:next")), "its query (line 1, column"),
    "a new term": (rule(query("$this ex:next ?z BIND (UUID() AS ?y)")), "the function uuid"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_rule_can_say_is_refused_by_the_name_of_its_shape(name: str, tmp_path: Path) -> None:
    text, reason = REFUSED[name]

    with pytest.raises(RuleError) as refusal:
        ours(text, tmp_path / "rules.ttl")

    assert str(refusal.value).startswith(f"{tmp_path}/rules.ttl: rule http://example.org/Shape: ")
    assert reason in str(refusal.value)


def test_rules_that_cannot_be_read_are_all_named_and_may_be_left_out(tmp_path: Path) -> None:
    names = [f"ex:a-rule-with-a-long-name-{number}" for number in range(4)]
    made = f"sh:targetClass ex:A ; sh:rule [ {query('$this a ?c', '_:new a ?c')} ]"
    text = rule(triple()) + "".join(f"{name} a sh:NodeShape ; {made} . " for name in names)
    path = tmp_path / "rules.ttl"
    path.write_text(text)

    with pytest.raises(RuleError, match=r"4 of 5 SHACL rules.*expected sh:deactivated true") as refused:
        ReasoningStore(rules=path)
    assert all(name in str(refused.value) for name in names)
    assert len(ours(text + "".join(f"{name} sh:deactivated true . " for name in names), path)) == 4


def test_rule_that_depends_on_its_own_negation_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rules.ttl"
    path.write_text(rule(query("$this ex:next ?y FILTER NOT EXISTS { $this ex:found ?z }")))

    with pytest.raises(StratificationError, match=r"^rule http://example.org/Shape: the program is not stratifiable"):
        ReasoningStore(rules=path)


def test_rules_that_feed_each_other_run_to_a_fixpoint(tmp_path: Path) -> None:
    text = rule(triple("ex:A"), "sh:targetNode ex:r3", f"""
        ex:S2 a sh:NodeShape ; sh:targetClass ex:A ; sh:rule [ {triple("ex:B", "sh:order 1")} ] .
        ex:S3 a sh:NodeShape ; sh:targetClass ex:B ; sh:rule [ {query("$this ex:next ?y", "?y a ex:A")} ] .""")

    expected = {(EX[name], RDF.type, kind) for name in ("r3", "r4", "p1", "r1", "r2") for kind in (EX.A, EX.B)}
    assert ours(text, tmp_path / "rules.ttl") == expected


def test_long_list_and_deep_shapes_are_read_or_refused(tmp_path: Path) -> None:
    members = " ".join(map(str, range(3_000)))
    found = ours(rule(condition(f"sh:property [ sh:path ex:width ; sh:in ( {members} ) ]")), tmp_path / "rules.ttl")

    assert found == {(EX[name], RDF.type, EX.Found) for name in ("r1", "r2", "r3")}
    with pytest.raises(RuleError, match="nested too deeply"):
        ours(rule(condition("sh:not [ " * 2_000 + "sh:class ex:A" + " ]" * 2_000)), tmp_path / "deep.ttl")


def test_rules_follow_changes_of_the_data(tmp_path: Path) -> None:
    path = tmp_path / "rules.ttl"
    path.write_text(SHAPES["a count"])
    graph = Graph(store=ReasoningStore(rules=path))
    graph.parse(data=DATA)
    found = (EX.r2, RDF.type, EX.Found)

    assert found in graph
    graph.add((EX.r2, EX.height, rdflib.Literal(9)))
    assert found not in graph
    graph.remove((EX.r2, EX.height, None))
    graph.add((EX.r2, EX.height, rdflib.Literal(9)))
    assert found in graph


def test_store_on_disk_keeps_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "rules.ttl"
    path.write_text(SHAPES["a shape by its name"])
    graph = Graph(store=ReasoningStore(rules=path))
    graph.open(str(tmp_path / "store"), create=True)
    graph.parse(data=DATA)
    graph.commit()
    graph.close()
    path.unlink()

    again = Graph(store=ReasoningStore())
    again.open(str(tmp_path / "store"))

    assert {*again.store.inferred} == {(EX.r1, RDF.type, EX.Found)}
    again.close()


def test_shapes_that_are_loaded_as_data_are_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "rules.ttl"
    path.write_text(SHAPES["a count"])

    with pytest.warns(RulesWarning, match="1 SHACL rules were read as data and do not run"):
        ReasoningStore(rules="none").bulk_load(path)
    with pytest.warns(RulesWarning, match="1 SHACL rules"):
        Graph(store=ReasoningStore(rules="none")).parse(path, format="kg-turtle")
    ReasoningStore(rules=path).bulk_load(path)


@pytest.mark.parametrize("seed", range(2))
def test_computed_relations_follow_changes(seed: int, tmp_path: Path) -> None:
    chance, path = random.Random(seed), tmp_path / "rules.ttl"
    path.write_text(
        rule(query("$this a ?c ; ex:in ?p . ?p a ex:Place "
                   "BIND(IRI(CONCAT(STR(?c), 'OfPlace')) AS ?d) FILTER(!CONTAINS(STR(?c), 'Of'))", "$this a ?d"),
             "sh:targetSubjectsOf ex:in",
             more=f"ex:Next a sh:NodeShape ; sh:targetSubjectsOf ex:next ; sh:rule [ "
             f"{query('$this ex:next ?y . ?y a ?c BIND(IRI(CONCAT(STR(?c), STR(1))) AS ?d)', '$this ?d ?y')} ] ."
             f"ex:Back a sh:NodeShape ; sh:targetObjectsOf ex:Meter1 ; sh:rule [ {triple('ex:Place')} ] ."
        )
    )  # fmt: skip
    nodes, kinds = [EX[f"n{i}"] for i in range(5)], [EX.Meter, EX.Sensor, EX.Place]
    changed = Graph(store=ReasoningStore(rules=path))
    known: list[tuple[rdflib.term.Node, ...]] = []
    for _ in range(12):
        for _ in range(chance.choice((1, 1, 3))):
            if known and chance.random() < 0.45:
                changed.remove(known.pop(chance.randrange(len(known))))
            else:
                property = chance.choice((RDF.type, EX["in"], EX["next"]))
                fact = (chance.choice(nodes), property, chance.choice(kinds if property == RDF.type else nodes))
                changed.add(fact)
                known.append(fact)
        known = [*dict.fromkeys(known)]

        assert {*changed.store.inferred} == _constructed(known) - {*known}


def _constructed(facts: list[tuple[rdflib.term.Node, ...]]) -> set:
    """What the rules above make of facts: rdflib's own queries, again and again."""
    graph = Graph()
    graph.addN((*fact, graph) for fact in facts)
    queries = (
        "CONSTRUCT { ?x a ?d } { ?x a ?c ; ex:in ?p . ?p a ex:Place BIND(IRI(CONCAT(STR(?c), 'OfPlace')) AS ?d)"
        " FILTER(!CONTAINS(STR(?c), 'Of')) }",
        "CONSTRUCT { ?x ?d ?y } { ?x ex:next ?y . ?y a ?c BIND(IRI(CONCAT(STR(?c), '1')) AS ?d) }",
        "CONSTRUCT { ?y a ex:Place } { ?x ex:Meter1 ?y }",
    )
    while True:
        size = len(graph)
        for text in queries:
            for fact in list(graph.query(text, initNs={"ex": EX})):
                graph.add(fact)
        if len(graph) == size:
            return {*graph}
