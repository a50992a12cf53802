"""Would catch a cell of the table of rule languages in the documentation that the readers contradict.

Each row and text language has a rule set, which is read where the table says so, and refused where it says that.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from kgreason import ReasoningStore
from kgreason.errors import RuleError
from kgreason.program.rules import Program
from kgreason.rule_translation.n3 import parse_n3
from kgreason.sparql_rl.documents import read_text
from kgreason.store.rule_sets import parse_rules

NONE = ("", "\N{EN DASH}")
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "rule-languages.md"
OWN, RL, NEMO, RDFOX, N3 = LANGUAGES = ("our own text", "SPARQL-RL", "Nemo", "RDFox", "N3")
PREFIXES = {
    RL: "PREFIX : <http://e/> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n",
    N3: "@prefix : <http://e/> . @prefix log: <http://www.w3.org/2000/10/swap/log#> .\n",
}
OURS = "@prefix : <http://e/> .\n"
READERS: dict[str, Callable[[str], Program]] = {RL: read_text, N3: lambda text: parse_n3(text, "rules", "http://e/")}

ROWS: dict[str, dict[str, str]] = {
    "triples with constant predicates": {
        **dict.fromkeys((OWN, NEMO), ":p(?x, ?y) :- :q(?x, ?y) ."), RL: "RULE { ?x :p ?y } WHERE { ?x :q ?y }",
        RDFOX: "[?x, :p, ?y] :- [?x, :q, ?y] .", N3: "{ ?x :q ?y } => { ?x :p ?y } .",
    },
    "variable predicates": {
        OWN: "[?y, ?p, ?x] :- [?p, rdf:type, :S], [?x, ?p, ?y] .", RL: "RULE { ?y ?p ?x } WHERE { ?p a :S . ?x ?p ?y }",
        RDFOX: "[?y, ?p, ?x] :- [?p, rdf:type, :S], [?x, ?p, ?y] .", N3: "{ ?p a :S . ?x ?p ?y } => { ?y ?p ?x } .",
    },
    "relations of any arity beside triples": {
        **dict.fromkeys((OWN, NEMO, RDFOX), "r(?x, ?y, ?x) :- :q(?x, ?y) . :p(?x, ?y) :- r(?x, ?y, ?x) ."),
    },
    "several heads": {
        **dict.fromkeys((OWN, NEMO), ":p(?x, ?y), :r(?y, ?x) :- :q(?x, ?y) ."),
        RL: "RULE { ?x :p ?y . ?y :r ?x } WHERE { ?x :q ?y }", RDFOX: "[?x, :p, ?y], [?y, :r, ?x] :- [?x, :q, ?y] .",
        N3: "{ ?x :q ?y } => { ?x :p ?y . ?y :r ?x } .",
    },
    "facts in the rule set": {
        **dict.fromkeys((OWN, NEMO), ":p(:a, :b) ."), RL: "DATA { :a :p :b }", RDFOX: "[:a, :p, :b] .",
        N3: ":a :p :b . { ?x :p ?y } => { ?y :p ?x } .",
    },
    "recursion": {
        **dict.fromkeys((OWN, NEMO), ":p(?x, ?z) :- :p(?x, ?y), :p(?y, ?z) ."),
        RL: "RULE { ?x :p ?z } WHERE { ?x :p ?y . ?y :p ?z }", RDFOX: "[?x, :p, ?z] :- [?x, :p, ?y], [?y, :p, ?z] .",
        N3: "{ ?x :p ?y . ?y :p ?z } => { ?x :p ?z } .",
    },
    "negation of an atom": {
        **dict.fromkeys((OWN, NEMO), ":p(?x, ?y) :- :q(?x, ?y), ~:r(?x, ?y) ."),
        RL: "RULE { ?x :p ?y } WHERE { ?x :q ?y NOT { ?x :r ?y } }",
        RDFOX: "[?x, :p, ?y] :- [?x, :q, ?y], NOT [?x, :r, ?y] .",
        N3: "{ ?x :q ?y . ?scope log:notIncludes { ?x :r ?y } } => { ?x :p ?y } .",
    },
    "negation of several atoms and filters": {
        **dict.fromkeys((OWN, NEMO), "n(?x) :- :r(?x, ?y), :q(?y, ?y) . :p(?x, ?y) :- :q(?x, ?y), ~n(?x) ."),
        RL: "RULE { ?x :p ?y } WHERE { ?x :q ?y NOT { ?x :r ?z . ?z :q ?w FILTER(?w != ?y) } }",
        RDFOX: "[?x, :p, ?y] :- [?x, :q, ?y], NOT EXISTS ?z IN ([?x, :r, ?z], [?z, :q, ?y]) .",
    },
    "asserted triples alone": {
        OWN: ":p(?x, ?y) :- asserted-triple(?x, :q, ?y) .", RL: "RULE { ?x :p ?y } WHERE DATA { ?x :q ?y }",
    },
    "filters and SPARQL's functions": {
        **dict.fromkeys((OWN, NEMO), ':p(?x, ?y) :- :q(?x, ?y), ?y > 1, STRSTARTS(STR(?x), "h") .'),
        RL: 'RULE { ?x :p ?y } WHERE { ?x :q ?y FILTER(?y > 1 && STRSTARTS(STR(?x), "h")) }',
        RDFOX: '[?x, :p, ?y] :- [?x, :q, ?y], FILTER(?y > 1 && STRSTARTS(STR(?x), "h")) .',
        N3: "{ ?x :q ?y . ?y <http://www.w3.org/2000/10/swap/math#greaterThan> 1 } => { ?x :p ?y } .",
    },
    "assignments": {
        OWN: ":p(?x, ?z) :- :q(?x, ?y), BIND(?y + 1 AS ?z) .", NEMO: ":p(?x, ?z) :- :q(?x, ?y), ?z = ?y + 1 .",
        RL: "RULE { ?x :p ?z } WHERE { ?x :q ?y SET(?z := ?y + 1) }",
        RDFOX: "[?x, :p, ?z] :- [?x, :q, ?y], BIND(?y + 1 AS ?z) .",
        N3: "{ ?x :q ?y . (?y 1) <http://www.w3.org/2000/10/swap/math#sum> ?z } => { ?x :p ?z } .",
    },
    "functions of the clock or of chance": {
        **dict.fromkeys((OWN, NEMO, RDFOX), ":p(?x, ?z) :- :q(?x, ?y), BIND(RAND() AS ?z) ."),
        RL: "RULE { ?x :p ?z } WHERE { ?x :q ?y SET(?z := NOW()) }",
    },
    "triple terms and reifiers": {
        OWN: ":p(?x, <<( :a :b :c )>>) :- :q(?x, ?t), isTRIPLE(?t) .",
        RL: "RULE { ?s :p ?o } WHERE { << ?s :q ?o ~ ?r >> :by :me }",
    },
    "named rules": {OWN: '#[name("r")] :p(?x, ?y) :- :q(?x, ?y) .', RL: "RULE :r { ?x :p ?y } WHERE { ?x :q ?y }"},
}  # fmt: skip


def table() -> dict[str, dict[str, str]]:
    """The cells of the page by feature and language."""
    lines = PAGE.read_text(encoding="utf-8").partition("## Feature by feature")[2].splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


CELLS = [
    pytest.param(feature, language, text, id=f"{feature}, {language}")
    for feature, samples in ROWS.items()
    for language, text in samples.items()
]


@pytest.mark.parametrize(("feature", "language", "text"), CELLS)
def test_a_cell_is_what_the_reader_does(feature: str, language: str, text: str) -> None:
    read = READERS.get(language, parse_rules)
    is_refused = table()[feature][language].startswith("refused")

    with pytest.raises(RuleError) if is_refused else nullcontext():
        ReasoningStore(rules=str(read(PREFIXES.get(language, OURS) + text)))


def test_each_row_with_samples_is_in_the_table() -> None:
    cells = table()

    assert ROWS.keys() <= cells.keys()
    assert all(cells[feature][language] not in NONE for feature, samples in ROWS.items() for language in samples)
