"""Descriptions, data ranges, properties, individuals and literals of the Manchester syntax."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

from kgreason.errors import TermError
from kgreason.io.owl.expressions import RDF, RDFS, XSD, Argument, Expression, Names, literal_key
from kgreason.io.owl.manchester_tokens import Tokens

_ESCAPE: Final = re.compile(r'\\(["\\])')
_FACETS: Final = {
    **{"length": f"{XSD}length", "minLength": f"{XSD}minLength", "maxLength": f"{XSD}maxLength"},
    **{"pattern": f"{XSD}pattern", "langRange": f"{RDF}langRange"},
    **{"<=": f"{XSD}maxInclusive", "<": f"{XSD}maxExclusive", ">=": f"{XSD}minInclusive", ">": f"{XSD}minExclusive"},
}
_NUMBERS: Final = (
    (re.compile(r"[+-]?\d+"), f"{XSD}integer"),
    (re.compile(r"[+-]?\d+\.\d+"), f"{XSD}decimal"),
    (re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?[fF]"), f"{XSD}float"),
)
_DATATYPES: Final = ("integer", "decimal", "float", "string")
_QUANTIFIERS: Final = {"some": "SomeValuesFrom", "only": "AllValuesFrom"}
_CARDINALITIES: Final = {"min": "MinCardinality", "max": "MaxCardinality", "exactly": "ExactCardinality"}
_SETS: Final = frozenset(("IntersectionOf", "UnionOf", "ComplementOf", "OneOf"))
_WORDS: Final = frozenset(("some", "only", "min", "max", "exactly", "value", "Self", "and", "or", "not", "that", "o"))


class Descriptions:
    """Reads from tokens what stands in sections.

    Sets of classes and of data are read as ``UnionOf`` and so on, and get their kind when it is known.
    """

    def __init__(self, tokens: Tokens, names: Names) -> None:
        self._tokens = tokens
        self._names = names
        self._data_properties: set[str] = set()
        self._datatypes: set[str] = {f"{RDFS}Literal"}

    def declare(self) -> None:
        """Learn which properties and types are of data: all that have a frame somewhere."""
        for word, known in (("DataProperty:", self._data_properties), ("Datatype:", self._datatypes)):
            for token in self._tokens.following(word):
                with suppress(TermError):  # reported where the frame is
                    known.add(self._named(token))

    # -- names and literals ----------------------------------------------------------------------------------------

    def iri(self) -> str:
        """An IRI in full, abbreviated, or a name under the default prefix."""
        if not self._tokens.is_iri:
            found = self._tokens.next("an IRI")
            raise self._tokens.wrong(f"{found} is not expected here", "an IRI")
        token = self._tokens.next("an IRI")
        if token in _WORDS:
            raise self._tokens.wrong(f"{token} is not expected here", "an IRI")
        return self._named(token)

    def _named(self, token: str) -> str:
        if token.startswith("<"):
            return self._names.iri(token[1:-1])
        return self._names.abbreviated(token if ":" in token else f":{token}")

    def individual(self) -> str:
        """An IRI, or a blank node."""
        if self._tokens.token.startswith("_:"):
            return self._tokens.next("")
        return self.iri()

    def property(self) -> Argument:
        """A property, or the inverse of one."""
        if self._tokens.skip("inverse"):
            in_brackets = self._tokens.skip("(")
            name = self.iri()
            if in_brackets:
                self._tokens.expect(")")
            return Expression("ObjectInverseOf", [name])
        return self.iri()

    def value(self) -> str:
        """An individual or a literal."""
        return self._literal() or self.individual()

    def annotation_value(self) -> str:
        """An IRI, a blank node or a literal."""
        return self.value()

    def _literal(self) -> str | None:
        """The literal that is next, None for anything else."""
        token = self._tokens.token
        if token.startswith('"'):
            text = _ESCAPE.sub(r"\1", self._tokens.next("")[1:-1])
            if self._tokens.token.startswith("@"):
                return literal_key(text, self._tokens.next("")[1:])
            return literal_key(text, None, self._datatype() if self._tokens.skip("^^") else None)
        for pattern, datatype in _NUMBERS:
            if pattern.fullmatch(token):
                return literal_key(self._tokens.next("").rstrip("fF"), None, datatype)
        if token in ("true", "false"):
            return literal_key(self._tokens.next(""), None, f"{XSD}boolean")
        return None

    def _datatype(self) -> str:
        if self._tokens.token in _DATATYPES:
            return XSD + self._tokens.next("")
        return self.iri()

    # -- descriptions ----------------------------------------------------------------------------------------------

    def description(self) -> Argument:
        """A class expression."""
        return _of_kind(self._disjunction(), "Object")

    def data_range(self) -> Argument:
        """A data range."""
        return _of_kind(self._disjunction(), "Data")

    def _disjunction(self) -> Argument:
        found = [self._conjunction()]
        while self._tokens.skip("or"):
            found.append(self._conjunction())
        return found[0] if len(found) == 1 else Expression("UnionOf", found)

    def _conjunction(self) -> Argument:
        found = [self._primary()]
        while self._tokens.skip("and") or (len(found) == 1 and self._tokens.skip("that")):
            found.append(self._primary())
        return found[0] if len(found) == 1 else Expression("IntersectionOf", found)

    def _primary(self) -> Argument:
        with self._tokens.deeper():
            if self._tokens.skip("not"):
                return Expression("ComplementOf", [self._primary()])
            if self._tokens.skip("("):
                inner = self._disjunction()
                self._tokens.expect(")")
                return inner
            if self._tokens.skip("{"):
                found = self._tokens.several(self.value)
                self._tokens.expect("}")
                return Expression("OneOf", found)
            return self._restriction()

    def _restriction(self) -> Argument:
        """A restriction, or a name."""
        if self._tokens.token in _DATATYPES:
            return self._with_facets(self._datatype())
        property = self.property()
        token = self._tokens.token
        if token in _QUANTIFIERS:
            self._tokens.next("")
            return self._quantified(_QUANTIFIERS[token], [property])
        if token in _CARDINALITIES:
            self._tokens.next("")
            return self._cardinality(_CARDINALITIES[token], property)
        if self._tokens.skip("value"):
            value = self.value()
            return Expression("DataHasValue" if value.startswith('"') else "ObjectHasValue", [property, value])
        if self._tokens.skip("Self"):
            return Expression("ObjectHasSelf", [property])
        if isinstance(property, Expression):
            raise self._tokens.wrong("the inverse of a property in the place of a class")
        return self._with_facets(property)

    def _quantified(self, name: str, before: list[Argument]) -> Expression:
        filler = self._primary()
        property = before[-1]
        kind = "Data" if self._is_data_property(property) or self._is_data(filler) else "Object"
        return Expression(f"{kind}{name}", [*before, _of_kind(filler, kind)])

    def _cardinality(self, name: str, property: Argument) -> Expression:
        count = self._tokens.next("a number")
        if not count.isdecimal():
            raise self._tokens.wrong(f"{count} is not a number")
        token = self._tokens.token
        begins = token in ("not", "(", "{") or (self._tokens.is_iri and token not in _WORDS)
        if begins:
            return self._quantified(name, [count, property])
        kind = "Data" if self._is_data_property(property) else "Object"
        return Expression(f"{kind}{name}", [count, property])

    def _with_facets(self, name: str) -> Argument:
        if not self._tokens.skip("["):
            return name
        found: list[Argument] = [name]
        while True:
            facet = self._tokens.next("a facet")
            if facet not in _FACETS:
                raise self._tokens.wrong(f"{facet} is not a facet", ", ".join(_FACETS))
            value = self._literal()
            if value is None:
                raise self._tokens.wrong("a facet without a literal")
            found += [_FACETS[facet], value]
            if not self._tokens.skip(","):
                self._tokens.expect("]")
                return Expression("DatatypeRestriction", found)

    def _is_data_property(self, property: Argument) -> bool:
        return isinstance(property, str) and property in self._data_properties

    def _is_data(self, filler: Argument) -> bool:
        if isinstance(filler, str):
            return filler.startswith((XSD, '"')) or filler in self._datatypes
        if filler.name == "DatatypeRestriction":
            return True
        return filler.name in _SETS and any(self._is_data(each) for each in filler.arguments)


def _of_kind(given: Argument, kind: str) -> Argument:
    """A description with its sets as sets of classes or of data."""
    if isinstance(given, Expression) and given.name in _SETS:
        return Expression(f"{kind}{given.name}", [_of_kind(each, kind) for each in given.arguments])
    return given
