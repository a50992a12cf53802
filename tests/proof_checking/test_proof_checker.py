"""Would catch a checker that takes a step on trust: conditions, denied facts, groups, malformed documents."""

from __future__ import annotations

from random import Random

import pytest

from kgreason.errors import LoadError, ProofError
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program
from kgreason.proof_checking.proof_checker import CheckedProof, check_proof
from kgreason.proof_checking.terms import folded
from kgreason.rdf.model import IRI, BlankNode, Literal
from kgreason.rdf.vocabulary import RDF, XSD
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.facade import EX, Triple, add, ex, triples
from tests.profiles import examples

TYPE = IRI(RDF + "type")
PROGRAM = parse_program(f"""
@prefix e: <{EX}> .
#[name("old")] e:Old(?x) :- e:age(?x, ?y), ?y > 5 .
#[name("next")] e:next(?x, ?z) :- e:age(?x, ?y), ?z = ?y + 1 .
#[name("lone")] e:Lone(?x) :- e:Old(?x), ~knows(?x, _) .
#[name("knows")] knows(?x, ?y) :- e:meets(?x, ?y), e:Old(?y) .
#[name("many")] e:friends(?x, #count(?y)) :- e:meets(?x, ?y) .
#[name("listed")] [?m, a, e:Listed] :- [e:all, e:members, ?l], member(?l, ?i, ?m) .
#[name("said")] e:Said(?x) :- asserted-triple(?x, e:says, ?y), ~asserted-triple(?x, <{RDF}type>, e:Said) .
#[name("greets")] e:greets(?x, "Hi"@EN) :- e:says(?x, "hi"@en-gb) .
""")
SAM, TIM = ex("sam"), ex("tim")
DATA: list[Triple] = [
    (SAM, ex("age"), Literal("7", XSD + "integer")),
    (TIM, ex("age"), Literal("3", XSD + "integer")),
    (SAM, ex("meets"), TIM),
    (ex("all"), ex("members"), BlankNode("l")),
    (BlankNode("l"), IRI(RDF + "first"), SAM),
    (BlankNode("l"), IRI(RDF + "rest"), BlankNode("m")),
    (BlankNode("m"), IRI(RDF + "first"), TIM),
    (BlankNode("m"), IRI(RDF + "rest"), IRI(RDF + "nil")),
    (SAM, ex("says"), Literal("hi", language="en-GB")),
]


def document(goal: Triple | None = None) -> str:
    base = KnowledgeBase(PROGRAM)
    add(base, *DATA)
    goals = None if goal is None else [tuple(map(base.dictionary.encode, goal))]
    return "".join(base.proof_lines(goals))


def check(text: str, data: list[Triple] = DATA) -> CheckedProof:
    return check_proof(text.encode(), PROGRAM, data, format="nt")


def changed(text: str, before: str, after: str) -> str:
    assert before in text
    return text.replace(before, after)


def test_all_that_follows_is_accepted() -> None:
    base = KnowledgeBase(PROGRAM)
    add(base, *DATA)

    found = check(document())

    assert {triple for triple in triples(base, base.inferred()) if triple[1] != ex("greets")} <= found.triples
    assert (SAM, ex("greets"), Literal("Hi", language="en")) in found.triples


def test_condition_that_is_not_true_is_refused() -> None:
    text = changed(document((SAM, TYPE, ex("Old"))), "example.org/sam>", "example.org/tim>").replace('"7"', '"3"')

    with pytest.raises(ProofError, match="old: a condition is not true"):
        check(text)


def test_assignment_of_another_value_is_refused() -> None:
    text = changed(document((SAM, ex("next"), Literal("8", XSD + "integer"))), '"8"', '"9"')

    with pytest.raises(ProofError, match="next: an assignment gives another value"):
        check(text)


def test_relation_of_asserted_triples_is_the_data() -> None:
    text = document((SAM, TYPE, ex("Said")))
    assert check(text).derived == 1

    with pytest.raises(ProofError, match="what the rule denies holds"):
        check(text, [*DATA, (SAM, TYPE, ex("Said"))])
    with pytest.raises(ProofError, match="is not in the data"):
        check(text, DATA[:-1])


