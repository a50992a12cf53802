"""The one table of operators and functions: rules, queries, proofs and Spark look up here what a call means.

A function has up to three ways over columns: to truth values, to numbers of which no term is made, and to ids. Where
none applies, it is called on terms (`kgreason.rdf.functions`), once for each distinct combination of arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Final, TypeAlias

from kgreason.algebra.expressions import arithmetic, fresh_terms, logic
from kgreason.algebra.expressions.comparison import comparison, membership, same_terms
from kgreason.algebra.expressions.lexical_functions import LEXICAL, lexical
from kgreason.algebra.expressions.operands import Arguments, Batch, Evaluator
from kgreason.algebra.expressions.term_functions import resolved_iri
from kgreason.algebra.expressions.text_columns import TEXTS, text_ids
from kgreason.algebra.expressions.text_tests import lengths, text_test
from kgreason.algebra.expressions.triple_parts import PLACES, part, triple
from kgreason.algebra.expressions.truth import Truth
from kgreason.algebra.row_keys import Ids
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.rdf.casts import CASTS
from kgreason.rdf.functions import ANY, TERM_FUNCTIONS
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, TRIPLE_KIND

TruthColumn: TypeAlias = Callable[[Evaluator, Arguments, Batch], Truth | None]
NumberColumn: TypeAlias = Callable[[Evaluator, Arguments, Batch], ValueColumn]
IdColumn: TypeAlias = Callable[[Evaluator, Arguments, Batch], Ids | None]


NAMESPACE: Final = "urn:kgreason:"
"""The functions that rules have are called in queries by these IRIs, too: ``<urn:kgreason:samevalue>(?x, ?y)``."""


class Volatility(Enum):
    """On what a value depends, in the words of PostgreSQL."""

    IMMUTABLE = "its arguments"
    STABLE = "the query, too"
    VOLATILE = "nothing: it is new in each solution"


@dataclass(frozen=True, slots=True)
class Function:
    """A function or operator: how many arguments it takes, and its ways over columns; a way may return None for
    arguments that it is not meant for.

    A test may stand alone in the body of a rule.
    """

    least: int
    most: int
    truth: TruthColumn | None = None
    numbers: NumberColumn | None = None
    ids: IdColumn | None = None
    is_test: bool = False
    volatility: Volatility = Volatility.IMMUTABLE
    is_of_terms: bool = False
    """For very few rows it is called on terms."""
    of_solutions: bool = False
    """It looks at the solution and not at a value, as BOUND does."""

    @property
    def in_rules(self) -> bool:
        """Whether rules may call it."""
        return self.volatility is Volatility.IMMUTABLE and not self.of_solutions


_COMPARISONS: Final = ("=", "!=", "<", ">", "<=", ">=")
_ARITHMETIC: Final = ("+", "-", "*", "/", "u-", "u+", "abs", "ceil", "floor", "round")
_KINDS: Final = {
    "isiri": IRI_KIND, "isuri": IRI_KIND, "isblank": BLANK_KIND, "isliteral": LITERAL_KIND,
    "istriple": TRIPLE_KIND,
}  # fmt: skip
_TEXT_TESTS: Final = ("contains", "strstarts", "strends", "regex")
_OTHER_TESTS: Final = ("haslang", "haslangdir", "illtyped", "langmatches", "samevalue", "valuein", "wellformed")

_TRUTH: Final[dict[str, TruthColumn]] = {
    **{symbol: partial(comparison, symbol) for symbol in _COMPARISONS},
    **{name: partial(logic.is_kind, kind) for name, kind in _KINDS.items()},
    **{name: partial(text_test, name) for name in _TEXT_TESTS},
    "isnumeric": logic.is_numeric,
    "sameterm": same_terms,
    "!": logic.negation,
    "boolean": logic.effective,
}
_NUMBERS: Final[dict[str, NumberColumn]] = {
    **{symbol: partial(arithmetic.numbers, symbol) for symbol in _ARITHMETIC},
    "strlen": lengths,
}
_IDS: Final[dict[str, IdColumn]] = {
    **{symbol: partial(arithmetic.ids_of_numbers, symbol) for symbol in _ARITHMETIC},
    **{name: partial(lexical, name) for name in LEXICAL},
    **{name: partial(text_ids, name) for name in TEXTS},
    **{name: partial(part, name) for name in PLACES},
    "triple": triple,
    "identity": logic.unchanged,
    "iri": resolved_iri,
    "uri": resolved_iri,
}
_NEVER_OF_TERMS: Final = frozenset((*_KINDS, "identity", "boolean", "!", "iri", "uri"))
_TESTS: Final = frozenset((*_KINDS, *_TEXT_TESTS, *_OTHER_TESTS, "isnumeric", "sameterm"))

FUNCTIONS: Final[Mapping[str, Function]] = {
    **{
        name: Function(
            *(arity.least, arity.most, _TRUTH.get(name), _NUMBERS.get(name), _IDS.get(name)),
            is_test=name in _TESTS,
            is_of_terms=name not in _NEVER_OF_TERMS,
        )
        for name, arity in TERM_FUNCTIONS.items()
    },
    # The next six evaluate an argument only in the rows that need it.
    "&&": Function(2, ANY, partial(logic.connected, False)),
    "||": Function(2, ANY, partial(logic.connected, True)),
    "if": Function(3, 3, ids=logic.chosen),
    "coalesce": Function(0, ANY, ids=logic.coalesced),
    "in": Function(1, ANY, partial(membership, False), is_test=True),
    "notin": Function(1, ANY, partial(membership, True), is_test=True),
    "bound": Function(1, 1, logic.bound, of_solutions=True),
    "now": Function(0, 0, ids=fresh_terms.now, volatility=Volatility.STABLE),
    "bnode": Function(0, 1, ids=fresh_terms.bnode, volatility=Volatility.VOLATILE),
    "rand": Function(0, 0, ids=fresh_terms.rand, volatility=Volatility.VOLATILE),
    "uuid": Function(0, 0, ids=fresh_terms.uuid_iri, volatility=Volatility.VOLATILE),
    "struuid": Function(0, 0, ids=fresh_terms.uuid_text, volatility=Volatility.VOLATILE),
}
"""The functions by their names: operators as they are written, SPARQL's names in lower case, IRIs of datatypes."""


def function_of_iri(iri: str, arguments: int) -> str | None:
    """The name of a function that a query may call by an IRI with so many arguments: a datatype to cast to, or
    `NAMESPACE` before a name; None where there is none."""
    name = iri.removeprefix(NAMESPACE)
    known = FUNCTIONS.get(name)
    if known is None or not known.in_rules or (name == iri and iri not in CASTS):
        return None
    return name if known.least <= arguments <= known.most else None


def functions_by_iri() -> dict[str, str]:
    """The names of the functions that a query may call by an IRI of ours, by these IRIs; casts aside."""
    return {
        NAMESPACE + name: name
        for name, known in FUNCTIONS.items()
        if known.in_rules and name not in CASTS and name.replace("_", "").isalnum()
    }
