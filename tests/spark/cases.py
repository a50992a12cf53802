"""Small programs with data, each for a way that rules take on Spark."""

from __future__ import annotations

from kgreason.io.readers import read_stream
from kgreason.program.parser import parse_program
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.test_oracle import PREFIX

GRAPH = """
@prefix e: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
CHAIN = "e:n1 e:p e:n2 . e:n2 e:p e:n3 . e:n3 e:p e:n1, e:n4 . e:n4 e:q e:n5 . e:n5 e:p 7 . "
BRANCHES = (
    "e:n1 e:p e:n2, e:n3 . e:n2 e:p e:n4 . e:n3 e:p e:n4 . e:n5 e:p e:n1 . e:n6 e:p e:n6 ."
    "e:n1 e:q e:n5 . e:n7 e:q e:n2 . e:n2 e:m e:n3, e:n6 . e:n8 e:m e:n7 . e:n9 e:m e:n9 . "
)
CASES = {
    "recursion through two relations": (
        "e:odd(?x, ?y) :- e:p(?x, ?y) . e:even(?x, ?z) :- e:odd(?x, ?y), e:p(?y, ?z) ."
        "e:odd(?x, ?z) :- e:even(?x, ?y), e:p(?y, ?z) . wide(?x, ?y, ?z) :- e:odd(?x, ?y), e:even(?y, ?z) ."
        "e:far(?x, ?z) :- wide(?x, ?y, ?z), ?x != ?z .",
        CHAIN,
    ),
    "closures of derived edges, joined and denied": (
        "e:t(?x, ?z) :- e:t(?x, ?y), e:t(?y, ?z) . e:t(?x, ?y) :- e:p(?x, ?y) . e:t(?x, ?y) :- e:q(?y, ?x) ."
        "e:s(?x, ?z) :- e:s(?x, ?y), e:s(?y, ?z) . e:s(?y, ?x) :- e:s(?x, ?y) . e:s(?x, ?y) :- e:q(?x, ?y) ."
        "e:u(?x, ?y) :- e:t(?x, ?y) . e:r(?x, ?z) :- e:p(?x, ?y), e:t(?y, ?z), e:s(?z, ?w) ."
        "e:loop(?x) :- e:t(?x, ?x) . e:on(?x) :- e:t(e:n1, ?x) . e:q(?x, ?y) :- e:r(?x, ?y), e:on(?y), e:k(?x) ."
        "e:none(?x, ?y) :- e:on(?x), e:on(?y), ~e:t(?x, ?y) . e:C(?x) :- e:none(?x, ?y), ~e:s(?x, ?y) .",
        CHAIN + "e:n5 a e:k . e:n1 a e:k .",
    ),
    "closures with nothing bound": (
        "e:t(?x, ?z) :- e:t(?x, ?y), e:t(?y, ?z) . e:t(?x, ?y) :- e:p(?x, ?y) ."
        "e:far(?x, ?y) :- e:t(?x, ?y), ~e:q(?x, ?y) . e:both(?x, ?y) :- e:k(?x), e:t(?y, ?z) ."
        "e:self(?x) :- e:t(?x, ?x), ~e:q(?x, ?x) .",
        CHAIN + "e:n4 a e:k .",
    ),
    "what is made of closures": (
        "e:t(?x, ?z) :- e:t(?x, ?y), e:t(?y, ?z) . e:t(?x, ?y) :- e:p(?x, ?y) ."
        "e:s(?x, ?z) :- e:s(?x, ?y), e:s(?y, ?z) . e:s(?y, ?x) :- e:s(?x, ?y) . e:s(?x, ?y) :- e:q(?x, ?y) ."
        "e:c(?x, ?z) :- e:c(?x, ?y), e:t(?y, ?z) . e:c(?x, ?z) :- e:s(?x, ?y), e:c(?y, ?z) ."
        "e:c(?x, ?y) :- e:m(?x, ?y) ."
        "e:u(?x, ?y) :- e:t(?x, ?y) . e:u(?x, ?y) :- e:c(?y, ?x) . e:u(?x, ?y) :- e:m(?x, ?y) ."
        "e:y(?x, ?y) :- e:t(?x, ?y) . e:y(?y, ?x) :- e:y(?x, ?y) ."
        "e:r1(?x, ?y) :- e:k(?x), e:u(?x, ?y) . e:r2(?x, ?y) :- e:k(?x), e:u(?y, ?x) ."
        "e:r3(?x) :- e:k(?x), e:u(?x, e:n1) ."
        "e:r4(?x, ?y) :- e:k(?x), e:k(?y), e:u(?x, ?y) . e:r5(?x, ?y) :- e:k(?x), e:k(?y), ~e:u(?x, ?y) ."
        "e:r6(?x, ?y) :- e:k(?x), e:y(?y, ?x) . e:r7(?x, ?y) :- e:k(?x), e:k(?y), ~e:c(?x, ?y), ~e:y(?x, ?y) ."
        "e:r8(?x, ?z) :- e:k(?x), e:c(?x, ?y), e:s(?y, ?z) . e:r9(?x) :- e:k(?x), e:u(?x, ?x) .",
        BRANCHES + "".join(f"e:n{number} a e:k . " for number in range(1, 10)),
    ),
    "computed terms in closures": (
        "e:t(?x, ?z) :- e:t(?x, ?y), e:t(?y, ?z) . e:t(?x, ?y) :- e:p(?x, ?y) ."
        "e:t(?x, ?z) :- e:age(?x, ?y), ?z = ?y + 1 . e:r(?x, ?y) :- e:k(?x), e:t(?x, ?y) .",
        CHAIN + "e:n4 e:age 20 . e:n1 a e:k .",
    ),
    "aggregates on executors": (
        "e:sum(?x, ?s), e:avg(?x, ?a), e:text(?x, ?t) :- AGGREGATE(e:p(?x, ?y), e:age(?y, ?n) ON ?x "
        "BIND SUM(?n) AS ?s BIND AVG(DISTINCT ?n) AS ?a BIND GROUP_CONCAT(?n; SEPARATOR=', ') AS ?t) . "
        "[e:all, e:m, ?n] :- AGGREGATE(e:sum(?x, ?y) BIND MAX(?y) AS ?n) .",
        CHAIN + "e:n2 e:age 3, 7 . e:n3 e:age 4.5 . e:n1 e:age '1'^^xsd:float, 3 . e:n4 e:age 'x' .",
    ),
    "aggregates at several levels": (
        "[?x, e:n, #count(?y)] :- e:two(?x, ?y) . e:two(?x, ?z) :- e:p(?x, ?y), e:p(?y, ?z) . "
        "[e:all, e:m, ?n] :- AGGREGATE(e:age(?x, ?y), ~e:n(?x, 2) BIND COUNT(*) AS ?n) . "
        "e:t(?x, ?y) :- e:p(?x, ?y) . e:t(?x, ?z) :- e:t(?x, ?y), e:t(?y, ?z) . "
        "[?x, e:below, #count(?y)] :- e:t(?x, ?y) .",
        CHAIN + "e:n2 e:age 3 . e:n4 e:age 'x' .",
    ),
    "aggregates and relations that data name": (
        "[?x, a, ?c] :- AGGREGATE(e:p(?x, ?y), [?y, e:kind, ?d] ON ?x BIND MIN(?d) AS ?c) . e:C2(?x) :- [?x, a, e:C] . "
        "[?x, ?q, ?n] :- AGGREGATE([?p, e:counts, ?q], [?x, ?p, ?y] ON ?x ?q BIND COUNT(?y) AS ?n) .",
        CHAIN + "e:p e:counts e:degree . e:n2 e:kind e:D, e:C . e:n3 e:kind e:D .",
    ),
    "negation at several levels": (
        "e:A(?x) :- e:p(?x, ?y), ~e:B(?x) . e:B(?x) :- e:q(?x, ?y) . e:C(?x) :- e:p(?x, ?y), ~e:A(?x) ."
        "e:D(?y) :- e:p(?x, ?y), ~e:C(?y), ~e:q(?y, _) . e:p(?x, ?x) :- e:q(?x, ?y) .",
        CHAIN,
    ),
    "negation of what ranges over relations": (
        "e:Any(?x) :- e:k(?x), [?x, ?p, ?y], ~[?y, ?p, ?x] .",
        CHAIN + "e:n3 a e:k . e:n5 a e:k . e:n2 a e:n2 .",
    ),
    "what is denied gets facts from a rule that comes later": (
        "[?x, ?p, ?y] :- [?q, e:sub, ?p], [?x, ?q, ?y] . e:alone(?x) :- e:q(?x, ?y), ~e:p(?x, ?y) ."
        "[e:q, e:sub, e:p] :- e:q(?x, ?y), ~e:off(?x) . e:there(?x) :- e:q(?x, ?y), ~e:alone(?x) .",
        CHAIN,
    ),
    "a circle through negation that nothing begins": (
        "seen(?x) :- [?x, ?p, ?y] . e:B(?x) :- seen(?x) . e:A(?x) :- e:never(?x), ~e:B(?x) . e:q(?x, ?x) :- e:A(?x) .",
        CHAIN,
    ),
    "values": (
        "e:size(?x, ?z) :- e:age(?x, ?y), ?z = ?y + 1 . e:old(?x) :- e:size(?x, ?y), ?y > 40 ."
        "e:count(?x, ?z) :- e:age(?x, ?y), ?z = ?y + 2, ?z < 25 . e:age(?x, ?y) :- e:count(?x, ?y) ."
        "e:same(?x, ?y) :- e:age(?x, ?a), e:age(?y, ?b), ?a = ?b, ?x != ?y . e:age(?x, ?z) :- e:size(?x, ?z), ?z < 23 ."
        'e:name(?x, ?n) :- e:old(?x), ?n = concat("old ", str(?x)) . [?y, e:of, ?x] :- e:age(?x, ?y) .',
        'e:n1 e:age 20, 20.0 . e:n2 e:age "20"^^<urn:other>, 41 . e:n3 e:age "041"^^xsd:integer .',
    ),
    "functions": (
        'e:long(?x) :- e:name(?x, ?n), strlen(str(?n)) > 3, contains(lcase(?n), "a") .'
        "e:number(?x, ?v) :- e:name(?x, ?n), ?v = xsd:integer(str(?n)) ."
        "e:few(?x) :- e:number(?x, ?v), FILTER(in(?v, 1, 2.0, <urn:a>)) ."
        "e:many(?x) :- e:name(?x, ?n), !(strlen(?n) < 4) ."
        'e:kind(?x, ?k) :- e:name(?x, ?n), BIND(IF(isnumeric(?n), "number", COALESCE(lang(?n), ?n)) AS ?k) .',
        'e:n1 e:name "Anna", "Bo"@en, 2 . e:n2 e:name "2", "01", 1.0, e:n1 .'
        'e:n3 e:name "ab"^^<urn:other>, "caab"@de .',
    ),
    "relations that are terms": (
        "[?y, ?p, ?x] :- [?x, ?p, ?y], [?p, a, e:Mirrored] . [?x, a, ?c] :- [?x, e:is, ?c] . e:K(?c) :- [?x, a, ?c] ."
        "[?p, a, e:Mirrored] :- [?x, ?p, ?x] . e:used(?p, ?x) :- [?x, ?p, ?y] . [e:p, a, e:Mirrored] :- e:K(e:D) .",
        CHAIN + "e:n9 e:q e:n9 . e:n8 e:is e:D . e:n7 e:is 5 .",
    ),
    "ontology": (
        "owl-rl",
        CHAIN
        + """e:p a owl:TransitiveProperty ; rdfs:subPropertyOf e:near .
        e:near a owl:SymmetricProperty ; rdfs:domain e:Place ; owl:inverseOf e:close .
        e:q a owl:FunctionalProperty . e:n4 e:q e:m5 . e:m5 e:label "five" . e:n6 owl:sameAs e:n4 .
        e:chained owl:propertyChainAxiom (e:q e:p) .
        e:Home a owl:Class ; owl:intersectionOf (e:Place e:Warm) . e:n4 a e:Warm . e:n1 a e:Warm .
        e:Warm rdfs:subClassOf [a owl:Restriction ; owl:onProperty e:q ; owl:hasValue e:n5 ] .
        [a owl:Restriction ; owl:onProperty e:near ; owl:someValuesFrom e:Warm] rdfs:subClassOf e:Cosy .
        e:kind rdfs:subPropertyOf rdfs:subClassOf . e:Cosy e:kind e:Nice .""",
    ),
}  # fmt: skip


def local(rules: str, text: str) -> KnowledgeBase:
    base = KnowledgeBase(parse_program(PREFIX + rules) if ":-" in rules else rules)
    base.add_quads(read_stream((GRAPH + text).encode(), base.dictionary, format="turtle"))
    return base
