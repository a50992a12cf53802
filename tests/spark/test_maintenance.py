"""After a change `materialise(since=)` would keep what does not follow any more, or lose what still does: the same as a
store derives, whether facts are maintained in frames or derived from the beginning."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgreason.errors import OptionError
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from kgreason_spark import as_triples, materialise, spark_tuning
from kgreason_spark.arrow_frames import to_arrow
from kgreason_spark.materialisation import maintenance
from kgreason_spark.materialisation.fixpoint import Fixpoint
from kgreason_spark.materialisation.given_round import GivenRound
from tests.engine.test_oracle import PREFIX
from tests.profiles import IS_THOROUGH
from tests.spark.distributed import Keys, keys

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

E = "http://example.org/"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
RULES = (
    "e:t(?x, ?z) :- e:p(?x, ?y), e:q(?y, ?z) . e:p(?x, ?y) :- e:t(?y, ?x) . e:A(?x) :- e:t(?x, ?y), e:B(?y) ."
    "e:B(?y) :- e:A(?x), e:p(?x, ?y) . e:u(?x, ?y) :- e:p(?x, ?y) . e:q(?x, ?y) :- e:u(?x, ?y), e:A(?x), ?x != ?y ."
    "e:older(?x, ?z) :- e:age(?x, ?y), ?z = ?y + 1 . e:first(?x) :- e:p(e:n1, ?x) ."
    "e:c(?x, ?z) :- e:c(?x, ?y), e:c(?y, ?z) . e:d(?x, ?z) :- e:p(?x, ?y), e:c(?y, ?z) . e:A(?x) :- e:c(?x, e:n1) ."
    "e:f(?y, ?x) :- e:c(?x, ?y), e:c(?y, e:n3) . e:q(?x, ?z) :- e:f(?x, ?y), e:p(?y, ?z) ."
)
SCHEMA = (
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> ."
    "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ."
    "[?c, rdfs:subClassOf, ?e] :- [?c, rdfs:subClassOf, ?d], [?d, rdfs:subClassOf, ?e] ."
    "[?x, rdf:type, ?d] :- [?c, rdfs:subClassOf, ?d], [?x, rdf:type, ?c] ."
    "[?x, ?q, ?y] :- [?p, rdfs:subPropertyOf, ?q], [?x, ?p, ?y] ."
    "[?x, rdf:type, ?c] :- [?p, rdfs:domain, ?c], [?x, ?p, ?y] ."
    "[?x, ?p, ?z] :- [?p, rdf:type, owl:TransitiveProperty], [?x, ?p, ?y], [?y, ?p, ?z] ."
    "[?y, owl:sameAs, ?x] :- [?x, owl:sameAs, ?y] ."
    "[?x, owl:sameAs, ?z] :- [?x, owl:sameAs, ?y], [?y, owl:sameAs, ?z] ."
    "[?y, e:p, ?z] :- [?x, owl:sameAs, ?y], [?x, e:p, ?z] ."
    "[?p, rdfs:domain, ?d] :- [?p, rdfs:domain, ?c], [?c, rdfs:subClassOf, ?d] ."
    "[?x, e:d, ?z] :- [?x, e:p, ?y], [?y, e:c, ?z] . [?x, e:k, ?y] :- [?x, e:c, ?y], [?y, rdf:type, e:A] ."
    "[?x, e:u, ?y] :- [?x, e:c, ?y] ."
)
"""Rules about a schema, and closures that the driver has: of classes, of equal things, and of e:c."""
MIXED = SCHEMA + (
    "[?x, owl:sameAs, ?y] :- [?x, e:q, ?z], [?y, e:q, ?z], [?x, rdf:type, e:B] ."
    "[?c, rdfs:subClassOf, e:A] :- [?x, rdf:type, ?c], [?x, e:t, ?x] ."
)
"""The same where the cluster derives facts of them, too."""
NODES = 6 if IS_THOROUGH else 5
CLOSURE = {(f"{E}n{n}", f"{E}c", f"{E}n{n + 1}") for n in range(3)}


def frame(spark: SparkSession, triples: Keys) -> DataFrame:
    return as_triples(spark.createDataFrame(sorted(triples), ["s", "p", "o"]))


def followed(program: Program, triples: Keys) -> Keys:
    base = KnowledgeBase(program)
    for triple in triples:
        base.add(DEFAULT_GRAPH, *map(base.dictionary.encode_key, triple))
    return keys(base, base.inferred())


def found_in(made: DataFrame) -> Keys:
    columns = to_arrow(made).to_pydict()
    rows = list(zip(*(columns[name] for name in ("subject", "predicate", "object")), strict=True))
    assert len(rows) == len(set(rows)), "a triple comes twice"
    return set(rows)


def drawn(draw: random.Random) -> tuple[str, str, str]:
    subject, other = (f"{E}n{draw.randrange(NODES)}" for _ in range(2))
    kind = draw.randrange(9)
    if kind == 8:
        return subject, f"{E}c", other
    if kind == 0:
        return subject, RDF_TYPE, f"{E}{draw.choice('AB')}"
    if kind == 1:
        return subject, f"{E}age", f'"{draw.randrange(20, 24)}"^^http://www.w3.org/2001/XMLSchema#integer'
    return subject, f"{E}{draw.choice('ppqtu')}", other


def changes_of_data(monkeypatch: pytest.MonkeyPatch) -> list[GivenRound]:
    """The rounds after which rules are asked for what has changed alone, as they come."""
    asked: list[GivenRound] = []
    after = Fixpoint._derived_after
    monkeypatch.setattr(Fixpoint, "_derived_after", lambda *given: asked.append(given[1]) or after(*given))
    return asked


@pytest.mark.parametrize("seed", range(20 if IS_THOROUGH else 1))
def test_random_changes_are_maintained(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    draw, program = random.Random(seed), parse_program(PREFIX + RULES)
    monkeypatch.setattr(spark_tuning, "COMPARED_TRIPLES", draw.choice([0, 1000]))
    prepared: list[bool] = []
    prepare = maintenance.prepare
    monkeypatch.setattr(maintenance, "prepare", lambda *given: prepared.append(prepare(*given)) or prepared[-1])
    asked = changes_of_data(monkeypatch)
    triples = CLOSURE | {drawn(draw) for _ in range(20 if IS_THOROUGH else 14)}
    first = {"local_facts": 0} if IS_THOROUGH else {}  # the driver writes the same as the cluster
    materialise(frame(quick_spark, triples), program, directory=tmp_path / "0", **first)

    for number in range(1, 6 if IS_THOROUGH else 2):
        others = sorted(triple for triple in triples if triple[1] != f"{E}c")
        triples = (triples - set(draw.sample(others, 4))) | {drawn(draw) for _ in range(3)}
        before = tmp_path / str(number - 1)
        made = materialise(
            frame(quick_spark, triples), program, directory=tmp_path / str(number), since=before, local_facts=0
        )

        expected, found = followed(program, triples), found_in(made)
        assert found == expected, f"missing: {expected - found}\nwrong: {found - expected}"
    assert all(prepared)
    assert len(asked) == len(prepared), "rules that were evaluated before were evaluated on all facts"


def drawn_about_schema(draw: random.Random) -> tuple[str, str, str]:
    subject, other = (f"{E}n{draw.randrange(NODES)}" for _ in range(2))
    classes, properties = [[f"{E}{name}" for name in draw.choices(names, k=2)] for names in ("ABCD", "pqtc")]
    drawn = (
        (classes[0], f"{RDFS}subClassOf", classes[1]), (properties[0], f"{RDFS}subPropertyOf", properties[1]),
        (properties[0], f"{RDFS}domain", classes[0]), (f"{E}c", RDF_TYPE, f"{OWL}TransitiveProperty"),
        (subject, f"{OWL}sameAs", other), (subject, f"{E}c", other), (subject, RDF_TYPE, classes[0]),
        (subject, f"{E}{draw.choice('pqt')}", other),
    )  # fmt: skip
    return drawn[draw.choices(range(8), (3, 1, 1, 1, 2, 4, 4, 4))[0]]


def changed_schema(spark: SparkSession, folder: Path, program: Program, draw: random.Random, changes: int) -> None:
    """Draw triples, and change them so often; the same as derived from the beginning after each."""
    triples = {drawn_about_schema(draw) for _ in range(24)}
    materialise(frame(spark, triples), program, directory=folder / "0")
    for number in range(1, changes + 1):
        went = set(draw.sample(sorted(triples), draw.randrange(1, 5)))
        before, triples = triples, (triples - went) | {drawn_about_schema(draw) for _ in range(draw.randrange(3))}
        since = folder / str(number - 1)

        made = materialise(frame(spark, triples), program, directory=folder / str(number), since=since, local_facts=0)

        expected, found = followed(program, triples), found_in(made)
        change = f"went: {before - triples}\ncame: {triples - before}\nof: {before}"
        assert found == expected, f"missing: {expected - found}\nwrong: {found - expected}\n{change}"


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("rules", [SCHEMA, MIXED], ids=["alone", "mixed"])
def test_random_changes_of_schema_and_closures_are_maintained(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str, seed: int
) -> None:
    monkeypatch.setattr(spark_tuning, "DRIVER_SHARE", math.inf)
    changed_schema(quick_spark, tmp_path, parse_program(PREFIX + rules), random.Random(seed), 5)


LOST = {
    (f"{E}A", f"{RDFS}subClassOf", f"{E}B"),
    (f"{E}A", f"{RDFS}subClassOf", f"{E}C"),
    (f"{E}n1", f"{E}c", f"{E}n2"),
    (f"{E}n6", f"{OWL}sameAs", f"{E}n7"),
}


@pytest.mark.parametrize("share", [math.inf, 0.5])
def test_what_schema_and_closures_of_the_driver_lose_is_maintained(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    """Facts of rules that are there no more, facts derived with lost ones, and those that follow in another way; the
    same where the driver derives so much by itself that all is derived again."""
    monkeypatch.setattr(spark_tuning, "DRIVER_SHARE", share)
    asked, program = changes_of_data(monkeypatch), parse_program(PREFIX + SCHEMA)
    classes = {(f"{E}{low}", f"{RDFS}subClassOf", f"{E}{high}") for low, high in ("BC", "CD")}
    members = {(f"{E}n{n}", RDF_TYPE, f"{E}{name}") for n, name in ((0, "A"), (1, "B"), (2, "A"), (2, "B"), (3, "A"))}
    edges = {(f"{E}n{n}", f"{E}c", f"{E}n{n + 1}") for n in (0, 2, 3)} | {(f"{E}n5", f"{E}c", f"{E}n2")}
    data = {(f"{E}n{n}", f"{E}p", f"{E}n{m}") for n, m in ((8, 0), (8, 1), (9, 5), (6, 0), (4, 4))}
    schema = {(f"{E}c", RDF_TYPE, f"{OWL}TransitiveProperty"), (f"{E}n7", f"{OWL}sameAs", f"{E}n9")}
    left = classes | members | edges | data | schema
    materialise(frame(quick_spark, left | LOST), program, directory=tmp_path / "0")

    made = materialise(
        frame(quick_spark, left), program, directory=tmp_path / "1", since=tmp_path / "0", local_facts=0
    )

    expected, before = followed(program, left), followed(program, left | LOST)
    assert {edge[1] for edge in before - expected} >= {RDF_TYPE, f"{OWL}sameAs", f"{E}c", f"{E}d", f"{E}p"}
    assert found_in(made) == expected
    assert len(asked) == (share > 1)


def test_what_the_driver_loses_may_concern_nothing_else(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No fact of the cluster can be lost with it."""
    monkeypatch.setattr(spark_tuning, "DRIVER_SHARE", math.inf)
    classes = {(f"{E}{low}", f"{RDFS}subClassOf", f"{E}{high}") for low, high in ("AB", "BC", "CD")}
    left = {one for one in classes if one[0] != f"{E}B"} | {(f"{E}n1", f"{E}p", f"{E}n2")}
    program = parse_program(PREFIX + SCHEMA)
    materialise(frame(quick_spark, left | classes), program, directory=tmp_path / "0")

    made = materialise(
        frame(quick_spark, left), program, directory=tmp_path / "1", since=tmp_path / "0", local_facts=0
    )

    assert found_in(made) == followed(program, left)


