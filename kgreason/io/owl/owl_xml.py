"""OWL/XML (``.owx``): its elements are the expressions of the functional-style syntax, with few exceptions.

Source: OWL 2 XML Serialization, section 2 and the schema.
"""

from __future__ import annotations

from typing import Final
from xml.parsers import expat

from kgreason.checkpoints import checkpoint
from kgreason.errors import TermError
from kgreason.io.owl.expressions import DEEPEST, OWL, Argument, Expression, Names, OwlSyntaxError, Take, literal_key

_SPACE: Final = f"{OWL} "
_XML: Final = "http://www.w3.org/XML/1998/namespace "
_NAMED: Final = frozenset(
    (
        *("Class", "Datatype", "ObjectProperty", "DataProperty", "AnnotationProperty", "NamedIndividual"),
        *("Variable", "BuiltInAtom"),
    )
)
"""Elements that have an IRI as an attribute."""
_TEXTS: Final = frozenset(("Literal", "IRI", "AbbreviatedIRI", "Import"))
"""Elements that have text."""
_KEPT: Final = ("Declaration",)
"""In these, what has a name is an expression. Elsewhere it is its name, since its kind is known."""
_PIECE: Final = 1 << 16


def read_owl_xml(data: bytes, names: Names, take: Take) -> None:
    """Give what an ontology says, one expression after the other; `names` learns its prefixes.

    Raises:
        OwlSyntaxError: it is malformed.
    """
    reader = _Reader(names, take)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        for at in range(0, len(data) + 1, _PIECE):
            checkpoint()
            parser.Parse(data[at : at + _PIECE], at + _PIECE > len(data))
    except expat.ExpatError as error:
        raise OwlSyntaxError(expat.ErrorString(error.code), error.lineno) from None
    except TermError as error:
        raise OwlSyntaxError(error.reason, parser.CurrentLineNumber) from None
    except (LookupError, ValueError) as error:  # an encoding that Python does not have, or not for expat
        raise OwlSyntaxError(str(error), parser.CurrentLineNumber) from None
    except OwlSyntaxError as error:
        raise OwlSyntaxError(error.reason, error.line or parser.CurrentLineNumber) from None


class _Reader:
    """The elements that are open, as expressions, with what they have so far."""

    def __init__(self, names: Names, take: Take) -> None:
        self._names = names
        self._take = take
        self._open: list[Expression] = []
        self._attributes: list[dict[str, str]] = []
        self._text: list[str] = []

    def begin(self, element: str, attributes: dict[str, str]) -> None:
        name = element.removeprefix(_SPACE)
        if name == element or (name == "Ontology") == bool(self._open):
            raise OwlSyntaxError(f"the element {name} is not expected here", None)
        if len(self._open) > DEEPEST:
            raise OwlSyntaxError(f"elements nested more than {DEEPEST} deep", None)
        if self._text and "".join(self._text).strip():
            raise OwlSyntaxError(f"text before the element {name}", None)
        self._text.clear()
        self._open.append(Expression(name))
        self._attributes.append(attributes)
        if name == "Ontology":
            self._names.base = attributes.get(f"{_XML}base", self._names.base)
            versions = [attributes[key] for key in ("ontologyIRI", "versionIRI") if key in attributes]
            self._take(Expression("Ontology", [self._names.iri(each) for each in versions]))
        if "cardinality" in attributes:
            self._open[-1].arguments.append(attributes["cardinality"].strip())
        if name == "FacetRestriction":
            self._open[-1].arguments.append(self._names.iri(attributes.get("facet", "")))

    def text(self, text: str) -> None:
        self._text.append(text)

    def end(self, element: str) -> None:
        done, attributes = self._open.pop(), self._attributes.pop()
        text = "".join(self._text)
        self._text.clear()
        if done.name in _TEXTS:
            done.arguments = [self._content(done.name, text, attributes)]
        elif text.strip():
            raise OwlSyntaxError(f"text in the element {done.name}", None)
        if not self._open:
            return
        if len(self._open) > 1:
            self._open[-1].arguments.extend(self._as_arguments(done, attributes))
        elif done.name == "Prefix":
            self._names.prefixes[attributes.get("name", "")] = attributes.get("IRI", "")
        else:
            self._take(_as_functional(done))

    def _content(self, name: str, text: str, attributes: dict[str, str]) -> str:
        match name:
            case "Literal":
                datatype = attributes.get("datatypeIRI")
                full = self._names.iri(datatype) if datatype is not None else None
                return literal_key(text, attributes.get(f"{_XML}lang") or None, full)
            case "AbbreviatedIRI":
                return self._names.abbreviated(text.strip())
            case _:
                return self._names.iri(text.strip())

    def _as_arguments(self, done: Expression, attributes: dict[str, str]) -> list[Argument]:
        """What an element is as an argument of the one around it."""
        if done.name in ("Literal", "IRI", "AbbreviatedIRI", "FacetRestriction"):
            return done.arguments
        if done.name == "AnonymousIndividual":
            return [f"_:{attributes.get('nodeID', '').removeprefix('_:')}"]
        if done.name not in _NAMED:
            return [done]
        name = self._named(done.name, attributes)
        if done.name in ("Variable", "BuiltInAtom") or self._open[-1].name in _KEPT:
            return [Expression(done.name, [name, *done.arguments])]
        return [name]

    def _named(self, element: str, attributes: dict[str, str]) -> str:
        if "IRI" in attributes:
            return self._names.iri(attributes["IRI"])
        if "abbreviatedIRI" in attributes:
            return self._names.abbreviated(attributes["abbreviatedIRI"])
        raise OwlSyntaxError(f"the element {element} without an IRI", None)


def _as_functional(axiom: Expression) -> Expression:
    """An axiom as the functional-style syntax has it: keys stand in two groups there."""
    if axiom.name == "HasKey":
        first = next((at for at, each in enumerate(axiom.arguments) if not _is_annotation(each)), 0)
        described, keys = axiom.arguments[: first + 1], axiom.arguments[first + 1 :]
        return Expression("HasKey", [*described, Expression("", keys), Expression("")])
    return axiom


def _is_annotation(argument: Argument) -> bool:
    return isinstance(argument, Expression) and argument.name == "Annotation"
