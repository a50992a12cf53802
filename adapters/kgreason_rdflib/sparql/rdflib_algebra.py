"""rdflib's translation from parse trees to algebra, in a copy that takes as long as the request is.

rdflib puts the triples of a pattern, or of INSERT DATA, in the order in which its own evaluator takes them: that is
quadratic in their number (15 s for 2,000), and the planner here has an order of its own. The copy is rdflib's module,
executed once more, with long patterns left as they are written, and a look at the clock in its walks over trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from itertools import chain
from types import ModuleType
from typing import Any, Final

from rdflib.plugins.sparql import algebra

from kgreason.checkpoints import checkpoint
from kgreason.errors import QueryError

_LONG: Final = 64
"""Longer patterns are not put in order."""


def translate_query(*arguments: Any) -> Any:
    """`rdflib.plugins.sparql.algebra.translateQuery`."""
    return _copy().translateQuery(*arguments)


def translate_update(*arguments: Any) -> Any:
    """`rdflib.plugins.sparql.algebra.translateUpdate`."""
    return _copy().translateUpdate(*arguments)


@cache
def _copy() -> ModuleType:
    spec = spec_from_file_location(f"{algebra.__package__}.kgreason_algebra", algebra.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module).update(triples=_triples_by(module.reorderTriples), _traverse=_checked(module._traverse))
    return module


def _triples_by(order: Callable[[Any], Any]) -> Callable[[Sequence[Any]], list[Any]]:
    def triples(parts: Sequence[Any]) -> list[Any]:
        """The triples of parts that each have some, one term after the other."""
        terms = [*chain.from_iterable(parts)]
        if len(terms) % 3:
            raise QueryError("terms that are not triples")
        found = [*zip(terms[::3], terms[1::3], terms[2::3], strict=True)]
        return list(order(found)) if len(found) <= _LONG else found

    return triples


def _checked(traverse: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*arguments: Any, **options: Any) -> Any:
        checkpoint()
        return traverse(*arguments, **options)

    return checked
