"""Proofs for readers: an indented text, a Markdown list, and data for JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeAlias, TypeVar

from kgreason.algebra.expressions.tree import OPERATORS, Call, function_name
from kgreason.plurals import counted
from kgreason.proofs.steps import TRIPLE, Absent, Condition, Fact, Group, Step
from kgreason.rdf.vocabulary import RDF_TYPE

T = TypeVar("T")
Show: TypeAlias = Callable[[T], str]
"""From a term to its text in N-Triples."""

_DEEPEST: Final = 100
"""Levels that are indented: the text of a proof of 30,000 levels would have 1.8 GB."""
_IRI: Final = re.compile(r"<([^<>\"]*)>$")
_IRI_OR_TEXT: Final = re.compile(r'"(?:[^"\\]|\\.)*"|<[^<>"\s]*>')
_LOCAL_NAME: Final = re.compile(r"(?:\w(?:[\w.-]*[\w-])?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Names:
    """Shortens IRIs by prefixes; `namespaces` are from prefixes to IRIs."""

    namespaces: Mapping[str, str]

    def shorten(self, text: str) -> str:
        """A term in N-Triples, with its IRI, or the IRI of its datatype, as a prefixed name if one fits."""
        found = _IRI.search(text)
        if found is None or (text[0] == '"') != (found.start() > 0):
            return text
        fitting = [item for item in self.namespaces.items() if item[1] and found[1].startswith(item[1])]
        for prefix, namespace in sorted(fitting, key=lambda item: -len(item[1])):
            local = found[1][len(namespace) :]
            if _LOCAL_NAME.fullmatch(local):
                return f"{text[: found.start()]}{prefix}:{local}"
        return text


    def shorten_all(self, text: str) -> str:
        """The text of a rule, with all IRIs as prefixed names that fit; what stands in quotation marks stays."""
        return _IRI_OR_TEXT.sub(lambda found: self.shorten(found[0]) if found[0][0] == "<" else found[0], text)

    def triple(self, parts: Sequence[str]) -> str:
        """A triple of terms in N-Triples, shortened, with ``a`` for rdf:type."""
        shown = [self.shorten(part) for part in parts]
        if parts[1] == f"<{RDF_TYPE}>":
            shown[1] = "a"
        return " ".join(shown)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a tree: how deep it is, what it says, and why."""

    depth: int
    text: str
    reason: str
    step: Step[Any] | None = None
    """The step that the line is for; None where it is for what no rule gives."""


@dataclass(frozen=True, slots=True)
class _More:
    """Members of a group that are not listed."""

    count: int


Item: TypeAlias = Step[T] | Absent[T] | Group[T] | _More | Condition[T]
"""What has a line in a tree."""


def _bindings(count: int) -> str:
    return f"{count:,} binding{'' if count == 1 else 's'}"


class Tree(Generic[T]):
    """The lines of a proof, the conclusion first, below each line what it rests on; nothing is proved twice.

    That two IRIs are different, which many rules ask for, is obvious and has no line.
    """

    def __init__(self, steps: Sequence[Step[T]], show: Show[T], names: Names) -> None:
        self._steps = {step.conclusion: step for step in steps}
        self._goal = steps[-1]
        self._show = show
        self._names = names

    def lines(self) -> Iterator[Line]:
        """From the top down; without recursion, since proofs may be deep."""
        shown: set[Fact[T]] = set()
        waiting: list[tuple[int, Item[T]]] = [(0, self._goal)]
        while waiting:
            depth, item = waiting.pop()
            match item:
                case Step():
                    known = item.conclusion in shown and item.rule is not None
                    shown.add(item.conclusion)
                    yield Line(depth, self._fact(item.conclusion), "see above" if known else self.reason(item), item)
                    if not known:
                        waiting += [(depth + 1, below) for below in reversed(self._below(item))]
                case Absent():
                    yield Line(depth, f"no {self._fact(item)}", "absent")
                case Group():
                    yield Line(depth, self._group(item), _bindings(item.count))
                    waiting += [(depth + 1, below) for below in reversed(self._of_members(item))]
                case _More():
                    yield Line(depth, "...", f"{_bindings(item.count)} more")
                case _:
                    yield Line(depth, self._condition(item), "true")

    def _below(self, step: Step[T]) -> list[Item[T]]:
        conditions = [condition for condition in step.conditions if not self._is_evident(condition)]
        members = {premise for group in step.groups for member in group.members for premise in member.premises}
        own = [self._steps[premise] for premise in step.premises if premise not in members]
        return [*own, *step.groups, *step.absent, *conditions]

    def _of_members(self, group: Group[T]) -> list[Item[T]]:
        """What the members of a group rest on, each thing once, and how many members are not listed."""
        found: dict[Item[T], None] = {}
        for member in group.members:
            for premise in member.premises:
                found[self._steps[premise]] = None
            found.update(dict.fromkeys((*member.groups, *member.absent)))
            found.update(dict.fromkeys(part for part in member.conditions if not self._is_evident(part)))
        left = group.count - len(group.members)
        return [*found, _More(left)] if left else [*found]

    def _group(self, group: Group[T]) -> str:
        """``SUM(?y) = 7 for ?x = ex:a``."""
        aggregate = group.aggregate
        values = zip(aggregate.values, group.values, strict=True)
        made = ", ".join(f"{value.expression} = {self.term(term)}" for value, term in values)
        key = zip(aggregate.group, group.key, strict=True)
        where = ", ".join(f"{variable} = {self.term(term)}" for variable, term in key)
        return f"{made} for {where}" if where else made

    def _is_evident(self, condition: Condition[T]) -> bool:
        if not isinstance(condition, Call) or condition.function != "!=":
            return False
        return all(not isinstance(part, Call) and self._show(part).startswith("<") for part in condition.arguments)

    @staticmethod
    def reason(step: Step[T]) -> str:
        """The name of the rule, or its text where it has none."""
        if step.rule is None:
            return "asserted"
        name = step.rule.name or str(step.rule)
        return f"{name}, a path of {counted(len(step.path) - 1, 'step')}" if step.path else name

    def _fact(self, fact: Fact[T] | Absent[T]) -> str:
        arguments = ["?" if part is None else self._show(part) for part in fact.arguments]
        if fact.relation != TRIPLE:
            return f"{fact.relation}({', '.join(map(self._names.shorten, arguments))})"
        return self._names.triple(arguments)

    def rule(self, step: Step[T]) -> str:
        """The text of the rule of a step, with short IRIs."""
        return self._names.shorten_all(str(step.rule))

    def term(self, term: T) -> str:
        """A term as it reads best."""
        return self._names.shorten(self._show(term))

    def _condition(self, condition: Condition[T]) -> str:
        return condition_text(condition, self.term)


