"""The draft's algorithms as they are written there, over rules in plain tuples: nothing of kgreason is in it.

A term is its text in Turtle, a variable begins with ``?``, a blank node of a head with ``_:``; a triple term is a tuple
of its parts. Elements of bodies are
``("triple", s, p, o)``, ``("filter", left, operator, right)``, ``("not", of_data, elements)`` and
``("set", variable, from_variable)``, which puts a mark behind the IRI of another variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias, Union

Term: TypeAlias = Union[str, "Triple"]
Triple: TypeAlias = tuple[Term, Term, Term]
Solution: TypeAlias = dict[str, Term]
Element: TypeAlias = tuple[Any, ...]


TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


class NotStratifiedError(Exception):
    """The stratification condition does not hold."""


@dataclass(frozen=True)
class DraftRule:
    """A rule of the draft."""

    head: tuple[Triple, ...]
    body: tuple[Element, ...]
    of_data: bool = False

    @property
    def runs_once(self) -> bool:
        return any(e[0] == "set" for e in self.body) or any(is_node(part) for t in self.head for part in t)

    def text(self) -> str:
        """In SPARQL-RL."""
        head = " . ".join(map(triple_text, self.head))
        return f"RULE {{ {head} }} WHERE {'DATA ' if self.of_data else ''}{{ {_text(self.body)} }}"


def triple_text(triple: Triple) -> str:
    """A triple or pattern as Turtle and SPARQL have it."""
    return " ".join(part if isinstance(part, str) else f"<<( {triple_text(part)} )>>" for part in triple)


def is_variable(part: Term) -> bool:
    return isinstance(part, str) and part.startswith("?")


def is_node(part: Term) -> bool:
    return isinstance(part, str) and part.startswith("_:")


def _text(elements: Iterable[Element]) -> str:
    texts = []
    for kind, *parts in elements:
        if kind == "triple":
            texts.append(f"{triple_text((parts[0], parts[1], parts[2]))} .")
        elif kind == "filter":
            texts.append(f"FILTER({' '.join(parts)})")
        elif kind == "set":
            texts.append(f'SET({parts[0]} := IRI(CONCAT(STR({parts[1]}), "-")))')
        else:
            texts.append(f"NOT {'DATA ' if parts[0] else ''}{{ {_text(parts[1])} }}")
    return " ".join(texts)


# -- dependencies and layers --------------------------------------------------------------------------------------


def layers(rules: list[DraftRule]) -> list[list[DraftRule]]:
    """The stratification, by the draft's algorithm."""
    edges = dict(_edges(rules))
    stratum = [0] * len(rules)
    changed = True
    while changed:
        changed = False
        for (first, second), closed in edges.items():
            least = stratum[second] + closed
            if stratum[first] < least:
                if least > len(rules) + 1:
                    raise NotStratifiedError
                stratum[first], changed = least, True
    numbers = range(max(stratum, default=0) + 1)
    return [[rule for rule, s in zip(rules, stratum, strict=True) if s == number] for number in numbers]


def _edges(rules: list[DraftRule]) -> Iterator[tuple[tuple[int, int], bool]]:
    found: dict[tuple[int, int], bool] = {}
    for (i, first), (j, second) in product(enumerate(rules), repeat=2):
        for pattern, negated in [] if first.of_data else _patterns(first.body):
            if any(may_match(pattern, template) for template in second.head):
                found[i, j] = found.get((i, j), False) or negated or first.runs_once
    yield from found.items()


def _patterns(elements: Iterable[Element]) -> Iterator[tuple[Triple, bool]]:
    for kind, *parts in elements:
        if kind == "triple":
            yield (parts[0], parts[1], parts[2]), False
        elif kind == "not" and not parts[0]:
            yield from ((pattern, True) for pattern, _ in _patterns(parts[1]))


def may_match(pattern: Triple, template: Triple) -> bool:
    """Whether some values of the template's variables give a triple that the pattern matches: all are tried. A triple
    term is taken for one that may be any."""
    flat, given_flat = (tuple("?any" if isinstance(part, tuple) else part for part in t) for t in (pattern, template))
    constants = {part for part in (*flat, *given_flat) if not part.startswith("?")} | {"other 1", "other 2", "other 3"}
    variables = sorted({part for part in given_flat if part.startswith("?")})
    for values in product(sorted(constants), repeat=len(variables)):
        given = dict(zip(variables, values, strict=True))
        if next(matches(flat, {tuple(given.get(part, part) for part in given_flat)}, {}), None) is not None:
            return True
    return False


