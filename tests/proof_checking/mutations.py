"""Ways to spoil a proof in RDF. The oracle, which shares no code with the checker, says whether a change is a fault: a
step may still follow by another rule, or from another premise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from kgreason.errors import ProofError
from kgreason.program.rules import Program, Rule
from kgreason.proof_checking.fact_index import TRIPLE, Fact
from kgreason.proof_checking.proof_checker import Checker
from kgreason.proof_checking.proof_steps import ReadStep
from kgreason.rdf.model import IRI, Term
from tests import oracle

Steps = dict[Term, ReadStep]
Mutation = Callable[["Spoiler", ReadStep], Steps | None]


class Spoiler:
    """Spoils the steps of one proof, which is right; `facts` are all that hold, and `rules` those of the program."""

    def __init__(self, program: Program, steps: Steps, facts: oracle._Facts, random: Random) -> None:
        self.rules = {(rule.name, str(rule)): rule for rule in program.rules if rule.heads}
        self.steps = steps
        self.facts = facts
        self.random = random
        self.derived = [step for step in steps.values() if step.rule is not None]

    def each(self) -> Iterator[tuple[str, Steps]]:
        """A spoilt proof of each kind, where the proof can be spoilt so."""
        for name, mutate in MUTATIONS.items():
            spoilt = mutate(self, self.random.choice(self.derived))
            if spoilt is not None:
                yield name, spoilt

    def put(self, step: ReadStep) -> Steps | None:
        """The steps with another one of that name; None where it follows all the same."""
        if step.rule is not None and step.rule in self.rules and {*step.premises} <= self.steps.keys():
            rule, premises = self.rules[step.rule], [self.steps[name].conclusion for name in step.premises]
            if as_tuple(step.conclusion) in given(rule, premises, self.facts):
                return None
        return {**self.steps, step.name: step}


def given(rule: Rule, premises: list[Fact], holding: oracle._Facts) -> set[tuple]:
    """What a rule gives of premises, where it denies and aggregates what holds."""
    facts = oracle._Facts(map(as_tuple, premises))
    return {
        fact
        for binding in oracle._solutions(rule, facts, holding)
        for head in rule.heads
        if (fact := oracle._fact(head, binding)) is not None
    }


def as_tuple(fact: Fact) -> tuple:
    return ("triple" if fact.relation == TRIPLE else fact.relation, *fact.arguments)


def without_premise(spoiler: Spoiler, step: ReadStep) -> Steps | None:
    gone = spoiler.random.choice(step.premises) if step.premises else None
    if gone is None:
        return None
    return spoiler.put(replace(step, premises=tuple(name for name in step.premises if name != gone)))


def other_premise(spoiler: Spoiler, step: ReadStep) -> Steps | None:
    others = [name for name in spoiler.steps if name not in (*step.premises, step.name)]
    if not (others and step.premises):
        return None
    gone = spoiler.random.choice(step.premises)
    put = spoiler.random.choice(others)
    return spoiler.put(replace(step, premises=tuple(put if name == gone else name for name in step.premises)))


def more_premises(spoiler: Spoiler, step: ReadStep) -> Steps | None:
    others = [name for name in spoiler.steps if name not in (*step.premises, step.name)]
    rule = spoiler.rules[step.rule]
    if not others or rule.aggregates or len(step.premises) < len(rule.body) or len({*map(type, rule.body)}) > 1:
        return None
    return {**spoiler.steps, step.name: replace(step, premises=(*step.premises, spoiler.random.choice(others)))}


def other_triple(spoiler: Spoiler, step: ReadStep) -> Steps | None:
    """Another conclusion, which does not hold."""
    terms = [term for each in spoiler.steps.values() for term in each.conclusion.arguments]
    for _ in range(20):
        place = spoiler.random.randrange(len(step.conclusion.arguments))
        arguments = list(step.conclusion.arguments)
        arguments[place] = spoiler.random.choice(terms)
        changed = Fact(step.conclusion.relation, tuple(arguments))
        is_triple = changed.relation != TRIPLE or isinstance(arguments[1], IRI)
        if is_triple and as_tuple(changed) not in spoiler.facts:
            return spoiler.put(replace(step, conclusion=changed))
    return None


def other_name(spoiler: Spoiler, step: ReadStep) -> Steps | None:
    name, text = step.rule
    return spoiler.put(replace(step, rule=(f"{name}-not", text)))


def other_rule(spoiler: Spoiler, step: ReadStep) -> Steps | None:
    return spoiler.put(replace(step, rule=spoiler.random.choice([*spoiler.rules])))


def other_text(spoiler: Spoiler, step: ReadStep) -> Steps | None:
    name, text = step.rule
    return spoiler.put(replace(step, rule=(name, text.replace(":-", ":- [?any, ?thing, ?goes],"))))


def circle(spoiler: Spoiler, step: ReadStep) -> Steps | None:
    """A premise that follows from what rests on it."""
    below = [spoiler.steps[name] for name in step.premises if spoiler.steps[name].rule is not None]
    found = spoiler.random.choice(below) if below else step
    return {**spoiler.steps, found.name: replace(found, premises=(*found.premises[1:], step.name))}


def as_asserted(spoiler: Spoiler, step: ReadStep) -> Steps | None:
    """What was not asserted, because an asserted triple has no other step."""
    return spoiler.put(replace(step, rule=None, premises=()))


def other_asserted(spoiler: Spoiler, step: ReadStep) -> Steps | None:
    """An asserted step that says something else, which is not in the data."""
    leaves = [each for each in spoiler.steps.values() if each.rule is None]
    if not leaves:
        return None
    leaf = spoiler.random.choice(leaves)
    changed = Fact(TRIPLE, (*leaf.conclusion.arguments[:2], IRI("http://example.org/made-up")))
    return spoiler.put(replace(leaf, conclusion=changed))


MUTATIONS: dict[str, Mutation] = {
    "premise dropped": without_premise,
    "premise exchanged": other_premise,
    "premise added": more_premises,
    "triple changed": other_triple,
    "rule name changed": other_name,
    "rule exchanged": other_rule,
    "rule text changed": other_text,
    "cycle made": circle,
    "derived step called asserted": as_asserted,
    "premise not in the data": other_asserted,
}

def refusal(checker: Checker, steps: Steps) -> ProofError | None:
    """Why the checker refuses a proof; None where it accepts it."""
    try:
        checker.check(steps)
    except ProofError as error:
        return error
    return None