def condition_text(condition: Condition[T], show: Show[T]) -> str:
    """A condition as an expression of SPARQL."""
    if not isinstance(condition, Call):
        return show(condition)
    parts = [condition_text(part, show) for part in condition.arguments]
    if condition.function in OPERATORS and len(parts) > 1:
        nested = [
            f"({text})" if isinstance(part, Call) and part.function in OPERATORS else text
            for text, part in zip(parts, condition.arguments, strict=True)
        ]
        return f" {condition.function} ".join(nested)
    return f"{function_name(condition.function)}({', '.join(parts)})"


def as_text(tree: Tree[T]) -> str:
    """A line for each fact, its rule in brackets, indented below what rests on it."""
    return "\n".join(f"{_begun(line.depth)}{line.text}  [{line.reason}]" for line in tree.lines())


def as_markdown(tree: Tree[T]) -> str:
    """The same as a list of lists."""
    return "\n".join(f"{_begun(line.depth, '- ')}{_code(line.text)} ({_emphasised(line)})" for line in tree.lines())


def _begun(depth: int, mark: str = "") -> str:
    """What a line begins with: its indentation, and its depth where it is not indented further."""
    return f"{'  ' * depth}{mark}" if depth <= _DEEPEST else f"{'  ' * _DEEPEST}{mark}{depth}: "


def _code(text: str) -> str:
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{text}{fence}" if len(fence) == 1 else f"{fence} {text} {fence}"


def _emphasised(line: Line) -> str:
    return f"*{line.reason}*" if line.reason in ("asserted", "see above", "absent", "true") else f"**{line.reason}**"


def as_data(steps: Sequence[Step[T]], show: Show[T]) -> dict[str, Any]:
    """What JSON can hold: numbered steps, each after its premises; terms in N-Triples, null for anything."""
    numbers = {step.conclusion: number for number, step in enumerate(steps, start=1)}
    return {
        "conclusion": _fact_data(steps[-1].conclusion, show),
        "steps": [_step_data(step, numbers, show) for step in steps],
    }


def _fact_data(fact: Fact[T] | Absent[T], show: Show[T]) -> dict[str, Any]:
    parts = [None if part is None else show(part) for part in fact.arguments]
    return {"triple": parts} if fact.relation == TRIPLE else {"relation": fact.relation, "arguments": parts}


def _step_data(step: Step[T], numbers: Mapping[Fact[T], int], show: Show[T]) -> dict[str, Any]:
    found: dict[str, Any] = {"number": numbers[step.conclusion], **_fact_data(step.conclusion, show)}
    if step.rule is None:
        return {**found, "asserted": True}
    found |= {"rule": step.rule.name, "text": str(step.rule), "premises": [numbers[p] for p in step.premises]}
    if step.path:
        found["path"] = [show(node) for node in step.path]
    return found | _more_data(step, numbers, show)


def _more_data(step: Step[T], numbers: Mapping[Fact[T], int], show: Show[T]) -> dict[str, Any]:
    """What a step, or a member of a group, rests on beside premises."""
    found: dict[str, Any] = {}
    if step.absent:
        found["absent"] = [_fact_data(pattern, show) for pattern in step.absent]
    if step.conditions:
        found["conditions"] = [condition_text(condition, show) for condition in step.conditions]
    if step.groups:
        found["groups"] = [_group_data(group, numbers, show) for group in step.groups]
    return found


def _group_data(group: Group[T], numbers: Mapping[Fact[T], int], show: Show[T]) -> dict[str, Any]:
    aggregate = group.aggregate
    return {
        "aggregate": str(aggregate),
        "group": {v.name: show(term) for v, term in zip(aggregate.group, group.key, strict=True)},
        "values": {v.variable.name: show(term) for v, term in zip(aggregate.values, group.values, strict=True)},
        "count": group.count,
        "members": [
            {
                "binding": [show(term) for term in member.conclusion.arguments],
                "premises": [numbers[premise] for premise in member.premises],
                **_more_data(member, numbers, show),
            }
            for member in group.members
        ],
    }
