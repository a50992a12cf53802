"""Proofs in every form, and which of several ones is found."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise

import pytest

from kgreason.errors import UnknownTripleError
from kgreason.program.parser import parse_program
from kgreason.proofs.proof import Proof
from kgreason.proofs.proof_texts import Names
from kgreason.proofs.search import prove
from kgreason.proofs.steps import TRIPLE, Fact
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import OWL, RDF, RDFS, STANDARD_PREFIXES, XSD
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import Rules
from tests import oracle
from tests.facade import EX, Triple, add, ex
from tests.proof_checker import Checker

TYPE, SUBCLASS, SUBPROPERTY = IRI(RDF + "type"), IRI(RDFS + "subClassOf"), IRI(RDFS + "subPropertyOf")
TRANSITIVE, SAME_AS = IRI(OWL + "TransitiveProperty"), IRI(OWL + "sameAs")
PREFIX = f"@prefix e: <{EX}> .\n"
PREFIXES = {**STANDARD_PREFIXES, "e": EX}


def explained(rules: Rules, asserted: Iterable[Triple], triple: Triple, schemes: str = AUTO) -> Proof[Term]:
    """A proof of a triple that was checked."""
    asserted = list(asserted)
    base = KnowledgeBase(rules, schemes)
    add(base, *asserted)
    proof = base.explain(*map(base.dictionary.encode, triple)).with_prefixes(PREFIXES)
    Checker(base.program, asserted, oracle.facts(base.program, asserted)).check(proof, triple)
    return proof


def chain(predicate: str, nodes: str) -> list[Triple]:
    return [(ex(x), ex(predicate), ex(y)) for x, y in pairwise(nodes)]


SAM = [(ex("sam"), TYPE, ex("Dog")), (ex("Dog"), SUBCLASS, ex("Animal"))]


@pytest.mark.parametrize(
    "condition",
    ["?a < 1 || ISLITERAL(?a)", "!(?a < 1 && ISIRI(?a))", "COALESCE(?a + 1, 5) = 5", "IF(?a = 1, ?a + 1, true)"],
)
def test_an_error_that_does_not_matter_is_no_obstacle_to_a_proof(condition: str) -> None:
    rule = f"{PREFIX} e:good(?x) :- e:says(?x, ?a), {condition} ."
    explained([parse_program(rule)], [(ex("sam"), ex("says"), Literal("b"))], (ex("sam"), TYPE, ex("good")))


def test_iris_of_a_rule_are_short_and_texts_stay() -> None:
    rule = f'[?x, <{EX}p>, ?y] :- [?x, <{EX}q>, "<{EX}z> \\"<{EX}z>"^^<{XSD}string>], FILTER(?y < 3), FILTER(?x > 2) .'
    short = f'[?x, e:p, ?y] :- [?x, e:q, "<{EX}z> \\"<{EX}z>"^^xsd:string], FILTER(?y < 3), FILTER(?x > 2) .'
    assert Names(PREFIXES).shorten_all(rule) == short


class TestForms:
    def test_text_is_a_tree_with_the_rule_of_each_step(self) -> None:
        proof = explained("rdfs", SAM, (ex("sam"), TYPE, ex("Animal")))
        assert str(proof).splitlines() == [
            "e:sam a e:Animal  [rdfs9]",
            "  e:Dog rdfs:subClassOf e:Animal  [asserted]",
            "  e:sam a e:Dog  [asserted]",
        ]
        assert proof.triple == (ex("sam"), TYPE, ex("Animal"))
        assert sorted(map(str, proof.asserted())) == sorted(map(str, SAM))

    def test_markdown_quotes_backticks(self) -> None:
        odd = [(ex("sam"), ex("says"), Literal("a `tick`")), (ex("says"), SUBPROPERTY, ex("utters"))]
        proof = explained("rdfs", odd, (ex("sam"), ex("utters"), Literal("a `tick`")))
        assert proof.to_markdown().splitlines() == [
            '- `` e:sam e:utters "a `tick`" `` (**rdfs7**)',
            "  - `e:says rdfs:subPropertyOf e:utters` (*asserted*)",
            '  - `` e:sam e:says "a `tick`" `` (*asserted*)',
        ]

    def test_json_has_the_facts_and_steps_of_a_proof(self) -> None:
        rules = PREFIX + '#[name("old")] e:Old(?x) :- e:age(?x, ?y), ?z = ?y + 1, ?z > 9, ~seen(?x, _) .'
        proof = explained(rules, [(ex("sam"), ex("age"), Literal("9", XSD + "integer"))], (ex("sam"), TYPE, ex("Old")))
        found = json.loads(proof.to_json())
        assert found["conclusion"] == {"triple": [str(ex("sam")), str(TYPE), str(ex("Old"))]}
        fact, step = found["steps"]
        assert fact == {"number": 1, "triple": [str(part) for part in proof.asserted()[0]], "asserted": True}
        assert (step["number"], step["rule"], step["premises"]) == (2, "old", [1])
        assert step["absent"] == [{"relation": "seen", "arguments": [str(ex("sam")), None]}]
        ten, nine, one = (f'"{number}"^^<{XSD}integer>' for number in (10, 9, 1))
        assert step["conditions"] == [f"{ten} = ({nine} + {one})", f"{ten} > {nine}"]
        assert step["text"] == str(parse_program(rules).rules[0])
        assert "path" not in step
        assert str(proof).splitlines()[2:] == [
            "  no seen(e:sam, ?)  [absent]",
            '  "10"^^xsd:integer = ("9"^^xsd:integer + "1"^^xsd:integer)  [true]',
            '  "10"^^xsd:integer > "9"^^xsd:integer  [true]',
        ]

    def test_what_was_shown_is_referred_to(self) -> None:
        rules = PREFIX + "e:b(?x) :- e:a(?x) . e:c(?x) :- e:b(?x) . e:d(?x) :- e:b(?x), e:c(?x) ."
        lines = str(explained(rules, [(ex("x"), TYPE, ex("a"))], (ex("x"), TYPE, ex("d")))).splitlines()
        assert [line.partition("  [")[0].strip() for line in lines] == [
            "e:x a e:d", "e:x a e:b", "e:x a e:a", "e:x a e:c", "e:x a e:b",
        ]  # fmt: skip
        assert lines[-1].endswith("[see above]")

    def test_a_rule_without_a_name_is_shown_by_its_text(self) -> None:
        rules = PREFIX + "e:b(?x) :- e:a(?x) ."
        first = str(explained(rules, [(ex("x"), TYPE, ex("a"))], (ex("x"), TYPE, ex("b")))).splitlines()[0]
        assert first == f"e:x a e:b  [{parse_program(rules).rules[0]}]"

    def test_names_are_shortened_where_prefixes_allow(self) -> None:
        odd = ["a/b", "a.b", "a.", "", "é"]
        triples = [(ex(name), ex("p"), Literal("5", XSD + "integer")) for name in odd]
        shown = [str(explained("none", triples, triple)).partition(" ")[0] for triple in triples]
        assert shown == [f"<{EX}a/b>", "e:a.b", f"<{EX}a.>", "e:", f"<{EX}é>"]
        quoted = (BlankNode("b"), ex("p"), Literal(f"<{EX}p>"))
        assert str(explained("none", [quoted], quoted)) == f'_:b e:p "<{EX}p>"  [asserted]'

    @pytest.mark.slow
    def test_deep_proofs(self) -> None:
        count = 3000
        links = [(ex(f"n{i}"), ex("next"), ex(f"n{i + 1}")) for i in range(count)]
        base = KnowledgeBase(PREFIX + "e:In(?y) :- e:In(?x), e:next(?x, ?y) .")
        add(base, *links, (ex("n0"), TYPE, ex("In")))
        proof = base.explain(*map(base.dictionary.encode, (ex(f"n{count}"), TYPE, ex("In"))))
        assert len(proof.steps) == 2 * count + 1
        text, markdown = str(proof).splitlines(), proof.to_markdown().splitlines()
        assert len(text) == len(markdown) == 2 * count + 1
        assert f"{'  ' * 100}{count}: <{EX}n0> a <{EX}In>  [asserted]" in text
        assert f"{'  ' * 100}- {count}: `<{EX}n0> a <{EX}In>` (*asserted*)" in markdown
        assert max(map(len, text)) < 500


@pytest.mark.parametrize("schemes", [AUTO, PLAIN])
class TestPaths:
    def test_transitive_property_is_explained_by_a_path(self, schemes: str) -> None:
        facts = [*chain("in", "abcd"), (ex("in"), TYPE, TRANSITIVE), (ex("a"), ex("in"), ex("z"))]
        proof = explained("owl-rl", facts, (ex("a"), ex("in"), ex("d")), schemes)
        assert str(proof).splitlines() == [
            "e:a e:in e:d  [prp-trp, a path of 3 steps]",
            "  e:in a owl:TransitiveProperty  [asserted]",
            "  e:a e:in e:b  [asserted]",
            "  e:b e:in e:c  [asserted]",
            "  e:c e:in e:d  [asserted]",
        ]
        assert json.loads(proof.to_json())["steps"][-1]["path"] == [str(ex(node)) for node in "abcd"]

    def test_a_path_of_what_follows(self, schemes: str) -> None:
        facts = [*chain("in", "abc"), *chain("part", "cde"), *chain("in", "ef")]
        facts += [(ex("in"), TYPE, TRANSITIVE), (ex("part"), SUBPROPERTY, ex("in"))]
        proof = explained("owl-rl", facts, (ex("a"), ex("in"), ex("f")), schemes)
        assert proof.steps[-1].path == tuple(map(ex, "abcdef"))

    def test_a_circle_leads_back(self, schemes: str) -> None:
        facts = [*chain("in", "abca"), (ex("in"), TYPE, TRANSITIVE)]
        proof = explained("owl-rl", facts, (ex("b"), ex("in"), ex("b")), schemes)
        assert proof.steps[-1].path == tuple(map(ex, "bcab"))

    def test_filters_on_the_ends(self, schemes: str) -> None:
        """A shortest path through a node that the rule keeps out is none."""
        rules = PREFIX + "e:in(?x, ?z) :- e:in(?x, ?y), e:in(?y, ?z), ?x != ?z, ?z != e:no ."
        way = [*chain("in", "abcde"), (ex("a"), ex("in"), ex("i")), (ex("i"), ex("in"), ex("no"))]
        shorter = [*way, (ex("no"), ex("in"), ex("e"))]
        assert len(explained(rules, shorter, (ex("a"), ex("in"), ex("e")), schemes).steps) > 1
        assert explained(rules, way, (ex("a"), ex("in"), ex("e")), schemes).steps[-1].path == tuple(map(ex, "abcde"))

    def test_superclass_is_explained_by_a_path(self, schemes: str) -> None:
        facts = [(subject, SUBCLASS, object) for subject, _, object in chain("in", "abcd")]
        proof = explained("owl-rl", facts, (ex("a"), SUBCLASS, ex("d")), schemes)
        assert str(proof).splitlines()[0] == "e:a rdfs:subClassOf e:d  [scm-sco, a path of 3 steps]"

    def test_user_relation(self, schemes: str) -> None:
        rules = PREFIX + "way(?x, ?y) :- e:in(?x, ?y) . way(?x, ?z) :- way(?x, ?y), way(?y, ?z) ."
        rules += " e:far(?x, ?y) :- way(?x, ?y) ."
        proof = explained(rules, chain("in", "abcde"), (ex("a"), ex("far"), ex("e")), schemes)
        assert proof.steps[-2].conclusion == Fact("way", (ex("a"), ex("e")))
        assert proof.steps[-2].path == tuple(map(ex, "abcde"))

    def test_same_as(self, schemes: str) -> None:
        """Identity is irreflexive in owl-rl, symmetric, and given by functional properties as well."""
        facts = [(ex("b"), SAME_AS, ex("a")), (ex("b"), SAME_AS, ex("c"))]
        facts += [(ex("id"), TYPE, IRI(OWL + "FunctionalProperty"))]
        facts += [(ex("x"), ex("id"), ex("c")), (ex("x"), ex("id"), ex("d"))]
        proof = explained("owl-rl", facts, (ex("a"), SAME_AS, ex("d")), schemes)
        assert len(proof.asserted()) == len(facts)
        assert max(len(step.path) for step in proof.steps) >= 3  # from a to d at once, or by way of one that is equal

    def test_a_long_detour_where_the_short_way_is_circular(self, schemes: str) -> None:
        """The edge from a to d follows only from the pair itself and must not prove it."""
        rules = PREFIX + """
            e:in(?x, ?z) :- e:in(?x, ?y), e:in(?y, ?z) .
            e:in(?x, ?y) :- e:seen(?x, ?y) . e:seen(?x, ?y) :- e:in(?x, ?y), e:Marked(?x) .
        """
        facts = [*chain("in", "abcd"), (ex("a"), TYPE, ex("Marked"))]
        proof = explained(rules, facts, (ex("a"), ex("in"), ex("d")), schemes)
        assert proof.steps[-1].path == tuple(map(ex, "abcd"))
        assert len(explained(rules, facts, (ex("a"), ex("seen"), ex("d")), schemes).asserted()) == 4


class TestWhichProof:
    def test_asserted_facts_rest_on_nothing(self) -> None:
        asserted = [*SAM, (ex("sam"), TYPE, ex("Animal"))]
        assert len(explained("rdfs", asserted, asserted[-1]).steps) == 1

    def test_no_circles(self) -> None:
        rules = PREFIX + "e:b(?x) :- e:a(?x) . e:a(?x) :- e:b(?x) . e:b(?x) :- e:c(?x) ."
        proof = explained(rules, [(ex("x"), TYPE, ex("c"))], (ex("x"), TYPE, ex("a")))
        assert len(proof.steps) == 3

    def test_facts_of_the_program(self) -> None:
        proof = explained(PREFIX + "e:a(e:x) . e:b(?x) :- e:a(?x) .", [], (ex("x"), TYPE, ex("b")))
        assert [step.rule is None for step in proof.steps] == [False, False]
        assert proof.asserted() == []

    @pytest.mark.slow
    def test_a_member_rests_on_its_whole_list(self) -> None:
        """Cut off behind the member, the list would say nothing."""
        cells = [ex(f"l{number}") for number in range(600)]
        facts = [(ex("C"), IRI(OWL + "oneOf"), cells[0])]
        facts += [(cell, IRI(RDF + "first"), ex(f"m{number}")) for number, cell in enumerate(cells)]
        facts += list(zip(cells, [IRI(RDF + "rest")] * len(cells), [*cells[1:], IRI(RDF + "nil")], strict=True))
        base = KnowledgeBase("owl-rl")
        add(base, *facts)
        for position in (0, 2, 599):
            triple = (ex(f"m{position}"), TYPE, ex("C"))
            proof = base.explain(*map(base.dictionary.encode, triple))
            Checker(base.program, facts, set()).check(proof, triple)
            assert set(proof.asserted()) == set(facts)

    def test_variables_see_no_literal_as_a_class(self) -> None:
        one = Literal("1")
        facts = [(ex("x"), TYPE, one), (ex("x"), TYPE, ex("D"))]
        for body in ("[?x, a, ?c]", "[?x, ?p, ?c], [?x, ?p, ?d]"):
            rules = f"{PREFIX} [?x, e:is, e:typed] :- {body} ."
            assert (ex("x"), TYPE, one) not in explained(rules, facts, (ex("x"), ex("is"), ex("typed"))).asserted()
        rules = PREFIX + '[?x, a, ?y] :- e:is(?x, ?y) . [?x, ?p, "1"] :- e:on(?x, ?p) . [?x, a, "1"] :- e:C(?x) .'
        facts = [(ex("x"), ex("is"), one), (ex("x"), ex("on"), TYPE), (ex("x"), TYPE, ex("C"))]
        assert explained(rules, facts, (ex("x"), TYPE, one)).asserted() == facts[2:]

    def test_after_changes(self) -> None:
        base = KnowledgeBase("rdfs")
        add(base, *SAM)
        ids = tuple(map(base.dictionary.encode, (ex("sam"), TYPE, ex("Animal"))))
        assert base.explain(*ids).steps
        add(base, (ex("Animal"), SUBCLASS, ex("Being")))
        assert len(base.explain(ids[0], ids[1], base.dictionary.encode(ex("Being"))).asserted()) == 3
        base.remove_rules("rdfs")
        with pytest.raises(UnknownTripleError, match="neither is asserted nor follows"):
            base.explain(*ids)
        base.add_rules(PREFIX + "[?x, a, ?d] :- [?c, rdfs:subClassOf, ?d], [?x, a, ?c] .".replace("rdfs:", "e:"))
        add(base, (ex("Dog"), ex("subClassOf"), ex("Animal")))
        assert base.explain(*ids).asserted()[0] in ((ex("Dog"), ex("subClassOf"), ex("Animal")), SAM[0])


def test_fact_that_follows_from_nothing_asserted_has_no_proof() -> None:
    # Within one store there is none; a forged snapshot shows one.
    assert prove(Fact(TRIPLE, (1, 2, 3)), lambda fact: False, lambda fact: iter(())) is None


def test_a_step_has_the_facts_of_atoms_that_others_imply() -> None:
    rule = f"{PREFIX} [?a, e:meets, ?b] :- [?a, e:in, ?x], [?b, e:in, ?x], [?a, e:in, ?y], [?b, e:in, ?y] ."
    facts = [(ex("a"), ex("in"), ex("x")), (ex("b"), ex("in"), ex("x"))]

    proof = explained([parse_program(rule)], facts, (ex("a"), ex("meets"), ex("b")))

    assert {*proof.steps[-1].premises} == {Fact(TRIPLE, fact) for fact in facts}
