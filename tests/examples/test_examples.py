"""Every example runs, and says what it should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

SAYS = {
    "demo/demo.py": [
        "347 triples loaded",
        "landlocked (a rule with negation): Bolivia, Paraguay",
        "Lorain is in (transitive): Americas, NorthernAmerica, Ohio, UnitedStates",
        "Chile borders (symmetric): Argentina, Bolivia, Peru",
        "Quito is the capital of (inverse): Ecuador",
        "capitals two borders away from Chile: Asuncion, Bogota, Brasilia, Montevideo, Quito",
        "1 Saint Lucia: Derek Walcott",
        "5 triples appear, 0 disappear",
        "0 triples appear, 252 disappear",
        "252 triples appear, 0 disappear",
        "0 triples appear, 0 disappear",
    ],
    "thesaurus.py": [
        "related to violin: cello",
        "Sonatas and Partitas, BWV 1001 to 1006 (violin)",
        "S27: violin related stringInstrument",
        "violations after taking that back: 0",
    ],
    "owl_inconsistencies.py": [
        "cax-dw: Person disjointWith Book",
        "prp-asyp",
        "eq-diff1",
        "cax-adc",
        "consistent",
    ],
    "explanation.py": [
        ":ada :worksFor :research  [prp-inv2]\n  :worksFor owl:inverseOf :employs  [asserted]",
        ":ada :worksFor :group  [prp-trp, a path of 3 steps]",
        ":ada a :Person  [prp-dom]",
        "take away: :research :employs :ada",
        "without it: <http://example.org/firm#ada> <http://example.org/firm#worksFor>",
    ],
    "changes.py": [
        "one call\n  + ada worksFor company\n  + ada worksFor research\n  + ada type Worker\n",
        "no call\nAda leaves research, and stays with the company\n  - ada worksFor research\nan axiom",
        "  - research type Worker\n  - worksFor domain Worker\n",
    ],
    "queries.py": [
        "rock: 3 samples, 22.75 kg\nigneous rock: 2 samples, 15.5 kg\n",
        "int64 [3, 2]",
        "0 rows without what follows",
        "rock: 2 samples, 19.75 kg\nigneous rock: 1 samples, 12.5 kg\n",
        "(expected 3, found 3)",
    ],
    "durable_store.py": [
        "committed: 4 triples\nAda leaves: 2 triples\nrolled back: 4 triples\n",
        "Ada works for the company: True\nnot committed yet, a reader sees it: False\n",
        ": another writer\ncommitted at the end, a reader sees it: True",
    ],
    "large_closures.py": [
        "100,010,002 triples",
        "the innermost is part of the outermost: True",
        "without the middle link: False and 50,000,002 triples",
        "with it: True and 100,010,002 triples",
        "partOf: transitive, 50,005,000 pairs in 0.",
    ],
    "rules_datalog.py": [
        "half siblings of C.P.E.: JohannChristian JohannChristophFriedrich",
        "parents before they were 30: JohannSebastian MariaBarbara",
        "JohannSebastianTheYounger",
        "after removing those rules: nobody",
    ],
}

OF_SPARK = "airports/airports.py"
"""Runs in `tests/spark`, where there is a Java."""


def test_every_example_is_tested() -> None:
    assert {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.py")} == {*SAYS, OF_SPARK}


@pytest.mark.parametrize("example", SAYS)
def test_example(example: str) -> None:
    command = [sys.executable, "-W", "error", str(EXAMPLES / example)]
    finished = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120)
    assert (finished.returncode, finished.stderr) == (0, "")
    missing = [text for text in SAYS[example] if text not in finished.stdout]
    assert missing == []
