"""The oracle itself, on cases small enough to be worked out by hand: everything else is compared with it."""

from __future__ import annotations

import pytest

from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import OWL, RDF, RDFS, XSD
from tests import oracle
from tests.facade import EX, Triple, ex
from tests.stratification_reference import is_stratified

PREFIX = f"@prefix e: <{EX}> . @prefix rdf: <{RDF}> .\n"
TYPE, FIRST, REST, NIL = (IRI(RDF + name) for name in ("type", "first", "rest", "nil"))
a, b, c, d, p, q = (ex(name) for name in "abcdpq")


def number(value: int) -> Literal:
    return Literal(str(value), XSD + "integer")


def rdf_list(name: str, *members: Term) -> list[Triple]:
    cells = [ex(f"{name}{i}") for i in range(len(members))]
    ends = [*cells[1:], NIL]
    pairs = zip(cells, members, ends, strict=True)
    return [triple for cell, member, end in pairs for triple in ((cell, FIRST, member), (cell, REST, end))]


def inferred(text: str, *explicit: Triple) -> set[Triple]:
    return oracle.closure(parse_program(PREFIX + text), explicit) - set(explicit)


TRANSITIVE = "e:p(?x, ?z) :- e:p(?x, ?y), e:p(?y, ?z) ."


def test_no_rules_infer_nothing() -> None:
    assert oracle.closure(parse_program(""), [(a, p, b)]) == {(a, p, b)}


def test_transitive_rule_closes_a_path_of_three() -> None:
    assert inferred(TRANSITIVE, (a, p, b), (b, p, c), (c, p, d)) == {(a, p, c), (b, p, d), (a, p, d)}


def test_a_cycle_reaches_itself() -> None:
    assert inferred(TRANSITIVE, (a, p, b), (b, p, a)) == {(a, p, a), (b, p, b)}


def test_mutual_recursion_needs_a_base() -> None:
    loop = "e:C(?x) :- e:D(?x) . e:D(?x) :- e:C(?x) ."
    assert inferred(loop) == set()
    assert inferred(loop, (a, TYPE, ex("C"))) == {(a, TYPE, ex("D"))}


def test_variable_predicates_and_classes() -> None:
    text = "[?x, ?q, ?y] :- [?p, e:under, ?q], [?x, ?p, ?y] . [?x, a, ?d] :- [?c, e:below, ?d], [?x, a, ?c] ."
    found = inferred(text, (p, ex("under"), q), (a, p, b), (c, ex("below"), d), (a, TYPE, c))
    assert found == {(a, q, b), (a, TYPE, d)}


def test_an_inferred_predicate_is_a_predicate() -> None:
    assert inferred("[?x, e:p, ?y] :- [?y, ?p, ?x] .", (a, q, b)) == {(b, p, a), (a, p, b)}


def test_repeated_variables_and_constants() -> None:
    assert inferred("e:C(?x) :- e:p(?x, ?x) . e:D(?x) :- e:p(?x, e:b) .", (a, p, b), (c, p, c)) == {
        (c, TYPE, ex("C")),
        (a, TYPE, ex("D")),
    }


def test_no_literal_subjects_and_no_odd_predicates() -> None:
    assert inferred("e:q(?y, ?x) :- e:p(?x, ?y) .", (a, p, Literal("b")), (a, p, c)) == {(c, q, a)}
    odd = [(a, p, Literal("b")), (a, p, BlankNode("b")), (a, p, c)]
    assert inferred("[?x, ?y, ?x] :- e:p(?x, ?y) .", *odd) == {(a, c, a)}


def test_a_literal_is_no_class() -> None:
    odd = (a, TYPE, Literal("C"))
    assert inferred("e:D(?x) :- [?x, a, ?c] . e:E(?x) :- [?x, ?p, ?c] .", odd) == set()
    assert inferred('e:D(?x) :- [?x, a, "C"] .', odd) == {(a, TYPE, ex("D"))}
    assert inferred("[?x, a, ?c] :- e:p(?x, ?c) .", (a, p, Literal("C")), (b, p, c)) == {(b, TYPE, c)}


def test_facts_and_auxiliary_relations() -> None:
    program = parse_program(PREFIX + "wide(e:a, e:b, 1) . e:p(?x, ?y) :- wide(?x, ?y, ?n) . wide(?x) :- e:p(?x, ?y) .")
    assert oracle.facts(program, []) == {("wide", a, b, number(1)), ("triple", a, p, b), ("wide", a)}


def test_negation_waits_for_what_it_denies() -> None:
    text = "e:E(?x) :- e:C(?x), ~e:D(?x) . e:D(?x) :- e:p(?x, ?y) . e:p(?x, ?y) :- e:q(?y, ?x) ."
    found = inferred(text, (a, TYPE, ex("C")), (b, TYPE, ex("C")), (b, q, a))
    assert found == {(a, p, b), (a, TYPE, ex("D")), (b, TYPE, ex("E"))}


