"""The program of a snapshot, and what its rules became: `kgreason.store.specialised_program.SpecialisedProgram`."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np

from kgreason.disk.codec import ColumnReader, ColumnWriter, Json, expect_list
from kgreason.disk.json_documents import expect, expect_number
from kgreason.disk.snapshot_format import schemas as records
from kgreason.disk.snapshot_format.bounds import Bounds
from kgreason.disk.snapshot_format.rule_groups import check_parameters
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.errors import DamageError
from kgreason.program.rules import Rule
from kgreason.program.specialisation import Template
from kgreason.store.specialised_program import PlainRule, RuleRecord, SpecialisedProgram

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
    state: SpecialisedProgram, groups: dict[int, int], rules: Interned, rule_templates: Interned, to: ColumnWriter
) -> Json:
    """The program; `groups` are the places of groups by their numbers."""
    plain = {entry: number for number, entry in enumerate(state.plain)}
    parameters = [parameter for _, _, row in plain for parameter in row]

    def template(found: Template) -> Json:
        parts = (found.schema, found.universals, found.guard, found.guard_filters)
        return [rules.rule(found.rule), *map(records.write, parts)]

    kept = [
        [
            rules.rule(rule),
            [plain[entry] for entry in record.plain],
            [groups[number] for number in record.groups],
            [*map(rules.rule, record.known)],
        ]
        for rule, record in state.records.items()
    ]
    owners = [[groups[number], rules.rule(owner), template(made)] for number, (owner, made) in state.owners.items()]
    return {
        "counts": [[rules.rule(rule), count] for rule, count in state.counts.items()],
        "plain": [[name, rule_templates.number(made), count] for (name, made, _), count in state.plain.items()],
        "parameters": to.numbers(np.array(parameters, dtype=np.int64)),
        "records": kept,
        "owners": owners,
        "guards": state.guards,
    }


def read_rules(value: Json) -> list[Rule]:
    """Rules; LoadError where one is not."""
    return [
        records.read(records.read_rule, written, f"rule {number}")
        for number, written in enumerate(expect(value, list, "the rules"))
    ]


def read_program(
    value: Json, groups: int, rules: list[Rule], rule_templates: list[RuleTemplate], of: ColumnReader, bounds: Bounds
) -> SpecialisedProgram:
    """The program, without its auxiliary relations; LoadError where it refers to a rule, a template or one of so
    many groups that does not exist."""
    parts = expect(value, dict, "the program")

    def part(name: str) -> list[Any]:
        found: list[Any] = expect(parts.get(name), list, f"the {name} of the program")
        return found

    def rule(number: Json) -> Rule:
        return rules[expect_number(number, "the number of a rule", 0, len(rules) - 1)]

    def group(number: Json) -> int:
        return expect_number(number, "the number of a group", 0, groups - 1)

    def template(entry: Json) -> Template:
        found = expect_list(entry, 5, "a template")
        readers = (records.read_variables, records.read_variables, records.read_atoms, records.read_expressions)
        made = [records.read(reader, each, "a template") for reader, each in zip(readers, found[1:], strict=True)]
        return Template(rule(found[0]), *made)

    counts: Counter[Rule] = Counter()
    for entry in part("counts"):
        number, count = expect_list(entry, 2, "a count of a rule")
        counts[rule(number)] = expect_number(count, "a count of a rule", 1, _MOST)
    plains = _read_plain(part("plain"), parts.get("parameters"), rule_templates, of, bounds)
    entries = [*plains]

    def plain(number: Json) -> PlainRule:
        return entries[expect_number(number, "the number of a plain rule", 0, len(entries) - 1)]

    kept: dict[Rule, RuleRecord] = {}
    for entry in part("records"):
        number, *lists = expect_list(entry, 4, "what became of a rule")
        made, owned, known = (expect(each, list, "what became of a rule") for each in lists)
        kept[rule(number)] = RuleRecord(
            tuple(map(plain, made)), tuple(map(group, owned)), frozenset(map(rule, known))
        )
    owners: dict[int, tuple[Rule, Template]] = {}
    for entry in part("owners"):
        number, owner, written = expect_list(entry, 3, "the owner of a group")
        owners[group(number)] = rule(owner), template(written)
    _check_whole(counts, plains, kept, owners)
    return SpecialisedProgram(counts, plains, kept, owners, expect_number(parts.get("guards"), "the count of guards"))


def _read_plain(
    written: list[Any], parameters: Json, rule_templates: list[RuleTemplate], of: ColumnReader, bounds: Bounds
) -> Counter[PlainRule]:
    """Plain rules, each with how often it was made; LoadError where two are the same."""
    what = "the parameters of plain rules"
    column = of.numbers(parameters, np.int64, what)
    found: Counter[PlainRule] = Counter()
    used: list[RuleTemplate] = []
    end = 0
    for entry in written:
        name, number, count = expect_list(entry, 3, "a plain rule")
        rule_template = rule_templates[expect_number(number, "the number of a template", 0, len(rule_templates) - 1)]
        begin, end = end, end + rule_template.parameters
        row = tuple(column[begin:end].tolist())
        found[expect(name, str, "the name of a rule"), rule_template, row] = expect_number(
            count, "a count of a plain rule", 1, _MOST
        )
        used.append(rule_template)
    if end != len(column) or len(found) != len(used):
        raise DamageError("not a row for each, or one rule twice", part=what)
    check_parameters(used, np.ones(len(used), dtype=np.int64), column, "plain rules", bounds)
    return found


def _check_whole(
    counts: Counter[Rule],
    plains: Counter[PlainRule],
    kept: dict[Rule, RuleRecord],
    owners: dict[int, tuple[Rule, Template]],
) -> None:
    """What is taken away from one of these is looked for in the others."""
    if counts.keys() != kept.keys() or any(rule not in counts for rule, _ in owners.values()):
        raise DamageError("a rule that was not compiled, or does not exist", part="the program")
    found = Counter(entry for record in kept.values() for entry in record.plain)
    groups = [group for record in kept.values() for group in record.groups]
    if found != plains or len(groups) != len(owners) or {*groups} != {*owners}:
        raise DamageError("what became of its rules is not what there is", part="the program")
