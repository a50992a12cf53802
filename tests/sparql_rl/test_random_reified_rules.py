"""Random rules over triple terms beside the draft's algorithm: would catch a triple term that a rule does not find by
its parts, puts together wrongly, or keeps when what it came from is gone.
"""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kgreason.errors import StratificationError
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.sparql_rl.documents import read_text
from tests.profiles import examples
from tests.sparql_rl.draft_evaluation import (
    DraftRule,
    Evaluation,
    NotStratifiedError,
    Term,
    Triple,
    is_variable,
    parts_of,
    triple_text,
)
from tests.sparql_rl.stores import canonical, ids_of, inferred_of, store_with, triples_of
from tests.sparql_rl.test_random_rule_sets import NODES, PREDICATES, VARIABLES, Element, Writer, has_open_relations

REIFIES = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>"


class ReifyingWriter(Writer):
    """Writes rules and triples whose objects are often triple terms, one in another at times. Patterns are triples of a
    pool with variables in places, so that most rules have something to say."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.pool = [self._any() for _ in range(7)]

    def fact(self) -> Triple:
        return self.random.choice(self.pool) if self.random.random() < 0.8 else self._any()

    def _any(self) -> Triple:
        subject, predicate, object = super().fact()
        if self.random.random() < 0.4:
            return subject, predicate, object
        return subject, self.random.choice((REIFIES, REIFIES, predicate)), self._said(1)

    def _said(self, depth: int) -> Term:
        subject, predicate, object = super().fact()
        return subject, predicate, self._said(depth - 1) if depth and self.random.random() < 0.25 else object

    def _pattern(self, bound: list[str]) -> Element:
        pattern = self._opened(self.fact())
        bound += [part for part in parts_of(pattern) if is_variable(part) and part not in bound]
        return "triple", *pattern

    def _opened(self, triple: Triple) -> Triple:
        """With variables, mostly the same for the same term; in the place of predicates where rules may have them."""
        rnd, (subject, predicate, object) = self.random, triple
        verb = "?p" if self.open_predicates and rnd.random() < 0.2 else predicate
        end = self._opened(object) if isinstance(object, tuple) and rnd.random() < 0.7 else self._variable(object)
        return self._variable(subject), verb, end

    def _variable(self, term: Term) -> Term:
        chance = self.random.random()
        if isinstance(term, tuple) or chance < 0.1:
            return self.random.choice(VARIABLES)
        return VARIABLES[NODES.index(term)] if chance < 0.7 else term

    def _template(self, bound: list[str]) -> Triple:
        subject, predicate, object = super()._template(bound)
        if self.random.random() < 0.25 or "_:n" in (subject, object):
            return subject, predicate, object
        return subject, self.random.choice((REIFIES, predicate)), self._made(bound, 1)

    def _made(self, bound: list[str], depth: int) -> Term:
        rnd, ends = self.random, [*bound, *bound, *NODES]
        verb = "?p" if "?p" in bound and rnd.random() < 0.4 else rnd.choice(PREDICATES)
        last = self._made(bound, depth - 1) if depth and rnd.random() < 0.2 else rnd.choice(ends)
        return rnd.choice(ends), verb, last


def document(triples: set[Triple]) -> str:
    return "\n".join(sorted(f"{triple_text(triple)} ." for triple in triples))


@settings(max_examples=examples(300))
@given(st.integers(0, 2**32))
def test_rules_over_triple_terms_infer_what_the_draft_says_after_every_change(seed: int) -> None:
    writer = ReifyingWriter(seed)
    rules = [writer.rule() for _ in range(writer.random.randint(1, 3))]
    text = "\n".join(rule.text() for rule in rules)
    base = {writer.fact() for _ in range(writer.random.randint(6, 14))}
    try:
        knowledge = store_with(read_text(text), triples_of(document(base)))
        expected = Evaluation(base).run(rules, ())
        found = inferred_of(knowledge)
    except (NotStratifiedError, StratificationError):
        assume(False)
    for _ in range(5):
        assert found == canonical(triples_of(document(expected))), text
        goes = base and writer.random.random() < 0.4
        changed = writer.random.choice(sorted(base, key=str)) if goes else writer.fact()
        ids = ids_of(triples_of(document({changed}))[0], knowledge)
        if changed in base:
            knowledge.remove(DEFAULT_GRAPH, *ids)
        else:
            knowledge.add(DEFAULT_GRAPH, *ids)
        base ^= {changed}
        expected = Evaluation(set(base)).run(rules, ())
        try:
            found = inferred_of(knowledge)
        except StratificationError:  # patterns are not told apart where a variable stands for a predicate or a class
            assert has_open_relations(rules), text
            return


def test_random_rules_take_triple_terms_apart_and_make_them() -> None:
    counts = {"taken": 0, "apart": 0, "made": 0, "inferred": 0}
    for seed in range(200):
        writer = ReifyingWriter(seed)
        rules: list[DraftRule] = [writer.rule() for _ in range(writer.random.randint(1, 3))]
        base = {writer.fact() for _ in range(writer.random.randint(6, 14))}
        try:
            read_text("\n".join(rule.text() for rule in rules))
            inferred = Evaluation(base).run(rules, ())
        except (NotStratifiedError, StratificationError):
            continue
        counts["taken"] += 1
        counts["apart"] += any(isinstance(e[-1], tuple) for rule in rules for e in rule.body if e[0] == "triple")
        counts["made"] += any(isinstance(t[2], tuple) for rule in rules for t in rule.head)
        counts["inferred"] += any(isinstance(t[2], tuple) for t in inferred)
    assert min(counts.values()) >= 10, counts
