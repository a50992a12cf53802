"""IRIs, literals and variables of a request, under the prefixes and the base that hold where they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NoReturn

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import TermError, nearest
from kgreason.rdf.iri_resolution import resolved
from kgreason.rdf.keys import check_datatype, check_tag, check_unicode, iri_key
from kgreason.rdf.model import DIRECTIONS, IRI, Literal
from kgreason.rdf.vocabulary import RDF_NIL, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER
from kgreason.sparql.syntax.cursor import ALIKE, Cursor, shown
from kgreason.sparql.syntax.requests import OddIri

Namespaces = Mapping[str, object]
"""What prefixes stand for; `str` of a value is the IRI."""

NIL: Final = IRI(RDF_NIL)
NUMERALS: Final = {"integer": XSD_INTEGER, "decimal": XSD_DECIMAL, "double": XSD_DOUBLE}
LITERALS: Final = frozenset((*NUMERALS, "text", "long_text", "TRUE", "FALSE", "+", "-"))
"""The kinds of tokens that a literal begins with; a sign only if a numeral is right behind it."""
IRIS: Final = frozenset(("iri", "name"))

_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", '"': '"', "'": "'"}


class TermReader(Cursor):
    """Reads terms; knows the prologue that has been read."""

    def __init__(self, text: str, base: str | None, namespaces: Namespaces) -> None:
        super().__init__(text)
        self.base = base or None
        self._namespaces = namespaces
        self.declared: dict[str, str] = {}
        self._iris: dict[str, IRI] = {}
        self.odd_iris: list[OddIri] = []
        self._variables: dict[str, Variable] = {}

    # -- the prologue --------------------------------------------------------------------------------------------

    def prologue(self) -> None:
        """BASE, PREFIX and VERSION, as many as there are."""
        while True:
            if self.take("PREFIX"):
                self._prefix()
            elif self.take("BASE"):
                self.base = self._resolved(self._iri_token()[1:-1])
            elif self.take("VERSION"):
                # It says nothing of the solutions: all versions are read alike.
                if self.kind != "text":
                    self.refuse("a version in quotation marks")
                self.next()
            else:
                return
            self._iris.clear()

    def _prefix(self) -> None:
        if self.kind != "name" or not self.text.endswith(":") or self.text.count(":") > 1:
            self.refuse("a prefix and ':'")
        prefix = self.next()[:-1]
        self.declared[prefix] = self._resolved(self._iri_token()[1:-1])

    def _iri_token(self) -> str:
        if self.kind != "iri":
            self.refuse_iri("an IRI in <...>")
        return self.next()

    def _resolved(self, iri: str) -> str:
        return iri if self.base is None else resolved(iri, self.base)

    # -- IRIs ----------------------------------------------------------------------------------------------------

    def iri(self, *others: str) -> IRI:
        """An IRI, written out or with a prefix; `others` could stand here, too."""
        text = self.text
        known = self._iris.get(text)
        if known is not None:
            self.next()
            return known
        if self.kind == "iri":
            made = IRI(self._resolved(text[1:-1]))
            self._check(check_unicode, made.value, self.at)
        elif self.kind == "name":
            made = IRI(self._expanded(text))
        else:
            self.refuse_iri("an IRI", *others)
        self._note_odd(made.value)
        self.next()
        self._iris[text] = made
        return made

    def forget_odd_iris(self, after: int = 0) -> None:
        """Tell of no IRIs that are not valid but the first ones, and of others again where they come anew."""
        self._iris.clear()
        del self.odd_iris[after:]

    def _note_odd(self, iri: str) -> None:
        try:
            iri_key(iri)
        except TermError as error:
            self.odd_iris.append(OddIri(iri, error.reason, *self.place(self.at)))

    def _expanded(self, name: str) -> str:
        prefix, _, local = name.partition(":")
        namespace = self.namespace(prefix)
        if namespace is None:
            near = nearest(prefix, [*self.declared, *self._namespaces], ALIKE) if prefix else None
            self.wrong(
                f"unknown prefix {prefix}:",
                expected=f"PREFIX {prefix}: <...> before it",
                meant=None if near is None else f"{near}:",
            )
        return namespace + (_ESCAPE.sub(r"\1", local) if "\\" in local else local)

    def namespace(self, prefix: str) -> str | None:
        """What a prefix stands for."""
        declared = self.declared.get(prefix)
        if declared is not None:
            return declared
        given = self._namespaces.get(prefix)
        return None if given is None else str(given)

    def refuse_iri(self, *expected: str) -> NoReturn:
        """Refuse what is here, where an IRI could be; of one that is broken, say so."""
        if self.kind == "<":
            start = self.tokens.start(self.at)
            line = self.tokens.text[start:].split("\n", 1)[0]
            end = line.find(">")
            if end > 0:
                self.wrong(f"{shown(line[: end + 1])} is not an IRI", expected='none of <>"{}|^`\\ and no space in it')
            self.wrong(f"an IRI that is not closed: {shown(line)}", expected="'>' at its end")
        self.refuse(*expected)

    # -- variables and literals ----------------------------------------------------------------------------------

    def variable(self, *others: str) -> Variable:
        """A variable; `others` could stand here, too."""
        if self.kind != "variable":
            self.refuse("a variable", *others)
        name = self.next()[1:]
        known = self._variables.get(name)
        if known is None:
            known = self._variables[name] = Variable(name)
        return known

    def literal(self) -> Literal:
        """A literal, where one of `LITERALS` stands."""
        kind = self.kind
        if kind in ("text", "long_text"):
            return self._text_literal()
        datatype = NUMERALS.get(kind)
        if datatype is not None:
            return Literal(self.next(), datatype)
        if kind in ("TRUE", "FALSE"):
            return Literal(self.next().lower(), XSD_BOOLEAN)
        if not self.is_signed_numeral():
            self.refuse("a term or a variable")
        sign = self.next()
        datatype = NUMERALS[self.kind]
        return Literal(sign + self.next(), datatype)

    def _text_literal(self) -> Literal:
        lexical = self.string()
        if self.kind == "tag":
            return self._tagged(lexical)
        if self.take("^^"):
            at, datatype = self.at, self.iri().value
            self._check(check_datatype, datatype, at)
            return Literal(lexical, datatype)
        return Literal(lexical)

    def _tagged(self, lexical: str) -> Literal:
        language, _, direction = self.text[1:].partition("--")
        if direction and direction not in DIRECTIONS:
            self.wrong(f"{self.text} has no base direction", expected="--ltr or --rtl")
        self._check(check_tag, language, self.at)
        self.next()
        return Literal(lexical, None, language, direction or None)

    def _check(self, check: Callable[[str], None], part: str, at: int) -> None:
        """Refuse what no literal can have, at its token."""
        try:
            check(part)
        except TermError as error:
            self.wrong(error.reason, at)

    def string(self) -> str:
        """The characters of a text in quotation marks."""
        if self.kind not in ("text", "long_text"):
            self.refuse("a string")
        marks = 1 if self.kind == "text" else 3
        text = self.text[marks:-marks]
        if "\\" in text:
            text = _ESCAPE.sub(self._unescaped, text)
        self._check(check_unicode, text, self.at)
        self.next()
        return text

    def _unescaped(self, found: re.Match[str]) -> str:
        character = _ESCAPES.get(found[1])
        if character is None:
            expected = "\\t \\n \\r \\b \\f \\\\ \\\" \\' \\u.... or \\U........"
            self.wrong(f"{found[0]} is not an escape", expected=expected)
        return character
