"""Property paths taken apart into plainer patterns (SPARQL 1.1, section 18.2.2.4), as far as the algebra has them.

A sequence becomes atoms with variables between them, an inverse exchanged ends, an alternative a union. What stays a
`PathPattern` is what no pattern can say, a `Repeat`; and an `Alternative` of single steps or a `NegatedSet`, since an
atom can be joined in the cheapest order, and a union cannot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, pairwise

from kgreason.algebra.expressions.tree import Variable
from kgreason.rdf.model import IRI
from kgreason.sparql.algebra import (
    Alternative,
    Atom,
    Basic,
    Expression,
    Group,
    Inverse,
    Join,
    NegatedSet,
    Node,
    Operand,
    Path,
    PathPattern,
    Project,
    Repeat,
    Sequence,
    TriplePattern,
    Union,
)
from kgreason.sparql.algebra_tree import chain_of, changed_link, with_inner, with_patterns
from kgreason.sparql.scope import variables_of


def unfolded(node: Node) -> Node:
    """The same query with its paths taken apart; done once, for the whole query, so that fresh variables differ."""
    return _Unfolding().node(node)


class _Unfolding:
    def __init__(self) -> None:
        self._numbers = count(1)

    def node(self, node: Node) -> Node:
        """The node with all patterns in it taken apart."""
        links, inner = chain_of(node)
        found = self._basic(inner) if isinstance(inner, Basic) else self._inside(inner)
        for link in reversed(links):
            found = changed_link(link, found, self.node, self._expression)
        return found

    def _inside(self, node: Node) -> Node:
        node = _projected(node) if isinstance(node, Group) else node
        return with_inner(node, self.node, self._expression)

    def _expression(self, expression: Expression) -> Expression:
        return with_patterns(expression, self.node)

    def _basic(self, node: Basic) -> Node:
        if not any(isinstance(atom, PathPattern) for atom in node.atoms):
            return node
        atoms: list[Atom] = []
        unions: list[Node] = []
        for atom in node.atoms:
            if isinstance(atom, PathPattern):
                self._path(atom.subject, simplified(atom.path), atom.object, atoms, unions)
            else:
                atoms.append(atom)
        if not unions:
            return Basic(tuple(atoms))
        return Join((Basic(tuple(atoms)), *unions)) if atoms or len(unions) > 1 else unions[0]

    def _path(self, subject: Operand, path: Path, object: Operand, atoms: list[Atom], unions: list[Node]) -> None:
        """Put what a path stands for to the atoms and unions that are to be joined."""
        match path:
            case IRI():
                atoms.append(TriplePattern(subject, path, object))
            case Inverse(inner):
                self._path(object, inner, subject, atoms, unions)
            case Sequence(steps):
                between = [Variable(f"/{next(self._numbers)}") for _ in steps[1:]]
                for step, (begin, end) in zip(steps, pairwise((subject, *between, object)), strict=True):
                    self._path(begin, step, end, atoms, unions)
            case Alternative(choices) if not all(map(_is_atom, choices)):
                patterns = (Basic((PathPattern(subject, choice, object),)) for choice in choices)
                unions.append(Union(tuple(map(self._basic, patterns))))
            case _:
                atoms.append(PathPattern(subject, path, object))


def _projected(group: Group) -> Group:
    """COUNT(DISTINCT *) counts without the variables of paths: a projection keeps them out."""
    if any(each.argument is None and each.distinct for _, each in group.aggregates):
        return replace(group, node=Project(group.node, tuple(sorted(variables_of(group.node)))))
    return group


def _is_atom(path: Path) -> bool:
    """Whether a simplified path is one step: a relation of its own."""
    return not isinstance(path, Sequence | Alternative)


def simplified(path: Path) -> Path:
    """The same path with inverses only of single predicates, nothing nested in its like, and one repetition for
    several."""
    match path:
        case Inverse(inner):
            return simplified(_inverse(inner)) if not isinstance(inner, IRI) else path
        case Sequence(steps):
            found = tuple(_spliced(Sequence, map(simplified, steps)))
            return found[0] if len(found) == 1 else Sequence(found)
        case Alternative(choices):
            found = tuple(_spliced(Alternative, map(simplified, choices)))
            return found[0] if len(found) == 1 else Alternative(found)
        case Repeat(inner, optional, once):
            return _repeated(simplified(inner), optional, once)
    return path


def _spliced(kind: type[Sequence | Alternative], paths: Iterator[Path]) -> Iterator[Path]:
    for path in paths:
        if isinstance(path, kind):
            yield from path.steps if isinstance(path, Sequence) else path.choices
        else:
            yield path


def _repeated(inner: Path, optional: bool, once: bool) -> Path:
    optional = optional or is_optional(inner)
    if isinstance(inner, Repeat):
        return Repeat(inner.path, optional, once and inner.once)
    if isinstance(inner, Alternative) and optional:
        # One of the choices may be the empty path, which the repetition includes already.
        inner = Alternative(tuple(map(_at_least_once, inner.choices)))
    return Repeat(inner, optional, once)


def _at_least_once(path: Path) -> Path:
    if not isinstance(path, Repeat) or not path.optional or is_optional(path.path):
        return path
    return path.path if path.once else Repeat(path.path, False, False)


def is_optional(path: Path) -> bool:
    """Whether a path may have no step at all, and so connects everything with itself."""
    match path:
        case Repeat(inner, optional, _):
            return optional or is_optional(inner)
        case Inverse(inner):
            return is_optional(inner)
        case Sequence(steps):
            return all(map(is_optional, steps))
        case Alternative(choices):
            return any(map(is_optional, choices))
    return False


def _inverse(path: Path) -> Path:
    """A path walked backwards, the inverse pushed a level down."""
    match path:
        case Inverse(inner):
            return inner
        case Sequence(steps):
            return Sequence(tuple(Inverse(step) for step in reversed(steps)))
        case Alternative(choices):
            return Alternative(tuple(Inverse(choice) for choice in choices))
        case Repeat(inner, optional, once):
            return Repeat(Inverse(inner), optional, once)
        case NegatedSet(forward, inverse):
            return NegatedSet(inverse, forward)
    return Inverse(path)
