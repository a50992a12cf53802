"""Real programs that nobody here wrote: each is read whole, says the same in its own text, and is stratifiable."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.program.parser import parse_file, parse_program
from kgreason.program.rule_variables import substitute
from kgreason.program.rules import Argument, Assignment, Atom, FactAtom, Program, Rule, TripleAtom
from kgreason.program.stratification import check_stratification
from kgreason.rdf.model import Literal
from kgreason_ontologies import rule_set_names, rule_set_text
from tests.shared_data import shared, unpacked

LUBM = {
    "LUBM_L.dlog": 170,
    "LUBM_LE.dlog": 182,
    "LUBM_U.dlog": 202,
    "LUBM_L.rdfox.dlog": 98,
    "LUBM_L-C.rdfox.dlog": 114,
}
OTHERS = {
    "Claros_L.dlog.xz": 2689,
    "Claros_LE.dlog.xz": 2749,
    "DBpedia_L.dlog.xz": 9396,
    "YAGO_rules.dlog.xz": 23,
    "exp-rules.dlog.xz": 3,
}


def assert_reads_back(program: Program) -> None:
    check_stratification(program)
    again = parse_program(str(program))
    assert again == program
    assert [rule.name for rule in again.rules] == [rule.name for rule in program.rules]


@pytest.mark.parametrize(("name", "size"), LUBM.items())
def test_program_of_lubm_reads_back(name: str, size: int) -> None:
    program = parse_file(shared(f"lubm/rules/{name}"))
    assert len(program.rules) == size
    assert_reads_back(program)


@pytest.mark.parametrize(("name", "size"), OTHERS.items())
def test_program_of_others_reads_back(name: str, size: int) -> None:
    program = parse_file(unpacked(f"datalog-programs/{name}"))
    assert len(program.rules) == size
    assert_reads_back(program)


def test_vlog_and_rdfox_write_the_same_program() -> None:
    """VLog's text names each relation once, ``RP0(A) :- TE(A,rdf:type,<C>)``; with triples in the place of these names
    it is RDFox's text, rule by rule."""
    vlog = parse_file(shared("lubm/rules/LUBM_L.dlog")).rules
    rdfox = parse_file(shared("lubm/rules/LUBM_L.rdfox.dlog")).rules
    definitions = {rule.heads[0].name: rule for rule in vlog if isinstance(rule.body[0], TripleAtom)}

    def triple(atom: Atom) -> Atom:
        assert isinstance(atom, FactAtom)
        rule = definitions[atom.name]
        values: dict[Variable, Argument] = dict(zip(rule.heads[0].arguments, atom.arguments, strict=True))
        return substitute(rule, values).body[0]

    written_out = [
        replace(rule, heads=tuple(map(triple, rule.heads)), body=tuple(map(triple, rule.body)))
        for rule in vlog
        if rule not in definitions.values()
    ]
    assert set(written_out) == set(rdfox)
    assert len(written_out) == len(rdfox) == 98


def test_beyond_plain_datalog() -> None:
    """exp-rules computes values and new resources."""
    minus = parse_file(unpacked("datalog-programs/exp-rules.dlog.xz")).rules[0]
    left, right, subject, instance = map(Variable, ("vlhs", "vrhs", "s", "i"))
    assert minus.assignments == (
        Assignment(Variable("v"), Call("-", (left, right))),
        Assignment(Variable("e"), Call("skolem", (Literal("Eval"), subject, instance))),
    )
    assert (len(minus.heads), len(minus.body)) == (3, 9)
    assert minus.position is not None
    assert (minus.position.line, minus.position.column) == (4, 1)


@pytest.mark.parametrize("name", rule_set_names())
def test_rule_sets_of_the_package(name: str) -> None:
    program = parse_program(rule_set_text(name), name)
    assert_reads_back(program)
    assert all(isinstance(rule, Rule) and rule.name for rule in program.rules)
