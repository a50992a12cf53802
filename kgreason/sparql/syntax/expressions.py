"""Expressions (SPARQL 1.1, section 19.8, rules 107 to 128), aggregates among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final, NoReturn, Protocol

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.errors import nearest
from kgreason.rdf.model import IRI
from kgreason.sparql.algebra import Aggregate, Exists, Expression, Fallback, Node
from kgreason.sparql.syntax.builtins import AGGREGATES, ARITIES, CALLED, EXISTS, counted, name_of
from kgreason.sparql.syntax.cursor import ALIKE
from kgreason.sparql.syntax.requests import Service
from kgreason.sparql.syntax.term_syntax import IRIS, LITERALS, Namespaces
from kgreason.sparql.syntax.triples import TripleReader

_POWERS: Final = {
    "||": 1, "&&": 2, "=": 3, "!=": 3, "<": 3, ">": 3, "<=": 3, ">=": 3, "IN": 3, "NOT": 3,
    "+": 4, "-": 4, "*": 5, "/": 5,
}  # fmt: skip
"""How strongly an operator binds."""
_COMPARISON: Final = 3
_FLAT: Final = ("||", "&&")
_SIGNS: Final = {"!": "!", "-": "u-", "+": "u+"}


class Extensions(Protocol):
    """What only those who put a query know: functions by their IRIs, and servers."""

    def function(self, iri: IRI, arguments: Sequence[Expression], base: str | None) -> tuple[Expression, bool]:
        """The call of a function, and whether it is of someone else."""

    def service(self, service: Service) -> Fallback:
        """The solutions of a SERVICE."""


class ExpressionReader(TripleReader, ABC):
    """Reads expressions."""

    def __init__(self, text: str, base: str | None, namespaces: Namespaces, extensions: Extensions) -> None:
        super().__init__(text, base, namespaces)
        self.extensions = extensions
        self.fallbacks: list[str] = []
        self.aggregates: dict[Aggregate, str] | None = None
        """The aggregates of the query at hand with the variables that stand for them; None where there can be none."""

    @abstractmethod
    def group_node(self) -> Node:
        """A pattern in braces."""

    def expression(self, least: int = 1) -> Expression:
        """An expression whose operators bind at least so strongly."""
        found = self._unary()
        while True:
            operator = self.kind
            power = _POWERS.get(operator)
            if power is None or power < least:
                return found
            if power == _COMPARISON:
                found = self._compared(found)
                least = min(least, power)
                if _POWERS.get(self.kind) == _COMPARISON:
                    self.wrong("comparisons cannot be chained", expected="brackets around one, or &&")
                continue
            if operator in _FLAT:
                operands = [found]
                while self.take(operator):
                    operands.append(self.expression(power + 1))
                found = Call(operator, tuple(operands))
            else:
                self.next()
                found = Call(operator, (found, self.expression(power + 1)))

    def _compared(self, left: Expression) -> Expression:
        operator = self.next().upper()
        if operator == "NOT":
            self.expect("IN")
            return Call("notin", (left, *self._list()))
        if operator == "IN":
            return Call("in", (left, *self._list()))
        return Call(operator, (left, self.expression(_COMPARISON + 1)))

    def _list(self) -> tuple[Expression, ...]:
        """Expressions in brackets, with commas between them."""
        self.expect("(")
        found: list[Expression] = []
        if self.take(")"):
            return ()
        self.enter()
        while True:
            found.append(self.expression())
            if not self.take(","):
                break
        self._close("','")
        self.leave()
        return tuple(found)

    def _close(self, *others: str) -> None:
        if self.kind != ")":
            self.refuse("')'", *others, "an operator")
        self.next()

    def _unary(self) -> Expression:
        sign = _SIGNS.get(self.kind)
        if sign is None or self.is_signed_numeral():
            return self.primary()
        self.enter()
        self.next()
        operand = self._unary() if sign == "!" else self.primary()
        self.leave()
        return Call(sign, (operand,))

    def primary(self) -> Expression:
        """A term, a variable, a call, or an expression in brackets."""
        kind = self.kind
        if kind == "variable":
            return self.variable()
        if kind == "(":
            return self.bracketed()
        if kind in IRIS:
            iri = self.iri()
            return self._called(iri) if self.kind == "(" else iri
        if kind in LITERALS and (kind not in _SIGNS or self.is_signed_numeral()):
            return self.literal()
        if kind == "<<(":
            return self.triple_expression()
        return self.call()

    def bracketed(self) -> Expression:
        """An expression in brackets."""
        self.enter()
        self.expect("(")
        found = self.expression()
        self._close()
        self.leave()
        return found

    def constraint(self, *others: str) -> Expression:
        """An expression in brackets, or a call: what FILTER and HAVING take; `others` could stand here, too."""
        if self.kind == "(":
            return self.bracketed()
        if self.kind in IRIS:
            iri = self.iri()
            if self.kind != "(":
                self.refuse("'('")
            return self._called(iri)
        return self.call("'('", *others)

    # -- calls ---------------------------------------------------------------------------------------------------

    def call(self, *others: str) -> Expression:
        """A call of a function or an aggregate that has a name; `others` could stand here, too."""
        word = self.kind
        if word in ARITIES:
            return self._builtin(word)
        if word in EXISTS:
            return self._exists()
        if word in AGGREGATES:
            return self._aggregated(word)
        self._refuse_call(*others)

    def _refuse_call(self, *others: str) -> NoReturn:
        if self.kind.isupper() and self.kind_after() == "(":
            self.wrong(
                f"unknown function {self.text}",
                expected="a function of SPARQL 1.1, or the IRI of one",
                meant=nearest(self.kind, CALLED, ALIKE),
            )
        self.refuse_iri(*(others or ("an expression",)))

    def _builtin(self, word: str) -> Expression:
        at = self.at
        self.next()
        arguments = self._list()
        least, most = ARITIES[word]
        if not least <= len(arguments) <= most:
            given = f"{len(arguments)} argument{'' if len(arguments) == 1 else 's'}"
            self.wrong(given, at, part=word, expected=counted(least, most))
        if word == "BOUND" and not isinstance(arguments[0], Variable):
            self.wrong("an argument that is not a variable", at, part=word, expected="a variable")
        return Call(name_of(word), arguments)

    def _exists(self) -> Expression:
        negated = self.take("NOT")
        self.expect("EXISTS")
        aggregates, self.aggregates = self.aggregates, None
        basic, in_pattern = self.basic, self.in_pattern
        node = self.group_node()
        self.aggregates, self.basic, self.in_pattern = aggregates, basic, in_pattern
        return Exists(node, negated)

    def _called(self, iri: IRI) -> Expression:
        if self.kind_after() == "DISTINCT":
            self.next()
            self.wrong("only aggregates take DISTINCT", part=f"function {iri}")
        arguments = self._list()
        found, is_foreign = self.extensions.function(iri, arguments, self.base)
        if is_foreign:
            self.fallbacks.append(f"function {iri}")
        return found

    # -- aggregates ----------------------------------------------------------------------------------------------

    def _aggregated(self, word: str) -> Expression:
        aggregates = self.aggregates
        if aggregates is None:
            self.wrong("an aggregate cannot stand here", part=word, expected="it in SELECT, HAVING or ORDER BY")
        self.next()
        self.enter()
        self.aggregates = None
        self.expect("(")
        distinct = self.take("DISTINCT")
        argument = None if word == "COUNT" and self.take("*") else self.expression()
        separator = self._separator() if word == "GROUP_CONCAT" and self.take(";") else " "
        self._close()
        self.leave()
        self.aggregates = aggregates
        aggregate = Aggregate(word.lower(), argument, distinct, separator)
        return Variable(aggregates.setdefault(aggregate, f"#aggregate{len(aggregates)}"))

    def _separator(self) -> str:
        self.expect("SEPARATOR")
        self.expect("=")
        return self.string()