def test_three_levels_of_negation() -> None:
    text = "e:C1(?x) :- e:C0(?x), ~e:N(?x) . e:C2(?x) :- e:C0(?x), ~e:C1(?x) . e:C3(?x) :- e:C0(?x), ~e:C2(?x) ."
    assert inferred(text, (a, TYPE, ex("C0"))) == {(a, TYPE, ex("C1")), (a, TYPE, ex("C3"))}


def test_heads_of_one_rule_at_different_levels() -> None:
    """`A` is below `B`, which shares a rule with it; what denies `A` must wait for it and not for `B`."""
    text = "e:A(?x), e:B(?x) :- e:p(?x, ?y) . e:B(?x) :- e:q(?x, ?y), ~e:N(?x) . e:C(?x) :- e:q(?x, ?y), ~e:A(?x) ."
    found = inferred(text, (a, p, b), (a, q, b))
    assert found == {(a, TYPE, ex("A")), (a, TYPE, ex("B"))}


def test_anonymous_variables_under_negation_are_existential() -> None:
    found = inferred("e:C(?x) :- e:p(?x, ?y), ~e:q(?x, _) .", (a, p, b), (c, p, b), (c, q, d))
    assert found == {(a, TYPE, ex("C"))}


def test_negation_of_an_open_relation() -> None:
    text = "e:C(?x) :- e:p(?x, ?r), ~[?x, ?r, ?x] ."
    found = inferred(text, (a, p, q), (b, p, q), (b, q, b), (c, p, Literal("q")))
    assert found == {(a, TYPE, ex("C")), (c, TYPE, ex("C"))}


def test_a_fact_that_denies_itself_is_refused() -> None:
    with pytest.raises(oracle.UndefinedError):
        inferred("e:C(?x) :- e:p(?x, ?y), ~e:C(?x) .", (a, p, b))


def test_filters_and_assignments() -> None:
    text = "e:q(?x, ?z) :- e:p(?x, ?y), ?z = ?y + 1, ?z < 4 ."
    odd = (a, p, Literal("one"))
    assert inferred(text, (a, p, number(2)), (a, p, number(3)), odd) == {(a, q, number(3))}


def test_members_of_a_list() -> None:
    found = inferred(
        "[?m, e:q, ?i] :- [?c, e:one, ?l], member(?l, ?i, ?m) .", *rdf_list("l", a, b), (c, ex("one"), ex("l0"))
    )
    assert found == {(a, q, number(0)), (b, q, number(1))}


def test_every_member_of_a_list() -> None:
    text = "[?x, a, ?c] :- [?c, e:all, ?l], every(?m, ?l, [?x, a, ?m]) ."
    types = [(a, TYPE, ex("C")), (a, TYPE, ex("D")), (b, TYPE, ex("C"))]
    found = inferred(text, *rdf_list("l", ex("C"), ex("D")), (ex("E"), ex("all"), ex("l0")), *types)
    assert found == {(a, TYPE, ex("E"))}
    assert inferred(text, (ex("E"), ex("all"), NIL), *types) == set()


def test_local_variables_of_every_may_differ() -> None:
    text = "e:C(?x) :- [?c, e:key, ?l], every(?p, ?l, [?x, ?p, ?v]) ."
    shared = text.replace("e:C(?x)", "e:r(?x, ?v)")
    explicit = [*rdf_list("l", p, q), (c, ex("key"), ex("l0")), (a, p, b), (a, q, d), (b, p, c), (b, q, c)]
    assert inferred(text, *explicit) == {(a, TYPE, ex("C")), (b, TYPE, ex("C"))}
    assert inferred(shared, *explicit) == {(b, ex("r"), c)}


def test_a_path_through_a_list() -> None:
    text = "[?x, ?p, ?y] :- [?p, e:chain, ?l], path(?x, ?l, ?y) ."
    explicit = [*rdf_list("l", p, q), (ex("r"), ex("chain"), ex("l0"))]
    assert inferred(text, *explicit, (a, p, b), (b, q, c), (c, p, d)) == {(a, ex("r"), c)}


def test_every_way_through_a_list_counts() -> None:
    text = "[?m, e:q, ?c] :- [?c, e:one, ?l], member(?l, ?i, ?m) ."
    fork = [(ex("l0"), FIRST, a), (ex("l0"), FIRST, b), (ex("l0"), REST, NIL), (ex("l0"), REST, ex("m0"))]
    found = inferred(text, *fork, *rdf_list("m", d), (c, ex("one"), ex("l0")))
    assert found == {(a, q, c), (b, q, c), (d, q, c)}


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [(ex("l0"), FIRST, a)],
        [(ex("l0"), REST, NIL)],
        [(ex("l0"), FIRST, a), (ex("l0"), REST, ex("l0"))],
        [(ex("l0"), FIRST, a), (ex("l0"), REST, ex("l1")), (ex("l1"), FIRST, b)],
    ],
    ids=["no cell", "no rest", "no first", "cyclic", "cut off later"],
)
def test_a_defective_list_says_nothing(cells: list[Triple]) -> None:
    text = "[?m, e:q, ?c] :- [?c, e:one, ?l], member(?l, ?i, ?m) ."
    program, axiom = parse_program(PREFIX + text), (c, ex("one"), ex("l0"))
    assert oracle.defective_lists(program, cells) == set(), "nobody names it"
    assert inferred(text, *cells, axiom) == set()
    assert oracle.defective_lists(program, [*cells, axiom]) == {ex("l0")}


