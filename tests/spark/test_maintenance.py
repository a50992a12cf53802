"""After a change `materialise(since=)` would keep what does not follow any more, or lose what still does: the same as a
store derives, whether facts are maintained in frames or derived from the beginning."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgreason.errors import OptionError
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from kgreason_spark import as_triples, materialise
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
RULES = (
    "e:t(?x, ?z) :- e:p(?x, ?y), e:q(?y, ?z) . e:p(?x, ?y) :- e:t(?y, ?x) . e:A(?x) :- e:t(?x, ?y), e:B(?y) ."
    "e:B(?y) :- e:A(?x), e:p(?x, ?y) . e:u(?x, ?y) :- e:p(?x, ?y) . e:q(?x, ?y) :- e:u(?x, ?y), e:A(?x), ?x != ?y ."
    "e:older(?x, ?z) :- e:age(?x, ?y), ?z = ?y + 1 . e:first(?x) :- e:p(e:n1, ?x) ."
    "e:c(?x, ?z) :- e:c(?x, ?y), e:c(?y, ?z) . e:d(?x, ?z) :- e:p(?x, ?y), e:c(?y, ?z) . e:A(?x) :- e:c(?x, e:n1) ."
    "e:f(?y, ?x) :- e:c(?x, ?y), e:c(?y, e:n3) . e:q(?x, ?z) :- e:f(?x, ?y), e:p(?y, ?z) ."
)
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


@pytest.mark.parametrize("seed", range(20 if IS_THOROUGH else 1))
def test_random_changes_are_maintained(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    draw, program = random.Random(seed), parse_program(PREFIX + RULES)
    monkeypatch.setattr(maintenance, "FEW", draw.choice([0, 1000]))
    prepared: list[bool] = []
    prepare = maintenance.prepare
    monkeypatch.setattr(maintenance, "prepare", lambda *given: prepared.append(prepare(*given)) or prepared[-1])
    asked: list[GivenRound] = []
    after = Fixpoint._derived_after
    monkeypatch.setattr(Fixpoint, "_derived_after", lambda *given: asked.append(given[1]) or after(*given))
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


@pytest.mark.thorough
def test_what_a_closure_or_the_schema_loses_is_derived_anew(quick_spark: SparkSession, tmp_path: Path) -> None:
    program = parse_program(PREFIX + RULES)
    triples = CLOSURE | {(f"{E}n8", f"{E}p", f"{E}n0")}
    materialise(frame(quick_spark, triples), program, directory=tmp_path / "0", local_facts=0)
    triples.remove((f"{E}n1", f"{E}c", f"{E}n2"))

    made = materialise(
        frame(quick_spark, triples), program, directory=tmp_path / "1", since=tmp_path / "0", local_facts=0
    )

    assert found_in(made) == followed(program, triples)


@pytest.mark.parametrize("few", [0, 1000])
def test_what_the_driver_derives_reaches_the_cluster_again(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """A closure has grown, and something that follows from it was asserted before but is not any more: with terms that
    the cluster encodes, and with few, which the driver does."""
    monkeypatch.setattr(maintenance, "FEW", few)
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
