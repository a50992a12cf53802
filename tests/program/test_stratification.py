"""A program is refused exactly when a relation depends on its own negation, by name, at the rule, with the cycle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import StratificationError
from kgreason.program.parser import parse_program
from kgreason.program.rules import FactAtom, Program, Rule
from kgreason.program.stratification import check_stratification

PREFIX = "@prefix ex: <http://e/> .\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ex:p(ex:a, ex:b) .",
        "q(?x) :- r(?x), ~s(?x) .",
        "q(?x) :- r(?x), q(?x) . s(?x) :- r(?x), ~q(?x) .",
        "ex:C(?x) :- ex:D(?x), ~ex:E(?x) . ex:D(?x) :- ex:C(?x) .",
        "q(?x) :- r(?x), ~q(?x, ?x) .",
        "ex:C(?x) :- ex:p(?x, ?y), ~[?x, ex:C, ?y] .",
        "[?x, rdf:type, ex:D] :- r(?x), ~[?x, rdf:type, ex:C] .",
        "false :- q(?x), ~r(?x) .",
        "q(?x, #sum(?y)) :- r(?x, ?y) . s(?x, #sum(?y)) :- q(?x, ?y) . q(?x, 1) :- r(?x, _) .",
        "[?x, ?p, ?y] :- ex:sub(?q, ?p), [?x, ?q, ?y], ~ex:p(?x, ?y) .",
    ],
)
def test_program_without_a_circle_of_negation_is_taken(text: str) -> None:
    check_stratification(parse_program(PREFIX + text))


@pytest.mark.parametrize(
    ("text", "place", "cycle"),
    [
        ("q(?x) :- r(?x), ~q(?x) .", "2:1", "q/1 -> q/1"),
        ("q(?x) :- s(?x) .\ns(?x) :- r(?x), ~q(?x) .", "3:1", "q/1 -> s/1 -> q/1"),
        ("q(?x) :- r(?x), ~s(?x) .\ns(?x) :- r(?x), ~q(?x) .", "2:1", "s/1 -> q/1 -> s/1"),
        (
            "q(?x) :- r(?x) .\n ex:C(?x) :- r(?x), ~ex:D(?x) . ex:p(?x, ?x) :- ex:C(?x) . ex:D(?x) :- ex:p(?x, ?x) .",
            "3:2",
            "<http://e/D> -> <http://e/C> -> <http://e/p> -> <http://e/D>",
        ),
        ("q(?x), s(?x) :- r(?x), ~s(?x) .", "2:1", "s/1 -> s/1"),
        (
            "q(?c) :- [?c, ex:list, ?l], every(?m, ?l, s(?m)) . s(?x) :- r(?x), ~q(?x) .",
            "2:52",
            "q/1 -> s/1 -> q/1",
        ),
        ("q(?x, #sum(?y)) :- q(?x, ?y) .", "2:1", "q/2 -> q/2"),
        ("s(?x) :- q(?x, ?n) .\nq(?x, #sum(?y)) :- r(?x, ?y), ~s(?y) .", "3:1", "s/1 -> q/2 -> s/1"),
        (
            "q(?m) :- AGGREGATE(AGGREGATE(r(?x) BIND COUNT(?x) AS ?n) BIND MAX(?n) AS ?m) . r(?x) :- q(?x) .",
            "2:1",
            "r/1 -> q/1 -> r/1",
        ),
        ("ex:p(?x, ?y) :- r(?x, ?y), ~ex:p(?y, ?x) .", "2:1", "<http://e/p> -> <http://e/p>"),
    ],
)
def test_not_stratifiable(text: str, place: str, cycle: str) -> None:
    with pytest.raises(StratificationError) as caught:
        check_stratification(parse_program(PREFIX + text, "mine"))
    assert str(caught.value).startswith(f"mine:{place}: the program is not stratifiable: {cycle.split()[0]} ")
    assert f": {cycle}," in str(caught.value)


relations = st.integers(0, 4)
signatures = st.lists(
    st.tuples(st.lists(relations, max_size=2), st.lists(relations, max_size=2), st.lists(relations, max_size=1)),
    max_size=7,
)


@given(signatures)
def test_against_reachability(rules: list[tuple[list[int], list[int], list[int]]]) -> None:
    """Warshall's closure says whether the head of a rule reaches what the rule denies."""
    reaches = {(i, i) for i in range(5)} | {
        (b, h) for heads, body, denied in rules for h in heads for b in body + denied
    }
    for middle in range(5):
        reaches |= {(i, j) for i in range(5) for j in range(5) if (i, middle) in reaches and (middle, j) in reaches}
    expected = all((h, d) not in reaches for heads, _, denied in rules for h in heads for d in denied)
    x = (Variable("x"),)

    def atoms(numbers: list[int]) -> tuple[FactAtom, ...]:
        return tuple(FactAtom(f"r{number}", x) for number in numbers)

    program = Program(tuple(Rule(atoms(heads), atoms(body), atoms(denied)) for heads, body, denied in rules))
    try:
        check_stratification(program)
        found = True
    except StratificationError:
        found = False
    assert found == expected


def test_a_long_chain_is_no_deep_recursion() -> None:
    x = (Variable("x"),)
    chain = [Rule((FactAtom(f"r{i + 1}", x),), (FactAtom(f"r{i}", x),)) for i in range(20_000)]
    last = Rule((FactAtom("end", x),), (FactAtom("r0", x),), (FactAtom("r20000", x),))
    check_stratification(Program((*chain, last)))
    back = Rule((FactAtom("r0", x),), (FactAtom("end", x),))
    with pytest.raises(
        StratificationError, match=r"r20000/1 -> end/1 -> r0/1 -> r1/1 -> r2/1 -> r3/1 -> \.\.\. -> r20000/1,"
    ):
        check_stratification(Program((*chain, last, back)))
