"""Would catch N3 rules that derive something else than they say, or text that is read and ignored.

The oracle reads the same text with rdflib's parser of N3, turns its formulas into rules and evaluates them naively.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import rdflib
from rdflib.graph import QuotedGraph
from rdflib.term import BNode, Node

from kgreason import ReasoningStore, RuleSyntaxError, UnsafeRuleError
from kgreason.algebra.expressions.tree import Variable
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program, Rule, TripleAtom
from kgreason.rule_translation.n3 import parse_n3
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_rdflib.rdflib_terms import to_model
from tests import oracle
from tests.facade import EX, add, ex, triples
from tests.profiles import examples

IMPLIES = rdflib.URIRef("http://www.w3.org/2000/10/swap/log#implies")
PREFIX = f"@prefix : <{EX}> .\n"


def by_rdflib(text: str) -> Program:
    """The rules as rdflib's parser sees them; what is outside of formulas is facts."""
    graph = rdflib.Graph().parse(data=text, format="n3")
    rules = []
    for subject, predicate, object in graph:
        if predicate == IMPLIES:
            assert isinstance(subject, QuotedGraph)
            heads = object if isinstance(object, QuotedGraph) else ()
            if not isinstance(object, QuotedGraph) or len(object):
                rules.append(Rule(tuple(map(atom, heads)), tuple(map(atom, subject))))
        else:
            rules.append(Rule((TripleAtom(*map(to_model, (subject, predicate, object))),), ()))
    return Program(tuple(rules))


def atom(triple: tuple[Node, Node, Node]) -> TripleAtom:
    return TripleAtom(*(Variable(str(t)) if isinstance(t, BNode | rdflib.Variable) else to_model(t) for t in triple))


def ours(program: Program, data: list) -> set:
    base = KnowledgeBase(program)
    add(base, *data)
    return triples(base, base.all())


DOCUMENT = f"""{PREFIX}
@prefix log: <http://www.w3.org/2000/10/swap/log#> . PREFIX e: <{EX}>
:a :p :b , e:c ; :q "x"@en, 1, 1.5, true . :b :p :c .
{{ ?x :p ?y . ?y :p ?z }} => {{ ?x :p ?z ; :far ?z }} .          # transitive
{{ ?y :of ?x }} <= {{ ?x :p ?y }} .
{{ ?x :q _:any ; :p [ :of ?o ] }} log:implies {{ ?x a :Both . ?o = ?x }} .
{{ ?x :list (?a :two) }} => {{ ?a :first-of ?x }} .
{{ ?s ?p ?o . ?p a :Symmetric }} => {{ ?o ?p ?s }} .
{{ :a :p :b }} => {{ :it :is :so }} .
{{}} => {{ :always :is :so }} . true => {{ :so :is :this }} .
{{ ?x a :Cat, :Dog }} => false .
"""
AS_RDFLIB_READS_IT = {
    "{ ?y :of ?x } <= { ?x :p ?y }": "{ ?x :p ?y } => { ?y :of ?x }",
    f"PREFIX e: <{EX}>": f"@prefix e: <{EX}> .",
    "true =>": "{} =>",
}
DATA = [
    (ex("s"), ex("list"), ex("l1")),
    (ex("l1"), oracle.FIRST, ex("one")),
    (ex("l1"), oracle.REST, ex("l2")),
    (ex("l2"), oracle.FIRST, ex("two")),
    (ex("l2"), oracle.REST, oracle.NIL),
    (ex("p"), oracle.TYPE, ex("Symmetric")),
]


def test_document_derives_what_rdflib_reads_in_it() -> None:
    text = DOCUMENT
    for before, after in AS_RDFLIB_READS_IT.items():
        text = text.replace(before, after)

    found = ours(parse_n3(DOCUMENT), DATA)

    assert found == oracle.closure(by_rdflib(text), DATA)
    assert {(ex("one"), ex("first-of"), ex("s")), (ex("it"), ex("is"), ex("so")), (ex("b"), ex("p"), ex("a"))} <= found
    assert sum(not rule.heads for rule in parse_n3(DOCUMENT).rules) == 1


def test_text_of_a_program_reads_back_as_the_same_program() -> None:
    program = parse_n3(DOCUMENT)

    assert parse_program(str(program)) == program


