"""Rules of SPARQL-RL on Spark: would catch a closure that differs from a store's, and a rule that Spark gets wrong in
silence."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kgreason import ReasoningStore
from kgreason.errors import RuleError
from kgreason_spark import materialise, read_ntriples

RULES = """PREFIX : <http://e/>
RULE { ?x :up ?z } WHERE { ?x :in ?z } RULE { ?x :up ?z } WHERE { ?x :in ?y . ?y :up ?z }
RULE { ?x a :Top } WHERE { ?y :up ?x NOT { ?x :in ?z . ?z :n ?m FILTER(?m > 1) } }
RULE { [] :note ?t ; :about ?x } WHERE { ?x a :Top ; :n ?n SET(?t := CONCAT("n", STR(?n))) }
DATA { :d :in :a }
"""
DATA = "\n".join(
    f"<http://e/{s}> <http://e/{p}> {o} ."
    for s, p, o in [
        *(("a", "in", "<http://e/b>"), ("b", "in", "<http://e/c>"), ("c", "in", "<http://e/d>")),
        *(("x", "n", number) for number in ('"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"y"')),
        *(("c", "n", f'"{number}"^^<http://www.w3.org/2001/XMLSchema#integer>') for number in (1, 2)),
        *(("e", "in", "<http://e/x>"),),
    ]
)


@pytest.mark.parametrize("where", ["directory", "cluster"])
def test_rules_infer_what_a_store_does(quick_spark: SparkSession, tmp_path: Path, where: str) -> None:
    (tmp_path / "a.nt").write_text(DATA)
    triples = read_ntriples(tmp_path / "a.nt", session=quick_spark)
    options = {"local_facts": 0} if where == "cluster" else {}
    made = materialise(triples, [RULES], directory=tmp_path / "work", **options)

    store = ReasoningStore(rules=RULES)
    store.bulk_load(tmp_path / "a.nt")
    found = {tuple(row)[:3] for row in made.collect()}
    assert _unnamed(found) == _unnamed({tuple(map(str, triple)) for triple in store.inferred})
    assert len(found) == len(store.inferred) > 15


def _unnamed(triples: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """Triples without the values of literals' datatypes and labels of blank nodes."""
    return {tuple("_:" if "skolem" in part else part.strip('"') for part in triple) for triple in triples}


def test_rules_about_asserted_triples_are_refused(quick_spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text(DATA)
    rules = "PREFIX : <http://e/> RULE { ?x a :C } WHERE DATA { ?x :in ?y }"

    with pytest.raises(RuleError, match="looks at asserted triples alone"):
        materialise(
            read_ntriples(tmp_path / "a.nt", session=quick_spark), [rules], directory=tmp_path / "work", local_facts=0
        ).count()
