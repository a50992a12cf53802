"""Facts in a row are read without a tree: this catches one that becomes another rule than it is by itself.

A fact with an attribute always goes by way of the tree.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.errors import RuleSyntaxError
from kgreason.program.parser import parse_program
from kgreason.store.knowledge_base import KnowledgeBase

PREFIXES = "@prefix ex: <http://example.org/> .\n"
RELATIONS = ["p", "x-y", "notes", "ex:p", "<http://example.org/q>"]
CONSTANTS = ["<http://example.org/a>", "ex:b-c", "ex:1", "7", "042", '"a, b(c) ."', '""', '"<"']
SUBJECTS = CONSTANTS[:3]

spaces = st.sampled_from(["", " ", "\n", " \n\t"])


@st.composite
def facts(draw: st.DrawFn) -> str:
    """The text of a fact up to its dot."""
    relation, space = draw(st.sampled_from(RELATIONS)), draw(spaces)
    arguments = [draw(st.sampled_from(SUBJECTS)), *draw(st.lists(st.sampled_from(CONSTANTS), max_size=3))]
    return f"{relation}({space}{f'{space},{space}'.join(arguments)}{space}){space}"


@given(st.lists(facts(), min_size=1, max_size=5), spaces)
def test_facts_in_a_row_are_the_rules_that_each_is_by_itself(texts: list[str], space: str) -> None:
    together = parse_program(PREFIXES + "".join(f"{text}. {space}" for text in texts))

    alone = [parse_program(f'{PREFIXES}#[name("")] {text}.').rules[0] for text in texts]
    assert [*together.rules] == alone


def test_facts_in_a_row_have_the_places_where_they_begin() -> None:
    rules = parse_program("p(1) . q(2) .\n\n  r(3,\n 4) .  s(5) .").rules

    assert [(rule.position.line, rule.position.column) for rule in rules if rule.position] == [
        (1, 1), (1, 8), (3, 3), (4, 8),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("p(1) .\nq(2,\n  none:x) .", "rules:3:3"),
        ("p(1) . none:q(<http://example.org/a>) .", "rules:1:8"),
        ("p(1) .  <http://example.org/q>(1, 2) .", "rules:1:9"),
    ],
)
def test_what_is_wrong_with_a_fact_in_a_row_is_told_with_its_place(text: str, place: str) -> None:
    with pytest.raises(RuleSyntaxError) as raised:
        parse_program(text)

    assert place in str(raised.value)


def test_words_of_the_language_are_no_relations_of_facts() -> None:
    with pytest.raises(RuleSyntaxError, match="member is used as"):
        parse_program("p(1) . member(1, 2, 3) . p(2) .")


def test_facts_of_a_program_come_and_go_together() -> None:
    rules = [f"p({number}, {number + 1}) ." for number in range(100)]
    path = "q(?x, ?y) :- p(?x, ?y) . q(?x, ?z) :- q(?x, ?y), p(?y, ?z) ."
    base = KnowledgeBase("\n".join([path, *rules]))
    base.flush()

    base.remove_rules("\n".join(rules[10:90]))
    base.flush()

    assert {each.name: each.facts for each in base.statistics().relations} == {"p": 20, "q": 2 * 10 * 11 // 2}