def random_document(random: Random) -> str:
    def term(extra: list[str]) -> str:
        return random.choice([":a", ":b", ":c", '"1"', *extra])

    def pattern(variables: list[str], extra: list[str]) -> str:
        return f"{random.choice([*variables, ':a'])} {random.choice([':p', ':q', '?p'])} {term([*variables, *extra])}"

    lines = [f":{random.choice('abc')} :{random.choice('pq')} {term([])} ." for _ in range(random.randint(2, 8))]
    for _ in range(random.randint(1, 4)):
        variables = random.sample(["?x", "?y", "?z"], random.randint(1, 3))
        body = " . ".join(pattern(variables, ["_:n", "[]", "[ :q ?y ]"]) for _ in range(random.randint(1, 3)))
        known = [name for name in ("?x", "?y", "?z", "?p") if name in body] or [":b"]
        subject, verb = random.choice(known), random.choice([":p", ":q", ":r"])
        lines.append(f"{{ {body} }} => {{ {subject} {verb} {random.choice([*known, ':c'])} }} .")
    random.shuffle(lines)
    return PREFIX + "\n".join(lines)


def test_random_documents_derive_what_rdflib_reads_in_them() -> None:
    for seed in range(examples(400)):
        text = random_document(Random(seed))

        assert ours(parse_n3(text), []) == oracle.closure(by_rdflib(text), []), text


REFUSED = {
    "{ ?x :p ?y } => { _:b :q ?x } .": "2:19: the head of a rule: a blank node",
    "{ ?x :p ?y } => { [] :q ?x } .": "2:19: the head of a rule: a blank node",
    "{ ?x :p ?y } => { ?x :q (?y) } .": "the head of a rule: a blank node",
    "{ ?x math:greaterThan 5 } => { ?x a :Old } .": "math#greaterThan> is a built-in",
    "{ ?x :p ?y } => { ?x log:outputString ?y } .": "is a built-in",
    "{ ?x :says { :a :b :c } } => { ?x a :Y } .": "a formula inside of a formula",
    ":a :says { :a :b :c } .": "a formula inside of a formula",
    "{ :a :b :c } :d :e .": "a formula that is not a rule",
    "{ ?x :p ?y } => { ?x a :Y } => { ?x a :Z } .": "unexpected '='",
    "@forAll :x .": "@forAll has no counterpart",
    "{ ?x has :p ?y } => { ?x a :Y } .": "has ...",
    "{ ?x is :p of ?y } => { ?x a :Y } .": "is ...",
    "{ ?x!:p :q ?y } => { ?x a :Y } .": "a path with !",
    "{ ?x :p/:q ?y } => { ?x a :Y } .": "unexpected '/'",
    "{ ?x :p ?y => { ?x a :Y } .": "ends too early",
    '{ ?x :p ?y } => { "a" a :Y } .': 'the literal "a" as a subject',
    '{ "a" :p ?x } => { ?x a :Y } .': 'the literal "a" as a subject',
    "{ ?x :p <<( ?a :b ?c )>> } => { ?x a :Y } .": "triple term",
    "?x :p :q .": "a fact: a variable in it: ?x",
    "{ ?x no:p ?y } => { ?x a :Y } .": "unknown prefix no:",
    "{} => false .": "always true",
    "{ ?x :p ?y }": "a formula that is not a rule",
    "p(?x) :- q(?x) .": "unexpected 'p'",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_no_rule_can_say_is_refused_with_its_place(text: str) -> None:
    swap = "http://www.w3.org/2000/10/swap/"
    prefixes = f"@prefix : <{EX}> . @prefix math: <{swap}math#> . @prefix log: <{swap}log#> .\n"

    with pytest.raises(RuleSyntaxError) as refusal:
        parse_n3(prefixes + text, "rules.n3")

    assert REFUSED[text] in str(refusal.value)
    assert str(refusal.value).startswith("rules.n3:2:")


def test_variable_that_only_the_head_has_is_unsafe() -> None:
    with pytest.raises(UnsafeRuleError, match=r"^rules:2:1: .*\?z"):
        parse_n3(PREFIX + "{ ?x :p ?y } => { ?x :q ?z } .")


def test_file_of_n3_is_taken_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "rules.n3"
    path.write_text(PREFIX + "{ ?x :p ?y } => { ?y :of ?x } . :a :p <#b> .")

    for source in (path, str(path), ["rdfs", str(path)]):
        graph = rdflib.Graph(store=ReasoningStore(rules=source))
        assert (rdflib.URIRef(f"{path.as_uri()}#b"), rdflib.URIRef(EX + "of"), rdflib.URIRef(EX + "a")) in graph
