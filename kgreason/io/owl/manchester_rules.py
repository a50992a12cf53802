"""Rules of SWRL in the Manchester syntax, as Protégé and the OWL API write them; the specification has none."""

from __future__ import annotations

from typing import Final

from kgreason.io.owl.expressions import Argument, Expression, Names
from kgreason.io.owl.manchester_descriptions import Descriptions
from kgreason.io.owl.manchester_tokens import Tokens

_SAME: Final = {"sameAs": "SameIndividualAtom", "differentFrom": "DifferentIndividualsAtom"}
_BUILT_IN: Final = "http://www.w3.org/2003/11/swrlb#"
_VARIABLE: Final = "urn:swrl:var#"


class Rules:
    """Reads rules from the tokens of an ontology."""

    def __init__(self, tokens: Tokens, names: Names, descriptions: Descriptions) -> None:
        self._tokens = tokens
        self._names = names
        self._descriptions = descriptions

    def parts(self) -> list[Argument]:
        """The body and the head of the rule that is next, after its annotations.

        Raises:
            OwlSyntaxError: it is malformed.
        """
        body = self._tokens.several(self._atom)
        self._tokens.expect("-")
        self._tokens.expect(">")
        head = self._tokens.several(self._atom)
        return [Expression("Body", body), Expression("Head", head)]

    def _atom(self) -> Expression:
        word = self._tokens.token
        if word in _SAME:
            return Expression(_SAME[self._tokens.next("")], self._arguments())
        described = self._descriptions.description()
        arguments = self._arguments()
        if isinstance(described, str) and described.startswith(_BUILT_IN):
            return Expression("BuiltInAtom", [described, *arguments])
        if len(arguments) == 1:
            return Expression("ClassAtom", [described, *arguments])
        last = arguments[-1]
        kind = "Data" if isinstance(last, str) and last.startswith('"') else "Object"
        return Expression(f"{kind}PropertyAtom", [described, *arguments])

    def _arguments(self) -> list[Argument]:
        self._tokens.expect("(")
        found = self._tokens.several(self._argument)
        self._tokens.expect(")")
        return found

    def _argument(self) -> Argument:
        token = self._tokens.token
        if not token.startswith("?"):
            return self._descriptions.value()
        name = self._tokens.next("")[1:]
        full = f"{_VARIABLE}{name}" if name else self._tokens.full_iri()
        return Expression("Variable", [self._names.iri(full)])
