"""Rules over lists, written out for lists of one length: `every` and `path` become ordinary atoms.

A list module derives the members of those lists that rules ask for (`demands`), in auxiliary relations: one of members,
and one of the sequences of each length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from kgreason.algebra.expressions.tree import Variable, expression_variables
from kgreason.program.rule_variables import any_variables, putting, relation_variables, substitute_atom, variables_of
from kgreason.program.rules import Atom, Every, FactAtom, Member, Path, Rule, TripleAtom

LIST_ITEM: Final = "list item"
LIST_DEMAND: Final = "list demand"
SEQUENCE_DEMAND: Final = "list sequence demand"


def sequence_name(length: int) -> str:
    """The auxiliary relation of the sequences of a length: the list, then its members."""
    return f"list sequence of {length}"


def list_variables(rule: Rule) -> dict[Variable, bool]:
    """The list variables of a rule, and whether the rule needs their whole sequences."""
    found: dict[Variable, bool] = {}
    for atom in rule.body:
        if isinstance(atom, Member | Every | Path):
            found[atom.list] = found.get(atom.list, False) or not isinstance(atom, Member)
    return found


def demands(rule: Rule) -> Iterator[Rule]:
    """Rules that tell the list module which lists the rule asks for."""
    for variable, sequences in list_variables(rule).items():
        for atom in rule.body:
            if isinstance(atom, TripleAtom) and variable in atom.arguments and not relation_variables(atom):
                yield Rule((FactAtom(LIST_DEMAND, (variable,)),), (atom,), name=rule.name)
                if sequences:
                    yield Rule((FactAtom(SEQUENCE_DEMAND, (variable,)),), (atom,), name=rule.name)


def unfold(rule: Rule, lengths: Mapping[Variable, int]) -> Rule:
    """The rule for lists of the given lengths, `every` and `path` written out as triples."""
    names = {
        variable: tuple(Variable(f"{variable.name} member {i}") for i in range(length))
        for variable, length in lengths.items()
    }
    body: list[Atom | Member] = []
    for variable, length in lengths.items():
        body.append(FactAtom(sequence_name(length), (variable, *names[variable])))
    for number, atom in enumerate(rule.body):
        if isinstance(atom, Every):
            local = local_variables(rule, atom)
            for i, member in enumerate(names[atom.list]):
                fresh = {variable: Variable(f"{variable.name} {number} {i}") for variable in local}
                body += [substitute_atom(part, putting({**fresh, atom.member: member})) for part in atom.atoms]
        elif isinstance(atom, Path):
            members = names[atom.list]
            middle = [Variable(f"step {number} {i}") for i in range(1, len(members))]
            nodes = [atom.start, *middle, atom.end]
            body += [TripleAtom(nodes[i], member, nodes[i + 1]) for i, member in enumerate(members)]
        else:
            body.append(atom)
    return replace(rule, body=tuple(body))


def local_variables(rule: Rule, every: Every) -> set[Variable]:
    """The variables of an `every` that may differ from member to member."""
    elsewhere: set[Variable] = set()
    for atom in (*rule.heads, *rule.negated, *rule.body):
        if atom is not every:
            elsewhere |= set(any_variables(atom))
    for expression in (*rule.filters, *(a.expression for a in rule.assignments)):
        elsewhere |= set(expression_variables(expression))
    own = {variable for atom in every.atoms for variable in variables_of(atom)}
    return own - elsewhere - {every.member, every.list}


def without_members(rule: Rule) -> tuple[Atom, ...]:
    """The body of a rule without `every` and `path`, with facts in place of `member`."""
    atoms: list[Atom] = []
    for atom in rule.body:
        if isinstance(atom, Member):
            atoms.append(FactAtom(LIST_ITEM, (atom.list, atom.index, atom.member)))
        else:
            assert isinstance(atom, TripleAtom | FactAtom), "every and path are unfolded before"
            atoms.append(atom)
    return tuple(atoms)
