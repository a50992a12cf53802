"""Random programs of rules about paths, copies and pairs both ways: histories against the oracle, and proofs.

They show a pair that two relations hold up for each other, one that a scheme leaves out though a source has it, and
two schemes that keep the same relation."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import RDF
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.test_equalities import batches, run
from tests.engine.test_oracle import PREFIX
from tests.engine.test_restricted_closures import WAYS
from tests.facade import Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.proofs.test_random_proofs import explain_everything
from tests.stratification_reference import is_stratified
from tests.thresholds import Tuned, shrink

FORMS = """
A(?x, ?z) :- A(?x, ?y), A(?y, ?z) .
A(?x, ?z) :- A(?x, ?y), A(?y, ?z), ?x != ?z .
A(?x, ?z) :- A(?x, ?y), A(?y, ?z), ?z != e:n1 .
A(?x, ?z) :- A(?x, ?y), A(?y, ?z), ?x != ?z, ?z != e:n2 .
B(?x, ?y) :- A(?x, ?y), A(?y, ?x) WHERE .
B(?x, ?y) :- A(?x, ?y), A(?y, ?x) WHERE .
B(?x, ?y) :- A(?x, ?y) WHERE .
B(?x, ?y) :- A(?x, ?y) WHERE .
B(?y, ?x) :- A(?x, ?y) WHERE .
B(?x, ?y), B(?y, ?x) :- A(?x, ?y) WHERE .
B(?x, ?y) :- A(?x, ?y), D(?x, ?x) WHERE .
B(?x, ?y) :- A(?x, ?y), D(?y, ?x) WHERE .
B(?x, ?z) :- A(?x, ?y), D(?y, ?z) .
A(?x, ?z) :- A(?x, ?y), D(?y, ?z) .
A(?x, ?z) :- D(?y, ?x), A(?y, ?z) .
B(?x, ?x) :- A(?x, ?y) .
B(?x, ?y) :- e:C0(?x), A(?x, ?y) WHERE .
e:C0(?x) :- A(?x, ?y), e:C0(?y) .
e:C1(?x) :- A(?x, ?y), ~B(?y, ?x) .
[?x, ?p, ?z] :- [?p, a, e:C1], [?x, ?p, ?y], [?y, ?p, ?z], ?x != ?z .
[?x, ?p, ?y] :- [?p, e:p3, ?q], [?x, ?q, ?y], [?y, ?q, ?x] WHERE .
[?x, ?p, ?y] :- [?q, e:p3, ?p], [?x, ?q, ?y] WHERE .
[?y, ?p, ?x] :- [?p, a, e:C0], [?x, ?p, ?y] .
""".strip().splitlines()
WHERE = ["", "", ", ?x != ?y", ", ?y != e:n1", ", ?x != ?y, ?x != e:n2"]
THINGS = [ex(f"n{i}") for i in range(4)]
RELATIONS = [ex(f"p{i}") for i in range(3)]
CLASSES = [ex("C0"), ex("C1")]


@st.composite
def _rules(draw: st.DrawFn) -> str:
    """Some rules, one of them a closure."""
    names = st.sampled_from(["e:p0", "e:p0", "e:p0", "e:p1", "e:p1", "e:p2", "e:p3"])
    forms = [draw(st.sampled_from(FORMS[:4])).replace("A", "e:p0")]
    for form in draw(st.lists(st.sampled_from(FORMS), min_size=2, max_size=7)):
        head, arrow, body = form.partition(" :- ")
        for letter in "ABD":
            name = draw(names)
            head, body = head.replace(f"{letter}(", f"{name}("), body.replace(f"{letter}(", f"{name}(")
        forms.append(head + arrow + body.replace(" WHERE", draw(st.sampled_from(WHERE))))
    return "\n".join(forms)


_edges = st.tuples(
    st.sampled_from(THINGS),
    st.sampled_from([ex(f"p{number}") for number in (0, 0, 0, 1, 2, 3)]),
    st.sampled_from([*THINGS, *THINGS, *THINGS, Literal("n")]),
)
_axioms = st.one_of(
    st.tuples(st.sampled_from([*THINGS, *RELATIONS]), st.just(IRI(RDF + "type")), st.sampled_from(CLASSES)),
    st.tuples(st.sampled_from(RELATIONS), st.just(ex("p3")), st.sampled_from(RELATIONS)),
)
_triples = st.one_of(_edges, _edges, _edges, _axioms)


@pytest.mark.parametrize("schemes", [AUTO, PLAIN])
@pytest.mark.parametrize("way", [None, *WAYS])
def test_histories(way: str | None, schemes: str, tuned: Tuned) -> None:
    if way is not None:
        shrink(tuned)
        tuned(REMADE_LEAST=1 << 40, **WAYS[way])

    @given(rules=_rules(), changes=batches(_triples))
    @settings(max_examples=examples(60))
    def check(rules: str, changes: list[list[tuple[bool, Triple]]]) -> None:
        program = parse_program(PREFIX + rules)
        assume(is_stratified(program))
        run(KnowledgeBase(program, schemes=schemes), changes)

    check()


@given(rules=_rules(), changes=batches(_triples))
@settings(max_examples=examples(20))
def test_everything_has_a_proof(rules: str, changes: list[list[tuple[bool, Triple]]]) -> None:
    program = parse_program(PREFIX + rules)
    assume(is_stratified(program))
    base = KnowledgeBase(program)
    for change in changes:
        for is_added, triple in change:
            (add if is_added else remove)(base, triple)
    base.flush()
    explain_everything(base, program, [*triples(base, base.explicit())])
