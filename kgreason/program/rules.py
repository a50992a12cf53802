"""Rules as inert data: what the parser writes, safety and specialisation read, and nothing executes.

A rule says that its heads hold wherever its body holds. Its atoms speak about triples (`TripleAtom`; a class
atom ``C(?x)`` is the triple ``?x rdf:type C``, a property atom ``p(?x, ?y)`` the triple ``?x p ?y``) or about
auxiliary relations of any arity that never appear as triples (`FactAtom`). List atoms speak about RDF lists.
A rule without heads is an integrity condition: what matches its body is inconsistent. What a text writes for an
aggregate, a rule has an `Aggregate`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, TypeAlias

from kgreason.algebra.expressions import tree
from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import Position
from kgreason.program.relation_names import is_ambiguous
from kgreason.rdf.model import Literal, Term

_BARE_NAME: Final = re.compile(r"[^\W\d][\w\-]*")


Argument: TypeAlias = Variable | Term
Expression: TypeAlias = tree.Expression[Argument]


@dataclass(frozen=True, slots=True)
class TripleAtom:
    """``[subject, predicate, object]``; the predicate may be a variable."""

    subject: Argument
    predicate: Argument
    object: Argument

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return (self.subject, self.predicate, self.object)

    def __str__(self) -> str:
        return f"[{self.subject}, {self.predicate}, {self.object}]"


@dataclass(frozen=True, slots=True)
class FactAtom:
    """``name(argument, ...)`` of an auxiliary relation, identified by its name and arity (1 or more)."""

    name: str
    arguments: tuple[Argument, ...]

    def __str__(self) -> str:
        name = self.name if _BARE_NAME.fullmatch(self.name) else f"<{self.name}>"
        arguments = ", ".join(map(str, self.arguments))
        return f"{name}[{arguments}]" if is_ambiguous(name, len(self.arguments)) else f"{name}({arguments})"


@dataclass(frozen=True, slots=True)
class Member:
    """``member(?l, ?i, ?x)``: the RDF list `list` has `member` at position `index` (an xsd:integer from 0)."""

    list: Variable
    index: Variable
    member: Argument

    def __str__(self) -> str:
        return f"member({self.list}, {self.index}, {self.member})"


@dataclass(frozen=True, slots=True)
class Every:
    """``every(?m, ?l, atom, ...)``: the atoms hold for each member `member` of the RDF list `list`.

    A variable of `atoms` that occurs nowhere else in the rule is local: it may differ from member to member.
    """

    member: Variable
    list: Variable
    atoms: tuple[TripleAtom | FactAtom, ...]

    def __str__(self) -> str:
        return f"every({self.member}, {self.list}, {', '.join(map(str, self.atoms))})"


@dataclass(frozen=True, slots=True)
class Path:
    """``path(?x, ?l, ?y)``: a chain of triples leads from `start` to `end` through the properties in `list`."""

    start: Argument
    list: Variable
    end: Argument

    def __str__(self) -> str:
        return f"path({self.start}, {self.list}, {self.end})"


Atom: TypeAlias = TripleAtom | FactAtom
BodyAtom: TypeAlias = TripleAtom | FactAtom | Member | Every | Path


@dataclass(frozen=True, slots=True)
class Assignment:
    """``?v = expression`` (or ``BIND(expression AS ?v)``) where no atom binds `variable`."""

    variable: Variable
    expression: Expression

    def __str__(self) -> str:
        return f"BIND({self.expression} AS {self.variable})"


@dataclass(frozen=True, slots=True)
class AggregateValue:
    """``BIND SUM(DISTINCT ?y, ?z) AS ?s``: what `function` makes of a group is the value of `variable`.

    `function` is count, sum, min, max, avg or group_concat. It gets the values of `argument`, one for each binding of
    the group, or with `distinct` one for each binding of these variables, of which the argument is the first. Without
    an argument, bindings are counted. `separator` stands between the texts of group_concat.
    """

    variable: Variable
    function: str
    argument: Variable | None
    distinct: tuple[Variable, ...] = ()
    separator: str = " "

    @property
    def expression(self) -> str:
        """``SUM(DISTINCT ?y, ?z)``."""
        given = ", ".join(map(str, self.distinct)) or str(self.argument or "*")
        more = f"; SEPARATOR={Literal(self.separator)}" if self.function == "group_concat" else ""
        return f"{self.function.upper()}({'DISTINCT ' if self.distinct else ''}{given}{more})"

    def __str__(self) -> str:
        return f"BIND {self.expression} AS {self.variable}"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``AGGREGATE(body ON ?x BIND COUNT(?y) AS ?n)``: the bindings that satisfy a body, in groups that agree in the
    variables of `group`; `values` are of each group. The other variables are local."""

    body: tuple[BodyAtom, ...]
    group: tuple[Variable, ...]
    values: tuple[AggregateValue, ...]
    negated: tuple[Atom, ...] = ()
    filters: tuple[Expression, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()

    @property
    def bound(self) -> tuple[Variable, ...]:
        """The variables that it binds in the rule that it is of: each once."""
        return tuple(dict.fromkeys((*self.group, *(value.variable for value in self.values))))

    def deriving(self, *heads: Atom, name: str = "", position: Position | None = None) -> Rule:
        """The rule with the same body and some heads."""
        parts = (self.body, self.negated, self.filters, self.assignments)
        return Rule(heads, *parts, name=name, position=position, aggregates=self.aggregates)

    def __str__(self) -> str:
        group = f" ON {' '.join(map(str, self.group))}" if self.group else ""
        return f"AGGREGATE({_body_text(self)}{group} {' '.join(map(str, self.values))})"


@dataclass(frozen=True, slots=True)
class Rule:
    """``heads :- body, ~negated, filters, assignments, aggregates``; equality ignores name and position.

    `filters` are expressions of which each must be true; an error in one (a type error, say) is false.
    """

    heads: tuple[Atom, ...]
    body: tuple[BodyAtom, ...]
    negated: tuple[Atom, ...] = ()
    filters: tuple[Expression, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    name: str = field(default="", compare=False)
    position: Position | None = field(default=None, compare=False)
    aggregates: tuple[Aggregate, ...] = ()

    @property
    def is_fact(self) -> bool:
        """Whether the heads hold, without a condition."""
        conditions = self.body or self.negated or self.filters or self.assignments or self.aggregates
        return bool(self.heads) and not conditions

    def __str__(self) -> str:
        head = ", ".join(map(str, self.heads)) or "false"
        body = _body_text(self)
        return f"{head} :- {body} ." if body else f"{head} ."


def _body_text(of: Rule | Aggregate) -> str:
    parts = [*map(str, of.body), *(f"~{atom}" for atom in of.negated)]
    parts += [*map(str, of.aggregates), *map(str, of.assignments), *map(_filter_text, of.filters)]
    return ", ".join(parts)


def _filter_text(expression: Expression) -> str:
    text = str(expression)
    return f"FILTER{text}" if text.startswith("(") else f"FILTER({text})"


@dataclass(frozen=True, slots=True)
class Program:
    """Rules in the order of their text (a fact is a rule without a body), and the prefixes it declared.

    The text of a program reads back as an equal program, names of rules included.
    """

    rules: tuple[Rule, ...]
    prefixes: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The SHA-256 of the rules that derive something. Their names and their order do not matter, nor how often each
        stands there."""
        texts = {str(rule) for rule in self.rules if rule.heads}
        return sha256("\n".join(sorted(texts)).encode()).hexdigest()

    def __str__(self) -> str:
        lines = [f"@prefix {name}: <{iri}> ." for name, iri in self.prefixes.items()]
        for rule in self.rules:
            if rule.name:
                lines.append(f"#[name({Literal(rule.name)})]")
            lines.append(str(rule))
        return "\n".join(lines)
