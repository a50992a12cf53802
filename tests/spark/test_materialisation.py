"""Spark derives the same triples as the engine of every store: each way that a rule can take, and random programs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from kgreason.datalog.parser import parse_program
from kgreason.errors import StratificationError
from kgreason.knowledge.base import KnowledgeBase
from kgreason.knowledge.loading import read_stream
from kgreason_spark.materialisation.checkpoints import Checkpoints, Round
from kgreason_spark.materialisation.dataset import facts_schema
from kgreason_spark.materialisation.results import Results
from tests.engine.test_oracle import PREFIX, facts, programs
from tests.facade import EX, add
from tests.spark.distributed import encode, encode_base, fixpoint, inferred, keys, names_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = int(os.environ.get("KGREASON_EXAMPLES", "4"))

GRAPH = """
@prefix e: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
CHAIN = "e:n1 e:p e:n2 . e:n2 e:p e:n3 . e:n3 e:p e:n1, e:n4 . e:n4 e:q e:n5 . e:n5 e:p 7 . "
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
    "negation at several levels": (
        "e:A(?x) :- e:p(?x, ?y), ~e:B(?x) . e:B(?x) :- e:q(?x, ?y) . e:C(?x) :- e:p(?x, ?y), ~e:A(?x) ."
        "e:D(?y) :- e:p(?x, ?y), ~e:C(?y), ~e:q(?y, _) . e:p(?x, ?x) :- e:q(?x, ?y) .",
        CHAIN,
    ),
    "what is denied gets facts from a rule that comes later": (
        "[?x, ?p, ?y] :- [?q, e:sub, ?p], [?x, ?q, ?y] . e:alone(?x) :- e:q(?x, ?y), ~e:p(?x, ?y) ."
        "[e:q, e:sub, e:p] :- e:q(?x, ?y), ~e:off(?x) . e:there(?x) :- e:q(?x, ?y), ~e:alone(?x) .",
        CHAIN,
    ),
    "values": (
        "e:size(?x, ?z) :- e:age(?x, ?y), ?z = ?y + 1 . e:old(?x) :- e:size(?x, ?y), ?y > 40 ."
        "e:same(?x, ?y) :- e:age(?x, ?a), e:age(?y, ?b), ?a = ?b, ?x != ?y . e:age(?x, ?z) :- e:size(?x, ?z), ?z < 23 ."
        'e:name(?x, ?n) :- e:old(?x), ?n = concat("old ", str(?x)) . [?y, e:of, ?x] :- e:age(?x, ?y) .',
        'e:n1 e:age 20, 20.0 . e:n2 e:age "20"^^<urn:other>, 41 . e:n3 e:age "041"^^<http://www.w3.org/2001/XMLSchema#integer> .',
    ),
    "relations that are terms": (
        "[?y, ?p, ?x] :- [?x, ?p, ?y], [?p, a, e:Mirrored] . [?x, a, ?c] :- [?x, e:is, ?c] . e:K(?c) :- [?x, a, ?c] ."
        "[?p, a, e:Mirrored] :- [?x, ?p, ?x] . e:used(?p, ?x) :- [?x, ?p, ?y] . [e:p, a, e:Mirrored] :- e:K(e:D) .",
        CHAIN + "e:n9 e:q e:n9 . e:n8 e:is e:D . e:n7 e:is 5 .",
    ),
    "ontology": (
        "owl-rl",
        CHAIN + """e:p a owl:TransitiveProperty ; rdfs:subPropertyOf e:near . e:near a owl:SymmetricProperty ; rdfs:domain e:Place .
        e:q a owl:FunctionalProperty . e:n4 e:q e:m5 . e:m5 e:label "five" . e:chained owl:propertyChainAxiom (e:q e:p) .
        e:Home a owl:Class ; owl:intersectionOf (e:Place e:Warm) . e:Warm rdfs:subClassOf [a owl:Restriction ;
        owl:onProperty e:q ; owl:hasValue e:n5 ] . [] a owl:Restriction ; owl:onProperty e:near ;
        owl:someValuesFrom e:Warm ; rdfs:subClassOf e:Cosy . e:n4 a e:Warm . e:n1 a e:Warm . e:kind rdfs:subPropertyOf rdfs:subClassOf .
        e:Cosy e:kind e:Nice . e:n6 owl:sameAs e:n4 . e:near owl:inverseOf e:close .""",
    ),
}  # fmt: skip


def local(rules: str, text: str) -> KnowledgeBase:
    base = KnowledgeBase(parse_program(PREFIX + rules) if ":-" in rules else rules)
    base.add_quads(read_stream((GRAPH + text).encode(), base.dictionary, format="turtle"))
    return base