@pytest.mark.parametrize("few", [0, 1000])
def test_what_the_driver_derives_reaches_the_cluster_again(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """A closure has grown, and something that follows from it was asserted before but is not any more: with terms that
    the cluster encodes, and with few, which the driver does."""
    monkeypatch.setattr(spark_tuning, "COMPARED_TRIPLES", few)
    program = parse_program(
        PREFIX + "e:c(?x, ?z) :- e:c(?x, ?y), e:c(?y, ?z) . e:A(?x) :- e:c(?x, e:n3) ."
        "e:g(?y, ?x) :- e:c(?x, ?y), e:c(?y, e:n4) . e:k(?x, ?z) :- e:g(?x, ?y), e:p(?y, ?z) ."
    )
    asserted = (f"{E}n0", RDF_TYPE, f"{E}A")
    triples = CLOSURE | {asserted, (f"{E}n1", f"{E}p", f"{E}n2"), (f"{E}n2", f"{E}p", f"{E}n0")}
    materialise(frame(quick_spark, triples), program, directory=tmp_path / "0", local_facts=0)
    triples = (triples | {(f"{E}n3", f"{E}c", f"{E}n4")}) - {(f"{E}n1", f"{E}p", f"{E}n2"), asserted}

    made = materialise(
        frame(quick_spark, triples), program, directory=tmp_path / "1", since=tmp_path / "0", local_facts=0
    )

    expected = followed(program, triples)
    assert {asserted, (f"{E}n3", f"{E}k", f"{E}n0")} <= expected
    assert found_in(made) == expected


def test_nothing_that_followed_before_is_gone_on_from(quick_spark: SparkSession, tmp_path: Path) -> None:
    program = parse_program(PREFIX + "e:t(?x, ?z) :- e:p(?x, ?y), e:q(?y, ?z) .")
    triples = {(f"{E}n1", f"{E}p", f"{E}n2")}
    materialise(frame(quick_spark, triples), program, directory=tmp_path / "0", local_facts=0)
    triples |= {(f"{E}n2", f"{E}q", f"{E}n3")}

    made = materialise(
        frame(quick_spark, triples), program, directory=tmp_path / "1", since=tmp_path / "0", local_facts=0
    )

    assert found_in(made) == followed(program, triples) != set()


def test_an_earlier_directory_of_other_rules_is_refused(quick_spark: SparkSession, tmp_path: Path) -> None:
    triples = frame(quick_spark, CLOSURE)
    materialise(triples, parse_program(PREFIX + RULES), directory=tmp_path / "0")

    with pytest.raises(OptionError, match=r"^\S+/0 was not materialised under these rules$"):
        materialise(triples, "rdfs", directory=tmp_path / "2", since=tmp_path / "0")
