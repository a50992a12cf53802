"""Names that mean something else than an auxiliary relation before a round bracket: built-ins, keywords, list atoms.

Before a square bracket each is the name of a relation, as RDFox writes facts: ``contains[?x, ?y]``. The text of a rule
has it so, because the rule may stand in another text than those that derive the relation, or alone.
"""

from __future__ import annotations

from typing import Final

from kgreason.algebra.expressions.function_table import FUNCTIONS

AGGREGATES: Final = frozenset({"count", "sum", "min", "max", "avg", "group_concat"})
"""The functions of aggregates."""
LIST_ATOMS: Final = {
    "member": "member(?list, ?index, member)",
    "every": "every(?member, ?list, atom, ...)",
    "path": "path(start, ?list, end)",
}
"""The atoms along lists, and how each is used."""
_KEYWORDS: Final = frozenset({"filter", "bind", "aggregate"})


def is_built_in(name: str) -> bool:
    """Whether a name means a built-in where an atom may stand: tests do, and functions and aggregates in capitals."""
    function = FUNCTIONS.get(name.lower())
    if function is None:
        return name.isupper() and name.lower() in AGGREGATES
    return function.is_test or name.isupper()


def is_list_atom(name: str, arguments: int) -> bool:
    """Whether a name with so many arguments in round brackets is meant as an atom along a list.

    Every text on Datalog has a relation ``path(?x, ?y)``; a path along a list has three arguments.
    """
    return name in LIST_ATOMS and (name, arguments) != ("path", 2)


def is_ambiguous(name: str, arguments: int) -> bool:
    """Whether a name with so many arguments is that of a relation before a square bracket alone."""
    return is_list_atom(name, arguments) or name.lower() in _KEYWORDS or is_built_in(name)
