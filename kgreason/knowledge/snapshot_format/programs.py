"""The program of a snapshot, and what its rules became: the state of the specialiser."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np

from kgreason.datalog.model import Rule
from kgreason.datalog.specialise import Template
from kgreason.durable.codec import Json, expect_list
from kgreason.durable.documents import expect, expect_number
from kgreason.engine.rules.families import Family
from kgreason.engine.rules.shapes import Shape
from kgreason.errors import KGReasonError, LoadError
from kgreason.knowledge.snapshot_format import records
from kgreason.knowledge.snapshot_format.bounds import Bounds
from kgreason.knowledge.snapshot_format.families import check_row
from kgreason.knowledge.specialiser import PlainRule, RuleRecord, SpecialiserState

_MOST: Final = 1 << 31


class Interned:
    """Equal values by their numbers, each written once, in the order in which they were first asked for."""

    def __init__(self) -> None:
        self.written: list[Json] = []
        self._numbers: dict[Any, int] = {}

    def number(self, value: Any, more: Any = None) -> int:
        """The number of a value; equal ones with another `more` have another one."""
        number = self._numbers.get((value, more))
        if number is None:
            number = self._numbers[value, more] = len(self.written)
            self.written.append(records.write(value))
        return number

    def rule(self, rule: Rule) -> int:
        """The number of a rule: equal rules may have other names, or stand elsewhere."""
        return self.number(rule, (rule.name, rule.position))


def write_program(
    state: SpecialiserState, families: dict[int, int], rules: Interned, shapes: Interned
) -> Json:
    """The program; `families` are the numbers of families by their identity."""

    def plain(entry: PlainRule) -> Json:
        name, shape, parameters = entry
        return [name, shapes.number(shape), list(parameters)]

    def family(found: Family) -> int:
        if id(found) not in families:
            raise KGReasonError(f"a family that the engine does not know cannot be kept: {found.name!a:.60}")
        return families[id(found)]

    def template(found: Template) -> Json:
        parts = (found.schema, found.universals, found.guard, found.guard_filters)
        return [rules.rule(found.rule), *map(records.write, parts)]

    kept = [
        [
            rules.rule(rule),
            *([*map(plain, record.plain)], [*map(family, record.families)], [*map(rules.rule, record.known)]),
        ]
        for rule, record in state.records.items()
    ]
    owners = [[family(found), rules.rule(owner), template(made)] for found, (owner, made) in state.owners.items()]
    return {
        "counts": [[rules.rule(rule), count] for rule, count in state.counts.items()],
        "plain": [[*plain(entry), count] for entry, count in state.plain.items()],
        "records": kept,
        "owners": owners,
        "guards": state.guards,
    }


def read_rules(value: Json) -> list[Rule]:
    """Rules; LoadError where one is none."""
    return [
        records.read(records.read_rule, written, f"rule {number}")
        for number, written in enumerate(expect(value, list, "the rules"))
    ]


def read_program(
    value: Json, families: list[Family], rules: list[Rule], shapes: list[Shape], bounds: Bounds
) -> SpecialiserState:
    """The program; LoadError where it speaks of a rule, a shape or a family that there is not."""
    parts = expect(value, dict, "the program")

    def part(name: str) -> list[Any]:
        found: list[Any] = expect(parts.get(name), list, f"the {name} of the program")
        return found

    def rule(number: Json) -> Rule:
        return rules[expect_number(number, "the number of a rule", 0, len(rules) - 1)]

    def family(number: Json) -> Family:
        return families[expect_number(number, "the number of a family", 0, len(families) - 1)]

    def plain(entry: Json) -> PlainRule:
        name, shape_number, row = expect_list(entry, 3, "a plain rule")
        shape = shapes[expect_number(shape_number, "the number of a shape", 0, len(shapes) - 1)]
        numbers = [expect_number(each, "a parameter") for each in expect(row, list, "the parameters of a rule")]
        check_row(shape, np.array([numbers], dtype=np.int64).reshape(1, -1), "a plain rule", bounds)
        return expect(name, str, "the name of a rule"), shape, tuple(numbers)

    def template(entry: Json) -> Template:
        found = expect_list(entry, 5, "a template")
        readers = (records.read_variables, records.read_variables, records.read_atoms, records.read_expressions)
        made = [records.read(reader, each, "a template") for reader, each in zip(readers, found[1:], strict=True)]
        return Template(rule(found[0]), *made)

    counts: Counter[Rule] = Counter()
    for entry in part("counts"):
        number, count = expect_list(entry, 2, "a count of a rule")
        counts[rule(number)] = expect_number(count, "a count of a rule", 1, _MOST)
    plains: Counter[PlainRule] = Counter()
    for entry in part("plain"):
        *found, count = expect_list(entry, 4, "a plain rule")
        plains[plain(found)] = expect_number(count, "a count of a plain rule", 1, _MOST)
    kept: dict[Rule, RuleRecord] = {}
    for entry in part("records"):
        number, *lists = expect_list(entry, 4, "what became of a rule")
        made, owned, known = (expect(each, list, "what became of a rule") for each in lists)
        kept[rule(number)] = RuleRecord(
            tuple(map(plain, made)), tuple(map(family, owned)), frozenset(map(rule, known))
        )
    owners: dict[Family, tuple[Rule, Template]] = {}
    for entry in part("owners"):
        number, owner, written = expect_list(entry, 3, "the owner of a family")
        owners[family(number)] = rule(owner), template(written)
    _check_whole(counts, plains, kept, owners)
    return SpecialiserState(counts, plains, kept, owners, expect_number(parts.get("guards"), "the count of guards"))


def _check_whole(
    counts: Counter[Rule],
    plains: Counter[PlainRule],
    kept: dict[Rule, RuleRecord],
    owners: dict[Family, tuple[Rule, Template]],
) -> None:
    """What is taken away from one of these is looked for in the others."""
    if counts.keys() != kept.keys() or any(rule not in counts for rule, _ in owners.values()):
        raise LoadError("damaged: the program: a rule of which nothing became, or that there is not")
    found = Counter(entry for record in kept.values() for entry in record.plain)
    families = [family for record in kept.values() for family in record.families]
    if found != plains or len(families) != len(owners) or {*families} != {*owners}:
        raise LoadError("damaged: the program: what became of its rules is not what there is")
