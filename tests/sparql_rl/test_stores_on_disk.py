"""Rules of SPARQL-RL in stores on disk: would catch a rule, or what it looks at, that is not there again."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Graph

from kgreason import ReasoningStore
from kgreason.disk.snapshot_format import schemas
from kgreason.sparql_rl.documents import read_text
from tests.sparql_rl.evaluation_cases import CASES, PREFIXES, Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_rules_of_a_case_are_kept_in_snapshots(case: Case) -> None:
    for rule in read_text(PREFIXES + case.rules).rules:
        assert schemas.read(schemas.read_rule, schemas.write(rule), "a rule") == rule


def test_store_that_is_opened_again_has_rules_and_asserted_triples(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rules = PREFIXES + """
        RULE { ?x :km ?k } WHERE { ?x :miles ?m NOT DATA { ?x :km ?o } SET(?k := xsd:integer(?m * 1.60934)) }
        RULE { [] :about ?x } WHERE DATA { ?x ?p 8 }
        DATA { :a :says <<( :b :c "d"@ar--rtl )>> }
    """
    graph = Graph(store=ReasoningStore(rules=rules))
    graph.open(str(tmp_path / "store"), create=True)
    graph.parse(data=PREFIXES + ":x :miles 5 ; :km 8 . :y :miles 10 .", format="turtle")
    graph.commit()
    inferred = {*graph.store.inferred}
    graph.close()

    again = Graph(store=ReasoningStore())
    again.open(str(tmp_path / "store"))

    assert len(inferred) == 3
    assert {*again.store.inferred} == inferred
    again.update("PREFIX : <http://e/> DELETE { ?x :km ?k } WHERE { ?x :km ?k }")
    assert {(str(s), str(o)) for s, _, o in again.store.inferred.triples((None, None, None)) if "e/" in str(s)} >= {
        ("http://e/x", "8"), ("http://e/y", "16"),
    }  # fmt: skip
    again.close()
    assert "snapshot" not in caplog.text
