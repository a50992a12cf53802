"""The rule sets that ship with kgreason as parsed programs, beside their texts: a new process need not parse them.

Parsing the rules of OWL 2 RL takes ten times as long as reading what came of it. A document is JSON: values by their
numbers, those that they are made of before them, and rules as lists of these. It says which text it was made of, and
counts only with that one. After a text has changed, ``python -m kgreason.program.compiled_rule_sets`` writes the
documents anew; a test compares them.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path as FilePath
from typing import Any, Final

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.errors import Position
from kgreason.program.rules import (
    Aggregate,
    AggregateValue,
    Assignment,
    Every,
    FactAtom,
    Member,
    Path,
    Program,
    Rule,
    TripleAtom,
)
from kgreason.rdf.model import IRI, BlankNode, Literal

_CLASSES: Final[tuple[type[Any], ...]] = (
    Variable, IRI, BlankNode, Literal, TripleAtom, FactAtom, Member, Every, Path, Assignment, Call,
    Aggregate, AggregateValue,
)  # fmt: skip
_PARTS: Final = ("heads", "body", "negated", "filters", "assignments")


def written(program: Program, text: str) -> str:
    """A document of the program that a text was parsed to."""
    values = _Values()
    rules = []
    for rule in program.rules:
        assert rule.position is not None, "a rule that was not parsed"
        names = (*_PARTS, "aggregates") if rule.aggregates else _PARTS
        parts = [[values.number(value) for value in getattr(rule, part)] for part in names]
        rules.append([rule.name, rule.position.line, rule.position.column, *parts])
    document = {"text": _digest(text), "prefixes": dict(program.prefixes), "values": values.written, "rules": rules}
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n"


def read(document: str, text: str, source: str) -> Program | None:
    """The program of a document, whose text is called `source`; None for a document that was made of another text."""
    found = json.loads(document)
    if found["text"] != _digest(text):
        return None
    values: list[Any] = []
    for number, *parts in found["values"]:
        values.append(_CLASSES[number](*[_read_part(part, values) for part in parts]))
    rules = []
    for name, line, column, *numbers in found["rules"]:
        parts = (tuple([values[each] for each in part]) for part in numbers)
        heads, body, negated, filters, assignments, *more = parts
        position = Position(source, line, column)
        rules.append(Rule(heads, body, negated, filters, assignments, name, position, *more))
    return Program(tuple(rules), found["prefixes"])


class _Values:
    """Values by their numbers, equal ones by one: texts stay as they are, and tuples are lists of numbers."""

    def __init__(self) -> None:
        self.written: list[list[Any]] = []
        self._numbers: dict[Any, int] = {}

    def number(self, value: Any) -> int:
        if value not in self._numbers:
            parts = [self._part(getattr(value, name)) for name in value.__match_args__]
            self._numbers[value] = len(self.written)
            self.written.append([_CLASSES.index(type(value)), *parts])
        return self._numbers[value]

    def _part(self, value: Any) -> Any:
        if value is None or isinstance(value, str):
            return value
        return [self.number(part) for part in value] if isinstance(value, tuple) else self.number(value)


def _read_part(part: Any, values: list[Any]) -> Any:
    if part is None or isinstance(part, str):
        return part
    return values[part] if isinstance(part, int) else tuple([values[number] for number in part])


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def main() -> None:
    """Write the documents of all rule sets."""
    import kgreason_ontologies
    from kgreason.program.parser import parse_program

    folder = FilePath(kgreason_ontologies.__file__).parent / "compiled"
    folder.mkdir(exist_ok=True)
    for name in kgreason_ontologies.rule_set_names():
        text = kgreason_ontologies.rule_set_text(name)
        (folder / f"{name}.json").write_text(written(parse_program(text, name), text), encoding="utf-8")


if __name__ == "__main__":
    main()
