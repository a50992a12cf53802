"""The paths of rules, sequences of properties forward and inverse, taken apart into triple patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.rules import Argument, TripleAtom
from kgreason.rdf.model import IRI
from kgreason.sparql.algebra import Inverse, Path, Sequence


def is_plain(path: Path) -> bool:
    """Whether a path has sequences and inverses alone."""
    if isinstance(path, Inverse):
        return is_plain(path.path)
    return all(map(is_plain, path.steps)) if isinstance(path, Sequence) else isinstance(path, IRI)


def unfolded(
    start: Argument, path: Path | Variable, end: Argument, new_variable: Callable[[], Variable]
) -> Iterator[TripleAtom]:
    """The triple patterns that a path stands for, from its start to its end."""
    match path:
        case Inverse(inner):
            yield from unfolded(end, inner, start, new_variable)
        case Sequence(steps):
            for number, step in enumerate(steps, 1):
                following = end if number == len(steps) else new_variable()
                yield from unfolded(start, step, following, new_variable)
                start = following
        case IRI() | Variable():
            yield TripleAtom(start, path, end)
        case _:
            raise AssertionError("a path that rules do not have")