# -- evaluation ---------------------------------------------------------------------------------------------------


@dataclass
class Evaluation:
    """The inference graph of rules and facts over a base graph."""

    base: set[Triple]
    inferred: set[Triple] = field(default_factory=set)
    _nodes: int = 0

    def run(self, rules: list[DraftRule], facts: Iterable[Triple]) -> set[Triple]:
        """Evaluate layer by layer: rules that run once, and then the others until nothing is new."""
        self.inferred = {fact for fact in facts if fact not in self.base}
        for layer in layers(rules):
            for rule in layer:
                if rule.runs_once:
                    self._apply(rule)
            general = [rule for rule in layer if not rule.runs_once]
            while sum(self._apply(rule) for rule in general):
                pass
        return self.inferred

    def _apply(self, rule: DraftRule) -> bool:
        """Evaluate a rule; whether something is new."""
        new: set[Triple] = set()
        for solution in list(self._solutions(rule.body, {}, rule.of_data)):
            self._nodes += 1
            nodes = [part for t in rule.head for part in t if isinstance(part, str) and is_node(part)]
            values: Solution = {node: f"_:n{self._nodes}{node[2:]}" for node in nodes}
            made = [(template, filled(template, solution | values)) for template in rule.head]
            new |= {triple for template, triple in made if is_triple(triple) and not is_hidden(template, triple)}
        new -= self.base | self.inferred
        self.inferred |= new
        return bool(new)

    def _solutions(self, elements: tuple[Element, ...], solution: Solution, of_data: bool) -> Iterator[Solution]:
        if not elements:
            yield solution
            return
        (kind, *parts), rest = elements[0], elements[1:]
        if kind == "triple":
            pattern = parts[0], parts[1], parts[2]
            graph = self.base if of_data else {t for t in self.base | self.inferred if not is_hidden(pattern, t)}
            for found in matches(pattern, graph, solution):
                yield from self._solutions(rest, found, of_data)
        elif kind == "set":
            given = solution[parts[1]]
            if isinstance(given, str) and not is_node(given):  # the IRI of a blank node or triple term is an error
                yield from self._solutions(rest, {**solution, parts[0]: f"{given[:-1]}->"}, of_data)
        elif kind == "filter":
            left, right = (solution.get(part, part) for part in (parts[0], parts[2]))
            if (left == right) == (parts[1] == "="):
                yield from self._solutions(rest, solution, of_data)
        elif next(self._solutions(parts[1], solution, of_data or parts[0]), None) is None:
            yield from self._solutions(rest, solution, of_data)


def matches(pattern: Triple, graph: Iterable[Triple], solution: Solution) -> Iterator[Solution]:
    """The solutions that a pattern adds to one."""
    for triple in graph:
        found = dict(solution)
        if _unified(pattern, triple, found):
            yield found


def _unified(pattern: Term, term: Term, found: Solution) -> bool:
    if isinstance(pattern, tuple):
        pairs = zip(pattern, term, strict=True) if isinstance(term, tuple) else [("?", "")]
        return isinstance(term, tuple) and all(_unified(p, t, found) for p, t in pairs)
    return found.setdefault(pattern, term) == term if is_variable(pattern) else pattern == term


def filled(template: Triple, solution: Solution) -> Triple:
    """A template with the values of a solution."""
    parts = [filled(p, solution) if isinstance(p, tuple) else solution.get(p, p) for p in template]
    return parts[0], parts[1], parts[2]


def is_triple(made: Triple) -> bool:
    """Whether terms make a triple, in which no triple term is a subject or predicate, and no blank node a predicate."""
    return (
        isinstance(made[0], str)
        and isinstance(made[1], str)
        and not is_node(made[1])
        and (isinstance(made[2], str) or is_triple(made[2]))
    )


def is_hidden(atom: Triple, triple: Triple) -> bool:
    """Where kgreason differs from the draft: a triple term is no class, so that no variable stands for it or for a part
    of it as one, but in what is asserted."""
    if triple[1] != TYPE or not isinstance(triple[2], tuple):
        return False
    return is_variable(atom[1]) or any(map(is_variable, parts_of(atom[2])))


def parts_of(term: Term) -> Iterator[str]:
    """The parts of a triple term, and of those in it; a term that is none is its own part."""
    if isinstance(term, str):
        yield term
    else:
        for part in term:
            yield from parts_of(part)
