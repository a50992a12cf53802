"""Would catch a rule of two atoms that is taken for transitivity and is something else, or the other way round."""

from __future__ import annotations

from itertools import product

import pytest

from kgreason.program.parser import parse_program
from kgreason.relations.catalogue import AUTO
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.facade import EX, add, ex, triples

PAIRS = [f"{first}, {second}" for first, second in product(("?x", "?y", "?z"), repeat=2)]
DATA = [(ex(s), ex("r"), ex(o)) for s, o in ("ca", "ab", "bb", "ac", "de", "ed")]


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("first", PAIRS)
def test_rule_of_two_pairs_derives_what_it_says(first: str, symmetric: bool) -> None:
    turned = "e:r(?y, ?x) :- e:r(?x, ?y) ." if symmetric else ""
    for second in PAIRS:
        body = f"e:r({first}), e:r({second})"
        if "?x" in body and "?z" in body:
            program = parse_program(f"@prefix e: <{EX}> . e:r(?x, ?z) :- {body} . {turned}")
            base = KnowledgeBase(program, AUTO)
            add(base, *DATA)

            assert triples(base, base.all()) == oracle.closure(program, DATA), body