@pytest.mark.parametrize("sent_limit", [0, 1000])
@pytest.mark.parametrize("name", CASES)
def test_the_triples_are_the_same(spark: SparkSession, tmp_path: Path, name: str, sent_limit: int) -> None:
    rules, text = CASES[name]
    base = local(rules, text)
    run = fixpoint(spark, encode_base(tmp_path / "data", base), tmp_path / "work", base.program, sent_limit=sent_limit)
    expected = keys(base, base.inferred())
    found = inferred(Results(run, pairs=True))
    assert found == expected, f"missing: {expected - found}\nwrong: {found - expected}"
    assert expected


@given(text=programs, triples=st.lists(facts, min_size=1, max_size=14), sent_limit=st.sampled_from([0, 1000]))
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_random_programs(spark: SparkSession, text: str, triples: list, sent_limit: int) -> None:
    program = parse_program(PREFIX + text)
    with TemporaryDirectory() as folder:
        try:
            base = KnowledgeBase(program)
            add(base, *triples)
            expected = keys(base, base.inferred())
        except StratificationError:
            with pytest.raises(StratificationError):
                data = encode(Path(folder) / "data", triples)
                fixpoint(spark, data, Path(folder) / "work", program, sent_limit=sent_limit)
            return
        assume(expected)
        run = fixpoint(spark, encode(Path(folder) / "data", triples), Path(folder) / "work", program, sent_limit=sent_limit)
        found = inferred(Results(run, pairs=True))
        assert found == expected, f"missing: {expected - found}\nwrong: {found - expected}"


class KilledError(Exception):
    """Stands for the end of a process."""


def test_a_killed_job_goes_on_after_its_last_round(spark: SparkSession, tmp_path: Path) -> None:
    base = local(*CASES["negation at several levels"])
    data, work = encode_base(tmp_path / "data", base), tmp_path / "work"
    expected = keys(base, base.inferred())
    for fatal in range(5):
        done: list[int] = []

        def kill(number: int, _: Round, fatal: int = fatal, done: list[int] = done) -> None:
            done.append(number)
            if number == fatal:
                raise KilledError

        times = {path.name: path.stat().st_mtime_ns for path in work.glob("round-*")}
        with pytest.raises(KilledError):
            fixpoint(spark, data, work, base.program, kill)
        assert done == list(range(fatal + 1))
        assert {path.name: path.stat().st_mtime_ns for path in work.glob("round-*")}.items() >= times.items()
        assert len(times) == fatal
    assert inferred(Results(fixpoint(spark, data, work, base.program), pairs=True)) == expected


def test_rounds_of_other_rules_are_not_taken_over(spark: SparkSession, tmp_path: Path) -> None:
    """Neither are those of other data: the job tells them apart."""
    work = str(tmp_path / "work")
    first = Checkpoints(spark, work, "these rules", 2)
    first.next(0, lambda: spark.createDataFrame([(1, 2, 3)], facts_schema(2)))
    again = Checkpoints(spark, work, "these rules", 2)
    again.resume()
    assert [done.relations for done in again.rounds] == [{1: 1}]
    other = Checkpoints(spark, work, "other rules", 2)
    other.resume()
    assert not other.rounds
    assert not Path(work).exists()


def test_labels_say_what_closures_hold(spark: SparkSession, tmp_path: Path) -> None:
    base = local(*CASES["closures of derived edges, joined and denied"])
    results = Results(
        fixpoint(spark, encode_base(tmp_path / "data", base), tmp_path / "work", base.program), pairs=False
    )
    with_pairs = keys(base, base.inferred())
    assert inferred(results) < with_pairs
    definitions = {entry["members"][0]["relation"]: entry for entry in json.loads(results.definitions)}
    assert definitions[f"{EX}t"]["closure"] == "transitive"
    assert definitions[f"{EX}s"]["closure"] == "equivalence"
    assert definitions[f"{EX}u"]["sources"] == [{"relation": f"{EX}t", "inverse": False}]
    for name in ("t", "s"):
        expected = {(s, o) for s, p, o in keys(base, base.all()) if p == f"{EX}{name}"}
        assert pairs_of(results, f"{EX}{name}") == expected, name


def pairs_of(results: Results, predicate: str) -> set[tuple[str, str]]:
    """The pairs of a closure, spelled out from its labels as they are documented."""
    names = names_of(results)
    relation = next(number for number, name in names.items() if name == predicate)
    nodes = [row for row in results.labels.nodes.to_pylist() if row["relation"] == relation]
    reached = {
        row["component"]: BitMap.deserialize(row["labels"])
        for row in results.labels.reached.to_pylist()
        if row["relation"] == relation
    }
    return {
        (names[a["node"]], names[b["node"]])
        for a in nodes
        for b in nodes
        if (b["label"] in reached[a["component"]] if reached else a["component"] == b["component"])
    }
