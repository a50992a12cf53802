"""Random rule sets beside the draft's algorithms: would catch a translation that changes what rules mean.

Rule sets that the draft refuses must be refused, and all others infer what the draft says, also after every change of
the data.
"""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.errors import StratificationError
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.sparql_rl.documents import read_text
from tests.profiles import examples
from tests.sparql_rl.draft_evaluation import DraftRule, Element, Evaluation, NotStratifiedError, Triple, layers
from tests.sparql_rl.stores import canonical, ids_of, inferred_of, store_with, triples_of

EX = "http://e/"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
NODES = [f"<{EX}{name}>" for name in "abc"]
PREDICATES = [f"<{EX}{name}>" for name in "pqr"] + [TYPE]
VARIABLES = ["?x", "?y", "?z"]


class Writer:
    """Writes random rules and triples."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.open_predicates = self.random.random() < 0.15

    def fact(self) -> Triple:
        return self.random.choice(NODES), self.random.choice(PREDICATES), self.random.choice(NODES)

    def rule(self) -> DraftRule:
        """A well-formed rule."""
        rnd, bound, body = self.random, list[str](), list[Element]()
        for _ in range(rnd.randint(1, 3)):
            body.append(self._pattern(bound))
        for _ in range(rnd.choice((0, 0, 0, 1, 1, 2))):
            body.insert(rnd.randint(1, len(body)), ("not", rnd.random() < 0.1, self._inner()))
        body = self._with_filter(body)
        if rnd.random() < 0.15 and bound:
            body.append(("set", "?v", rnd.choice(bound)))
            bound.append("?v")
        head = tuple(self._template(bound) for _ in range(rnd.choice((1, 1, 1, 2))))
        return DraftRule(head, tuple(body), rnd.random() < 0.1)

    def _pattern(self, bound: list[str]) -> Element:
        rnd = self.random
        subject = rnd.choice(VARIABLES if rnd.random() < 0.8 else NODES)
        object = rnd.choice(VARIABLES if rnd.random() < 0.5 else NODES)
        predicate = "?p" if self.open_predicates and rnd.random() < 0.3 else rnd.choice(PREDICATES)
        bound += [part for part in (subject, predicate, object) if part.startswith("?") and part not in bound]
        return "triple", subject, predicate, object

    def _inner(self) -> tuple[Element, ...]:
        inner = [self._pattern([]) for _ in range(self.random.choice((1, 1, 2)))]
        return tuple(self._with_filter(inner) if self.random.random() < 0.3 else inner)

    def _with_filter(self, elements: list[Element]) -> list[Element]:
        """With a filter at the end, of variables that the patterns among them bind."""
        bound = sorted({part for kind, *parts in elements if kind == "triple" for part in parts if part[0] == "?"})
        if not bound or self.random.random() < 0.6:
            return elements
        other = self.random.choice([*bound, *NODES])
        return [*elements, ("filter", self.random.choice(bound), self.random.choice(("=", "!=")), other)]

    def _template(self, bound: list[str]) -> Triple:
        rnd = self.random
        parts = [rnd.choice(bound) if bound and rnd.random() < chance else rnd.choice(NODES) for chance in (0.8, 0.4)]
        if rnd.random() < 0.07:
            parts[rnd.randint(0, 1)] = "_:n"
        predicate = "?p" if "?p" in bound and rnd.random() < 0.4 else rnd.choice(PREDICATES)
        return parts[0], predicate, parts[1]


def _document(triples: set[Triple]) -> str:
    return "\n".join(f"{' '.join(triple)} ." for triple in sorted(triples))


@settings(max_examples=examples(300))
@given(st.integers(0, 2**32))
def test_random_rule_set_infers_what_the_draft_says_after_every_change(seed: int) -> None:
    writer = Writer(seed)
    rules = [writer.rule() for _ in range(writer.random.randint(1, 4))]
    facts = {writer.fact() for _ in range(writer.random.choice((0, 0, 2)))}
    text = "\n".join([f"DATA {{ {_document(facts)} }}", *(rule.text() for rule in rules)])
    try:
        layers(rules)
        program = read_text(text)
    except NotStratifiedError:
        _assert_refused(text)
        return
    except StratificationError:
        assert has_open_relations(rules), text
        return
    base = {writer.fact() for _ in range(writer.random.randint(2, 8))}
    knowledge = store_with(program, triples_of(_document(base)))

    for _ in range(4):
        expected = Evaluation(base).run(rules, facts)
        try:
            found = inferred_of(knowledge)
        except StratificationError:
            assert has_open_relations(rules), text
            return
        assert found == canonical(triples_of(_document(expected))), text
        changed = writer.fact()
        ids = ids_of(triples_of(_document({changed}))[0], knowledge)
        if changed in base:
            base = base - {changed}
            knowledge.remove(DEFAULT_GRAPH, *ids)
        else:
            base = base | {changed}
            knowledge.add(DEFAULT_GRAPH, *ids)


def has_open_relations(rules: list[DraftRule]) -> bool:
    """Whether a variable stands for a predicate or a class: patterns of it are not told apart."""
    texts = " ".join(rule.text() for rule in rules)
    return " ?p " in texts or f"{TYPE} ?" in texts


def _assert_refused(text: str) -> None:
    try:
        read_text(text)
    except StratificationError:
        return
    raise AssertionError(f"not stratified, and taken: {text}")


def test_random_rule_sets_are_of_all_kinds() -> None:
    found = {"refused": 0, "negated": 0, "blank": 0, "by pattern": 0}
    for seed in range(300):
        writer = Writer(seed)
        rules = [writer.rule() for _ in range(writer.random.randint(1, 4))]
        try:
            layers(rules)
            program = read_text("\n".join(rule.text() for rule in rules))
        except (NotStratifiedError, StratificationError):
            found["refused"] += 1
            continue
        found["negated"] += any(element[0] == "not" for rule in rules for element in rule.body)
        found["blank"] += any(part.startswith("_:") for rule in rules for triple in rule.head for part in triple)
        found["by pattern"] += "matched-" in str(program)
    assert min(found.values()) >= 5, found
