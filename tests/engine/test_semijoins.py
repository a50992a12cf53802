"""Large joins that a unary atom reduces first: what many facts still follow from, at either end of the pairs."""

from __future__ import annotations

import pytest

from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import EX, add, ex, remove, triples

PREFIX = f"@prefix e: <{EX}> .\n"
TYPE = IRI(RDF_TYPE)
COUNT = 60
ENDS = {"subject": "[?x, e:p, ?y]", "object": "[?y, e:p, ?x]"}


@pytest.mark.parametrize("needed", [False, True])
@pytest.mark.parametrize("end", ENDS)
def test_what_else_supports_many_facts(end: str, needed: bool) -> None:
    """Members of H by way of d, and every other one by way of p and C as well: what is in d goes and comes back."""
    filters = ", ?y != e:y2" if needed else ""
    rules = f"[?x, a, e:H] :- [?x, e:d, ?y] . [?x, a, e:H] :- {ENDS[end]}, [?y, a, e:C]{filters} ."
    base = KnowledgeBase(parse_program(PREFIX + rules))
    pairs = [(ex(f"x{number}"), ex(f"y{number}")) for number in range(COUNT)]
    members = [(x, ex("d"), ex("o")) for x, _ in pairs]
    add(base, *members, *((x, ex("p"), y) if end == "subject" else (y, ex("p"), x) for x, y in pairs))
    add(base, *((y, TYPE, ex("C")) for _, y in pairs[::2]))
    kept = {x for x, y in pairs[::2] if not needed or y != ex("y2")}
    everything = triples(base, base.all())
    for gone in (members, members[: COUNT // 2]):
        remove(base, *gone)
        left = {x for x, _, _ in members[len(gone) :]} | kept
        assert {s for s, p, o in triples(base, base.all()) if (p, o) == (TYPE, ex("H"))} == left
        add(base, *gone)
        assert triples(base, base.all()) == everything