def test_denied_fact_that_follows_by_another_rule_is_refused() -> None:
    text = document((SAM, TYPE, ex("Lone")))
    assert check(text).derived == 2

    with pytest.raises(ProofError, match="lone: what the rule denies holds"):
        check(text, [*DATA, (TIM, ex("age"), Literal("9", XSD + "integer"))])


def test_group_of_more_bindings_is_refused() -> None:
    text = document((SAM, ex("friends"), Literal("1", XSD + "integer")))
    assert check(text).derived == 1

    with pytest.raises(ProofError, match="many: no group"):
        check(text, [*DATA, (SAM, ex("meets"), ex("tom"))])


def test_blank_nodes_may_have_other_names_in_the_data() -> None:
    text = document((TIM, TYPE, ex("Listed")))
    swapped = {BlankNode("l"): BlankNode("m"), BlankNode("m"): BlankNode("l")}
    renamed = [tuple(swapped.get(term, term) for term in triple) for triple in DATA]

    assert check(text, renamed).derived == 1
    with pytest.raises(ProofError, match="is not in the data"):
        check(text, [triple for triple in renamed if triple[2] != IRI(RDF + "nil")])


STEP = "<urn:x-kgreason:step:"
WRONG = {
    "no such rule": ('"old"', '"young"', "no rule young"),
    "no rule": ("http://www.w3.org/ns/shacl#sourceRule", "a:b", "0 rules"),
    "no text": ("urn:x-kgreason:proof:text", "a:b", "0 values of"),
    "no conclusion": (f"<{RDF}reifies> <<( <{EX}sam> <{RDF}type>", f"<a:b> <<( <{EX}sam> <{RDF}type>", "0 facts"),
    "no premise": ("http://www.w3.org/ns/prov#wasDerivedFrom", "a:b", "not what the body of the rule asks for"),
    "a premise without a step": (f"<{RDF}type> <urn:x-kgreason:proof:Asserted>", "<a:b> <a:c>", "0 rules"),
    "not RDF": ("<<(", "<<", ""),
}


@pytest.mark.parametrize("name", WRONG)
def test_document_that_says_something_wrong_is_refused(name: str) -> None:
    before, after, reason = WRONG[name]
    text = changed(document((SAM, TYPE, ex("Old"))), before, after)

    with pytest.raises((ProofError, LoadError), match="(?i)" + reason):
        check(text)


def test_two_rules_or_conclusions_of_a_step_are_refused() -> None:
    text = document((SAM, TYPE, ex("Old")))
    line = next(line for line in text.splitlines() if "sourceRule" in line)
    other = next(line for line in text.splitlines() if f"<{RDF}type> <{EX}Old>" in line)

    for more, reason in ((line[:-3] + "0> .", "2 rules"), (other.replace("sam", "tim"), "2 facts")):
        with pytest.raises(ProofError, match=reason):
            check(f"{text}{more}\n")


def test_empty_document_proves_nothing() -> None:
    assert check("") == CheckedProof(0, 0, frozenset())


def garbled(text: str, random: Random) -> str:
    """A document with lines that are gone, exchanged parts, other characters."""
    lines = text.splitlines()
    for _ in range(random.randint(1, 3)):
        place, other = random.randrange(len(lines)), lines[random.randrange(len(lines))]
        match random.randrange(4):
            case 0:
                del lines[place]
            case 1:
                lines.append(other)
            case 2:
                parts = lines[place].split(" ")
                parts[random.randrange(len(parts))] = random.choice(other.split(" "))
                lines[place] = " ".join(parts)
            case 3:
                at = random.randrange(len(lines[place]))
                lines[place] = lines[place][:at] + random.choice('"<>_:\\ xé') + lines[place][at + 1 :]
    return "\n".join(lines)


def test_nothing_is_accepted_that_does_not_hold() -> None:
    text, refused = document(), 0
    # The oracle has no relation of asserted triples.
    holding = oracle.closure(Program(folded(PROGRAM.rules)), folded(tuple(DATA))) | {(SAM, TYPE, ex("Said"))}
    for seed in range(examples(1_000)):
        try:
            found = check(garbled(text, Random(seed)))
        except (LoadError, ProofError):
            refused += 1
        else:
            assert found.triples <= holding, seed

    assert refused > examples(1_000) / 2
