"""One meaning of every function: the same value, or an error, in a rule, in a query, in a proof and over a single row.

It would catch a function that one of them evaluates in another way, or has and another lacks.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import pytest
from rdflib import Graph

from kgreason import ReasoningStore
from kgreason.algebra.expressions.function_table import FUNCTIONS, NAMESPACE
from kgreason.algebra.expressions.tree import OPERATORS, Call, Variable
from kgreason.algebra.local_terms import UNBOUND
from kgreason.errors import FunctionError, RuleSyntaxError
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.program.parser import parse_program
from kgreason.program.rules import Assignment, Program, Rule, TripleAtom
from kgreason.rdf.functions import holds
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import RDF_TYPE, XSD, XSD_BOOLEAN
from kgreason.sparql.algebra import Basic, Extend, Filter, TriplePattern
from kgreason.sparql.put_query import answer
from kgreason.sparql.rewrites import rewritten
from kgreason.sparql.source import Graphs
from kgreason.store.knowledge_base import KnowledgeBase
from tests.algebra.evaluating import evaluated

IN_RULES = sorted(name for name, function in FUNCTIONS.items() if function.in_rules)
ONLY_IN_QUERIES = sorted(name for name, function in FUNCTIONS.items() if not function.in_rules)
NUMBERS: list[Term] = [
    *(Literal(text, XSD + "integer") for text in ("0", "2", "-7", "1" + "0" * 30, "many")),
    *(Literal(text, XSD + "decimal") for text in ("0.10", "-2.5")),
    *(Literal(text, XSD + "double") for text in ("1e0", "NaN")),
]
OTHERS: list[Term] = [
    *(
        IRI("urn:a"),
        IRI(XSD + "integer"),
        BlankNode("b"),
        Literal("true", XSD + "boolean"),
        Literal("a", "urn:unknown"),
    ),
    *(Literal(text) for text in ("", "2", "Ab \U00010000", "^a.*", "i", "en", "urn:a")),
    *(Literal("ab", None, "en"), Literal("ab", None, "EN-gb"), Literal("a", XSD + "token")),
    *(Literal("2020-02-29", XSD + "date"), Literal("2020-02-29T24:00:00.5-05:00", XSD + "dateTime")),
    TripleTerm(BlankNode("b"), IRI("urn:a"), TripleTerm(IRI("urn:a"), IRI("urn:p"), Literal("ab", None, "en-gb"))),
    TripleTerm(IRI("urn:a"), IRI("urn:p"), Literal("02", XSD + "integer")),
]
FEW: list[Term] = [NUMBERS[1], NUMBERS[4], OTHERS[0], *OTHERS[5:9], OTHERS[12]]
ROWS: Mapping[int, list[tuple[Term, ...]]] = {
    0: [()],
    1: [(term,) for term in (*NUMBERS, *OTHERS)],
    2: [*itertools.product((*NUMBERS[:7], *OTHERS[::2]), repeat=2), *itertools.product(FEW, repeat=2)],
    3: [*itertools.product(FEW[:6], repeat=3), *itertools.product(OTHERS[0:3:2], OTHERS[:2], (*OTHERS[-9:], *NUMBERS))],
    4: [(OTHERS[7], OTHERS[8], OTHERS[5], OTHERS[9]), (OTHERS[12], OTHERS[5], OTHERS[8], OTHERS[5])],
}
ARITIES = [
    (name, arity)
    for name in IN_RULES
    for arity in ROWS
    if FUNCTIONS[name].least <= arity <= min(2 if name in OPERATORS else 9, FUNCTIONS[name].most)
]
TYPE = IRI(RDF_TYPE)
ROW, VALUE = Variable("row"), Variable("value")


def call_of(name: str, arity: int) -> Call:
    return Call(name, tuple(Variable(f"a{place}") for place in range(arity)))


def atoms_of(arity: int) -> list[tuple[Variable, IRI, Variable]]:
    """What binds the arguments of each row."""
    places = [(ROW, IRI(f"urn:e:argument{place}of{arity}"), Variable(f"a{place}")) for place in range(arity)]
    return places or [(ROW, IRI("urn:e:argument0of1"), Variable("a0"))]


def heads_of(number: int) -> tuple[IRI, IRI]:
    """The property of the values, and the class of the rows for which the value is true."""
    return IRI(f"urn:e:value{number}"), IRI(f"urn:e:True{number}")


def rules_of(number: int) -> list[Rule]:
    name, arity = ARITIES[number]
    body = tuple(TripleAtom(*atom) for atom in atoms_of(arity))
    has_value, is_true = heads_of(number)
    call = call_of(name, arity)
    return [
        Rule(
            (TripleAtom(ROW, has_value, VALUE),), body, assignments=(Assignment(VALUE, call),), name=f"value {number}"
        ),
        Rule((TripleAtom(ROW, TYPE, is_true),), body, filters=(call,), name=f"true {number}"),
    ]


@pytest.fixture(scope="module")
def knowledge() -> KnowledgeBase:
    """All rows, and for each function a rule that assigns its value, and one that filters by it."""
    program = Program(tuple(rule for number in range(len(ARITIES)) for rule in rules_of(number)))
    assert parse_program(str(program)) == program
    base = KnowledgeBase(program)
    encode = base.dictionary.encode
    for arity, rows in ROWS.items():
        for number, row in enumerate(rows):
            for place, term in enumerate(row):
                triple = (IRI(f"urn:row:{arity}:{number}"), IRI(f"urn:e:argument{place}of{arity}"), term)
                base.add(DEFAULT_GRAPH, *map(encode, triple))
    return base


def by_rules(base: KnowledgeBase, number: int) -> tuple[dict[Term, Term], set[Term]]:
    """The values that rules assign by rows, and the rows for which a filter of a rule holds."""
    decode, lookup = base.dictionary.decode, base.dictionary.lookup
    has_value, is_true = heads_of(number)
    values: dict[Term, Term] = {}
    for subjects, _, objects in base.all().match(None, lookup(has_value), None):
        values |= zip(map(decode, subjects.tolist()), map(decode, objects.tolist()), strict=True)
    typed = base.all().match(None, lookup(TYPE), lookup(is_true))
    return values, {decode(row) for chunk in typed for row in chunk[0].tolist()}


def by_queries(base: KnowledgeBase, number: int) -> tuple[dict[Term, Term], set[Term]]:
    """The same by BIND and FILTER."""
    name, arity = ARITIES[number]
    basic = Basic(tuple(TriplePattern(*atom) for atom in atoms_of(arity)))
    call, graphs = call_of(name, arity), Graphs(base.all(), {})
    found = answer(rewritten(Extend(basic, "value", call)), ["row", "value"], graphs, base.dictionary)
    solutions = found.whole().spread()
    columns = (solutions.column(column).tolist() for column in ("row", "value"))
    decode = found.terms.decode
    values = {decode(row): decode(value) for row, value in zip(*columns, strict=True) if value != UNBOUND}
    passed = answer(rewritten(Filter(call, basic)), ["row"], graphs, base.dictionary)
    return values, {decode(row) for row in passed.whole().column("row").tolist()}


def alone(name: str, rows: Sequence[tuple[Term, ...]], arity: int) -> tuple[dict[Term, Term], set[Term]]:
    """The same over batches of one row, as proofs have them."""
    values: dict[Term, Term] = {}
    passed: set[Term] = set()
    for number, row in enumerate(rows):
        subject = IRI(f"urn:row:{max(arity, 1)}:{number}")
        try:
            values[subject] = evaluated(name, row)
            if holds(values[subject]):
                passed.add(subject)
        except FunctionError:
            continue
    return values, passed


@pytest.mark.parametrize("number", range(len(ARITIES)), ids=[f"{name}/{arity}" for name, arity in ARITIES])
def test_a_function_means_the_same_in_rules_queries_and_proofs(number: int, knowledge: KnowledgeBase) -> None:
    name, arity = ARITIES[number]
    rows = ROWS[arity] if arity else [()] * len(ROWS[1])
    expected_values, expected_rows = alone(name, rows, arity)

    values, passed = by_rules(knowledge, number)

    assert (values, passed) == by_queries(knowledge, number), "rules and queries"
    assert {row: folded(value) for row, value in values.items()} == {
        row: folded(value) for row, value in expected_values.items()
    }, "rules and one row"
    assert passed == expected_rows, "filters and one row"
    encode, (has_value, is_true) = knowledge.dictionary.encode, heads_of(number)
    for row in [*values][:2]:
        proof = knowledge.explain(*map(encode, (row, has_value, values[row])))
        assert [step.rule.name for step in proof.steps if step.rule is not None] == [f"value {number}"]
    for row in sorted(passed, key=str)[:2]:
        proof = knowledge.explain(*map(encode, (row, TYPE, is_true)))
        assert [step.rule.name for step in proof.steps if step.rule is not None] == [f"true {number}"]


def folded(term: Term) -> Term:
    """A store keeps one spelling of a language tag."""
    if isinstance(term, Literal) and term.language is not None:
        return Literal(term.lexical, None, term.language.lower())
    return term


@pytest.mark.parametrize("name", ONLY_IN_QUERIES)
def test_a_function_of_queries_alone_is_refused_in_a_rule(name: str) -> None:
    arguments = ", ".join(["?x"] * FUNCTIONS[name].least)
    with pytest.raises(RuleSyntaxError, match=f"{name} is a function of queries alone"):
        parse_program(f"p(?x, ?y) :- q(?x), ?y = {name}({arguments}) .")


@pytest.mark.parametrize("name", [name for name in IN_RULES if name not in OPERATORS and name[1:] not in "+-"])
def test_queries_call_every_function_of_rules_by_its_iri(name: str) -> None:
    iri = name if ":" in name else NAMESPACE + name
    arguments = {0: "", 1: "?x", 2: "?x, ?x", 3: "?x, ?x, ?x"}[max(FUNCTIONS[name].least, 1)]
    store = ReasoningStore(
        rules=f"<urn:value>(?s, ?v) :- <urn:p>(?s, ?x), BIND({name_in_rules(name)}({arguments}) AS ?v) ."
    )
    graph = Graph(store=store)
    for number, text in enumerate(('"2"', "<urn:a>", f'"1"^^<{XSD_BOOLEAN}>', '"2020-02-29T00:00:00Z"')):
        graph.update(f"INSERT DATA {{ <urn:s{number}> <urn:p> {text} }}")

    found = graph.query(f"SELECT ?s ?v {{ ?s <urn:p> ?x BIND(<{iri}>({arguments}) AS ?v) FILTER(BOUND(?v)) }}")

    assert {*found} == {*graph.query("SELECT ?s ?v { ?s <urn:value> ?v }")}
    store.close()


def name_in_rules(name: str) -> str:
    return f"<{name}>" if ":" in name else name
