"""Relations that change the scheme in which they are kept, or the rules that a scheme stands for, with facts on them.

Each history was once wrong, at its last step: a pair that a closure had made stayed as an edge, or held itself up; a
fact that a rule had made stayed or was missing, since the rule had moved into a scheme or out of it; one did not end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import pytest

from kgreason.engine.budget import Budget
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.schemes import standard_catalogue
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests import oracle
from tests.facade import EX, Triple, add, ex, remove, triples

PREFIXES: Final = f"@prefix e: <{EX}> . @prefix owl: <{OWL}> . "
NAMES: Final[Mapping[str, str]] = {
    "a": RDF + "type", "below": RDFS + "subPropertyOf", "Transitive": OWL + "TransitiveProperty",
    "chain": OWL + "propertyChainAxiom", "first": RDF + "first", "rest": RDF + "rest", "nil": RDF + "nil",
    "same": OWL + "sameAs",
}  # fmt: skip
EQUALITY: Final = """
    [?y, owl:sameAs, ?x] :- [?x, owl:sameAs, ?y] .
    [?z, ?p, ?y] :- [?x, owl:sameAs, ?z], [?x, ?p, ?y], ?p != owl:sameAs .
    [?x, ?p, ?z] :- [?y, owl:sameAs, ?z], [?x, ?p, ?y], ?p != owl:sameAs .
    [?x, owl:sameAs, ?z] :- [?p, a, e:Inverse], [?x, ?p, ?y], [?z, ?p, ?y], ?x != ?z . """
KINDS: Final = ", ".join(f"e:K{number}(?x)" for number in range(16))

HISTORIES: Final[Mapping[str, tuple[str, list[str]]]] = {
    "a subproperty becomes transitive, and loses a pair": (
        "owl-rl", ["+ p3 below p0, p0 a Transitive, x p3 y, y p3 z", "+ p3 a Transitive", "- y p3 z"]
    ),
    "a chain over what becomes transitive": (
        """[?x, ?p, ?z] :- [?p, a, e:Trans], [?x, ?p, ?y], [?y, ?p, ?z], ?x != ?z . e:p0(?y, ?x) :- e:p0(?x, ?y) .
        e:p1(?x, ?z) :- e:p0(?x, ?y), e:p1(?y, ?z) . e:p0(?x, ?y) :- e:p3(?x, ?y) .""",
        ["+ n1 p3 n0, n3 p1 n4, n4 p3 n1, p0 a Trans", "+ n4 p1 n3; - n1 p3 n0"],
    ),
    "a restricted closure over what is transitive no more": (
        """[?c, e:under, ?e] :- [?c, e:under, ?d], [?d, e:under, ?e], ?c != ?e . [?c, e:under, ?d] :- e:p3(?c, ?d) .
        [?x, ?r, ?z] :- [?r, e:after, ?q], [?x, ?r, ?y], [?y, ?q, ?z] .
        [?y, ?p, ?z] :- [?p, a, e:Euclidean], [?x, ?p, ?y], [?x, ?p, ?z] .""",
        [
            "+rule [?x, ?q, ?y] :- [?p, e:into, ?q], [?x, ?p, ?y] .",
            "+ p2 into p3, n4 p2 n4, n4 p3 n2, p3 after p3, p2 a Euclidean, n4 p2 n0",
            "-rule [?x, ?q, ?y] :- [?p, e:into, ?q], [?x, ?p, ?y] .",
        ],
    ),
    "an input is kept over representatives no more": (
        EQUALITY + """[?x, owl:sameAs, ?z] :- [?x, owl:sameAs, ?y], [?y, owl:sameAs, ?z], ?x != ?z .
        [?c, e:under, ?e] :- [?c, e:under, ?d], [?d, e:under, ?e] . [?c, e:under, ?d] :- e:p3(?c, ?d) . e:C2(e:n3) .""",
        ["+ p3 a Inverse, n2 p3 n4, n3 same n0, n4 same n0", "- n3 same n0"],
    ),
    "a circle loses a member, and a copy": (
        """e:p0(?x, ?y) :- e:p1(?x, ?y) . e:p1(?x, ?y) :- e:p0(?x, ?y) .
        e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z) . e:p0(?x, ?z) :- e:p1(?x, ?y), e:p1(?y, ?z) .""",
        ["+ x p1 y, y p1 z", "-rule e:p1(?x, ?y) :- e:p0(?x, ?y) .", "-rule e:p0(?x, ?y) :- e:p1(?x, ?y) ."],
    ),
    "a circle gains a member": (
        """e:p0(?x, ?y) :- e:p1(?x, ?y) . e:p1(?x, ?y) :- e:p2(?x, ?y) .
        e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z) . e:p0(?x, ?z) :- e:p1(?x, ?y), e:p1(?y, ?z) .""",
        ["+ x p2 y, y p2 z, z p0 w", "+rule e:p1(?x, ?y) :- e:p0(?x, ?y) .", "- x p2 y"],
    ),
    "a circle of axioms loses a member": (
        "owl-rl",
        [
            "+ p1 below p0, p0 below p1, p0 a Transitive, p0 chain l, l first p1, l rest m, m first p1, m rest nil",
            "+ x p1 y, y p1 z, z p0 w",
            "- p0 below p1",
            "- p1 below p0",
        ],
    ),
    "a rule that makes two predicates equal about one of them": (
        """[?y, owl:sameAs, ?x] :- [?x, owl:sameAs, ?y] . [?z, ?p, ?y] :- [?x, owl:sameAs, ?z], [?x, ?p, ?y] .
        [?x, ?p, ?z] :- [?y, owl:sameAs, ?z], [?x, ?p, ?y] . [?x, ?q, ?y] :- [?p, owl:sameAs, ?q], [?x, ?p, ?y] .
        [?x, owl:sameAs, ?z] :- [?p, a, e:Inverse], [?x, ?p, ?y], [?z, ?p, ?y], ?x != ?z .
        e:p2(e:n2, ?y) :- e:p3(e:n2, ?y) .""",
        ["+rule e:p3(e:n2, ?y) :- e:p2(e:n1, ?y) .", "+ p2 a Inverse, n2 p2 n0, p2 p2 n0"],
    ),
    "what is both ways holds itself up by way of an equal thing": (
        """[?c, e:both, ?d] :- [?c, e:under, ?d], [?d, e:under, ?c], ?c != ?d . [?d, e:under, ?c] :- [?c, e:both, ?d] .
        [?c, e:under, ?e] :- [?c, e:under, ?d], [?d, e:under, ?e] . [?c, e:under, ?d] :- e:p3(?c, ?d) .
        [?x, ?p, ?z] :- [?y, owl:sameAs, ?z], [?x, ?p, ?y] .""",
        ["+ n0 p3 n1, n1 p3 n0, n1 same n1, " + ", ".join(f"m{n} p3 k{n}" for n in range(100)), "- n1 p3 n0"],
    ),
    "a long rule derives what a closure has": (
        f"""e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z) . e:p0(?x, ?y) :- e:p2(?x, ?y), {KINDS} .
        e:p2(?x, ?z) :- e:p2(?x, ?y), e:p0(?y, ?z), e:p3(?x, ?z) .""",
        [
            "+ " + ", ".join(f"n0 a K{number}" for number in range(16)) + ", n0 p0 n1, n1 p0 n2",
            "+ n5 p2 n5, n5 p3 n6",
            "+ n0 p2 n2",
            "- n0 p0 n1",
        ],
    ),
}  # fmt: skip


def _triples(text: str) -> list[Triple]:
    rows = [each.split() for each in text.split(",")]
    found = [[IRI(NAMES[name]) if name in NAMES else ex(name) for name in row] for row in rows]
    return [(subject, predicate, object) for subject, predicate, object in found]


def _program(rules: str) -> Program:
    return resolve_rules(rules) if rules == "owl-rl" else parse_program(PREFIXES + rules)


def _take(base: KnowledgeBase, step: str) -> None:
    """Change a knowledge base."""
    for part in step.split("; "):
        what, text = part.split(" ", 1)
        match what:
            case "+rule":
                base.add_rules(_program(text))
            case "-rule":
                base.remove_rules(_program(text))
            case _:
                (add if what == "+" else remove)(base, *_triples(text))


@pytest.mark.parametrize("join_limit", [0, 1000])
@pytest.mark.parametrize("name", HISTORIES)
def test_facts_are_those_that_follow(name: str, join_limit: int) -> None:
    rules, steps = HISTORIES[name]
    base = KnowledgeBase(_program(rules), replace(standard_catalogue(), join_limit=join_limit))
    base.budget = Budget(seconds=60)
    for step in steps:
        _take(base, step)
        found = triples(base, base.all())
        base._check()
        assert found == oracle.closure(base.program, triples(base, base.explicit())), step