def test_of_two_ways_the_one_that_reaches_nil_counts() -> None:
    text = "[?m, e:q, ?c] :- [?c, e:one, ?l], member(?l, ?i, ?m) ."
    cells = [(ex("l0"), FIRST, a), (ex("l0"), REST, NIL), (ex("l0"), REST, ex("l1")), (c, ex("one"), ex("l0"))]
    assert inferred(text, *cells) == {(a, ex("q"), c)}
    assert oracle.defective_lists(parse_program(PREFIX + text), cells) == {ex("l0")}


def test_integrity_conditions() -> None:
    program = parse_program(PREFIX + '#[name("both")] false :- e:C(?x), e:D(?x) . e:D(?x) :- e:p(?x, ?y) .')
    assert oracle.inconsistent(program, [(a, TYPE, ex("C"))]) == set()
    assert oracle.inconsistent(program, [(a, TYPE, ex("C")), (a, p, b)]) == {"both"}


def test_rdfs_by_hand() -> None:
    text = f"""[?x, a, ?d] :- [?c, <{RDFS}subClassOf>, ?d], [?x, a, ?c] .
    [?x, a, ?c] :- [?p, <{RDFS}domain>, ?c], [?x, ?p, ?y] .
    [?x, ?p, ?z] :- [?p, a, <{OWL}TransitiveProperty>], [?x, ?p, ?y], [?y, ?p, ?z] ."""
    schema = [(p, IRI(RDFS + "domain"), c), (c, IRI(RDFS + "subClassOf"), d)]
    schema.append((p, TYPE, IRI(OWL + "TransitiveProperty")))
    found = inferred(text, *schema, (a, p, b), (b, p, q))
    assert found == {(a, p, q), (a, TYPE, c), (b, TYPE, c), (a, TYPE, d), (b, TYPE, d)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e:C(?x) :- e:D(?x), ~e:E(?x) . e:E(?x) :- e:D(?x), ~e:F(?x) .", True),
        ("e:C(?x) :- e:D(?x), ~e:E(?x) . e:E(?x) :- e:C(?x) .", False),
        ("e:A(?x), e:B(?x) :- e:p(?x, ?y) . e:B(?x) :- e:q(?x, ?y), ~e:A(?x) .", True),
        ("[?x, ?p, ?y] :- e:under(?p, ?q), [?x, ?q, ?y] . e:C(?x) :- e:D(?x), ~e:E(?x) .", False),
        ("e:C(?x) :- e:D(?x), ~e:E(?x) . e:F(?x) :- [?x, a, ?c] .", True),
        ("e:C(?x) :- e:D(?x), ~wide(?x, ?x) . wide(?x, ?x, ?x) :- e:C(?x) .", True),
        ("[?x, a, e:C] :- [?c, e:all, ?l], every(?m, ?l, [?x, a, ?m]), ~e:E(?x) . e:E(?x) :- e:D(?x) .", True),
        ("[?x, a, e:C] :- [?c, e:all, ?l], every(?m, ?l, [?x, a, ?m]) . e:E(?x) :- e:D(?x), ~e:C(?x) .", False),
        ("[?x, a, e:C] :- [?c, e:all, ?l], path(?x, ?l, ?y), ~e:C(?y) .", False),
    ],
)
def test_stratified_programs(text: str, expected: bool) -> None:
    assert is_stratified(parse_program(PREFIX + text)) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('0.1 = "0.1"^^xsd:double', True),
        ('0.1 < "0.1"^^xsd:double', False),
        ('"16777217"^^xsd:integer = "16777216"^^xsd:float', True),
        ('"2020-01-01T00:00:00"^^xsd:dateTime < "2021-01-01T00:00:00Z"^^xsd:dateTime', True),
        ('"2020-01-01"^^xsd:date != "2020-01-01Z"^^xsd:date', False),
        ('"x"^^xsd:integer = "x"^^xsd:integer', True),
        ('"x"^^xsd:integer != "y"^^xsd:integer', False),
        ('"x"^^xsd:integer = 1 || true', True),
        ('"NaN"^^xsd:float = "NaN"^^xsd:float', False),
        ('SAMEVALUE("0.0"^^xsd:float, "-0.0"^^xsd:float)', False),
        ('1 + "0.5"^^xsd:float = 1.5', True),
        ("1 / 4 = 0.25", True),
        ("1 / 0 = 0", False),
        ('SAMEVALUE(-"0"^^xsd:double, "-0"^^xsd:double)', True),
    ],
)
def test_operators_of_the_specification(condition: str, expected: bool) -> None:
    found = inferred(f"e:p(e:a, e:c) :- e:p(e:a, e:b), {condition} .", (a, p, b))
    assert found == ({(a, p, c)} if expected else set())
