"""The verdict on a proof: each step is in the data, or an instance of its rule, and nothing rests on itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from kgreason.checkpoints import checkpoint
from kgreason.errors import ProofError
from kgreason.program.aggregation import aggregated_atoms
from kgreason.program.rules import FactAtom, Program, Rule
from kgreason.program.safety import ASSERTED, ordinary_atoms
from kgreason.proof_checking.blank_nodes import renamed
from kgreason.proof_checking.complete_facts import CompleteFacts
from kgreason.proof_checking.fact_index import TRIPLE, Fact, FactIndex
from kgreason.proof_checking.instances import refusal
from kgreason.proof_checking.proof_steps import ReadStep, read_steps
from kgreason.proof_checking.terms import Triple, folded, read_triples
from kgreason.rdf.model import Term


@dataclass(frozen=True, slots=True)
class CheckedProof:
    """A proof that was accepted: how many of its steps are asserted and how many follow, and what it proves.

    `facts` are the conclusions of all steps, with the names that the data has for blank nodes and language tags in
    lower case.
    """

    asserted: int
    derived: int
    facts: frozenset[Fact]

    @property
    def triples(self) -> frozenset[Triple]:
        """The triples among the facts."""
        return frozenset((f.arguments[0], f.arguments[1], f.arguments[2]) for f in self.facts if f.relation == TRIPLE)


def check_proof(
    proof: Path | bytes | Iterable[Triple],
    program: Program,
    data: Path | bytes | Iterable[Triple] | Iterable[Path],
    *,
    format: str = "ttl",
) -> CheckedProof:
    """Accept a proof, or say which step does not follow.

    Args:
        proof: a file, or a text in `format`, or triples.
        program: the rules that it may use.
        data: what is asserted: one or more files, N-Triples as bytes, or triples.

    Returns: what it proves. Steps cost some ten microseconds each; rules with negation or aggregates, once, what naive
    evaluation of the rules costs on which they depend.

    Raises:
        ProofError: a step that is malformed, that is not in the data, that is no instance of its rule, or that rests on
            itself. `step` is its name.
        LoadError: a file that cannot be read.
    """
    steps = read_steps(read_triples(proof, format))
    index = FactIndex(Fact(TRIPLE, triple) for triple in _data(data))
    return Checker(program, index).check(renamed(steps, index))


class Checker:
    """Checks proofs over one program and the same data."""

    def __init__(self, program: Program, data: FactIndex) -> None:
        self._rules: dict[tuple[str, str], Rule] = {(rule.name, str(rule)): folded(rule) for rule in program.rules}
        self._data = _with_asserted(data) if any(map(_asks_what_is_asserted, program.rules)) else data
        self._complete = CompleteFacts(self._rules.values(), self._data)

    def check(self, steps: Mapping[Term, ReadStep]) -> CheckedProof:
        """Accept steps, or raise ProofError: O(steps), and the matching of each."""
        for step in _ordered(steps):
            checkpoint()
            self._check_step(step, steps)
        asserted = sum(step.rule is None for step in steps.values())
        return CheckedProof(asserted, len(steps) - asserted, frozenset(step.conclusion for step in steps.values()))

    def _check_step(self, step: ReadStep, steps: Mapping[Term, ReadStep]) -> None:
        if step.rule is None:
            if step.conclusion not in self._data:
                _refuse(step, f"{step.conclusion} is not in the data")
            return
        rule = self._rules.get(step.rule)
        if rule is None:
            _refuse(step, f"the rules have no rule {step.rule[0] or step.rule[1]} that is written so")
        premises = FactIndex(steps[premise].conclusion for premise in step.premises)
        complete = self._complete.seen_by(rule) if rule.negated or rule.aggregates else premises
        reason = refusal(rule, premises, step.conclusion, complete)
        if reason is not None:
            _refuse(step, f"{step.conclusion} does not follow by {rule.name or rule}: {reason}")


def _asks_what_is_asserted(rule: Rule) -> bool:
    """Whether a rule has an atom about asserted triples alone."""
    atoms = (*ordinary_atoms(rule), *rule.negated, *aggregated_atoms(rule))
    return any(isinstance(atom, FactAtom) and atom.name == ASSERTED for atom in atoms)


def _with_asserted(data: FactIndex) -> FactIndex:
    """The data with its triples as facts of the relation of asserted triples, too."""
    return FactIndex([*data, *(Fact(ASSERTED, fact.arguments) for fact in data)])


def _ordered(steps: Mapping[Term, ReadStep]) -> list[ReadStep]:
    """The steps, each after its premises; ProofError where one rests on itself."""
    waiting = {name: len(step.premises) for name, step in steps.items()}
    wanted_by: dict[Term, list[ReadStep]] = {}
    for step in steps.values():
        for premise in step.premises:
            wanted_by.setdefault(premise, []).append(step)
    found = [step for step in steps.values() if not step.premises]
    for step in found:
        for above in wanted_by.get(step.name, ()):
            waiting[above.name] -= 1
            if not waiting[above.name]:
                found.append(above)
    if len(found) < len(steps):
        _refuse(next(steps[name] for name, count in waiting.items() if count), "it rests on itself")
    return found


def _data(source: Path | bytes | Iterable[Triple] | Iterable[Path]) -> Iterable[Triple]:
    if isinstance(source, Path | bytes):
        yield from read_triples(source)
        return
    for part in source:
        yield from read_triples(part if isinstance(part, Path) else [part])


def _refuse(step: ReadStep, reason: str) -> NoReturn:
    raise ProofError(reason, str(step.name))
