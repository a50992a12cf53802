"""Would catch a condition about many relations whose violations differ when it is joined over all of them together: for
rdf:type among the properties, a literal among the classes, or a class that nothing is a member of."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, XSD
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import EX, Triple, add, ex
from tests.profiles import examples
from tests.thresholds import tuning_context

TYPE = IRI(RDF + "type")
RULES = parse_program(f"""@prefix e: <{EX}> .
#[name("disjoint")] false :- [?c, e:apart, ?d], [?x, a, ?c], [?x, a, ?d] .
#[name("exclusive")] false :- [?p, e:excludes, ?q], [?x, ?p, ?y], [?x, ?q, ?y] .
#[name("one way")] false :- [?p, a, e:OneWay], [?x, ?p, ?y], [?y, ?p, ?x] .
#[name("required")] false :- [?c, e:needs, ?p], [?p, e:of, ?d], [?x, a, ?c], [?x, ?p, ?y], ~[?y, a, ?d], ?c != ?d .
#[name("both")] false :- [?c, e:apart, ?p], [?x, a, ?c], [?c, ?p, ?x] .
#[name("any")] false :- [?x, ?p, ?y], [?p, e:never, ?y], ~[?p, e:excludes, ?p] .
[?x, a, ?d] :- [?x, a, ?c], [?c, e:below, ?d] .
""")
NODES = [ex(name) for name in "abc"]
CLASSES = [*(ex(name) for name in ("C", "D", "E", "OneWay")), Literal("7", XSD + "integer"), NODES[0]]
PROPERTIES = [ex("p"), ex("q"), TYPE]
nodes, classes, properties = st.sampled_from(NODES), st.sampled_from(CLASSES), st.sampled_from(PROPERTIES)
resources = st.sampled_from([each for each in CLASSES if isinstance(each, IRI)])
FACTS = st.one_of(
    st.tuples(nodes, properties, st.one_of(nodes, classes)),
    st.tuples(resources, properties, nodes),
    st.tuples(st.one_of(nodes, properties), st.just(TYPE), classes),
    st.tuples(resources, st.sampled_from([ex("apart"), ex("below")]), st.one_of(classes, properties)),
    st.tuples(resources, st.just(ex("needs")), properties),
    st.tuples(properties, st.sampled_from([ex("excludes"), ex("never"), ex("of")]), st.one_of(properties, classes)),
)


@given(facts=st.lists(FACTS, max_size=14))
@settings(max_examples=examples(150))
def test_violations_are_the_same_together_as_one_by_one(facts: list[Triple]) -> None:
    assert violations(facts, 0) == violations(facts, 1 << 40)


def test_members_of_two_disjoint_classes_among_many() -> None:
    facts = [(ex(f"C{i}"), ex("apart"), ex(f"C{j}")) for i in range(9) for j in range(i)]
    facts += [(ex(f"m{i}"), TYPE, ex(f"C{i}")) for i in range(9)]
    clash = (ex("m3"), TYPE, ex("C7"))

    found = violations([*facts, clash], 20)

    assert found == {("disjoint", frozenset([(ex("C7"), ex("apart"), ex("C3")), (ex("m3"), TYPE, ex("C3")), clash]))}


def test_no_class_is_named() -> None:
    assert violations([(ex("a"), IRI(OWL + "sameAs"), ex("b"))], 0) == set()


def violations(facts: list[Triple], least: int) -> set[tuple[str, frozenset[Triple]]]:
    base = KnowledgeBase(RULES)
    add(base, *facts)
    with tuning_context() as tuned:
        tuned(GATHERED_LEAST=least)
        return {(found.rule, frozenset(found.triples)) for found in base.inconsistencies()}
