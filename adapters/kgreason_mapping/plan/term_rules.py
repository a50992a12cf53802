"""Term maps as rules. What a template or a constant settles for every row is settled here, and not checked again."""

from __future__ import annotations

from typing import Final

from kgreason.errors import MappingError
from kgreason.rdf.vocabulary import RDF_LANG_STRING
from kgreason_mapping.documents.mapping_model import (
    Call,
    Constant,
    Expression,
    Fresh,
    Reference,
    Template,
    TermMap,
    TermType,
    Text,
)
from kgreason_mapping.plan.tree import (
    BlankNodeTerm,
    CheckedIri,
    ConstantTerm,
    Escape,
    FreshBlankNode,
    Guarded,
    LiteralTerm,
    LiteralType,
    Tagged,
    TemplateIri,
    TermRule,
    TextValue,
    Typed,
    TypedByRow,
    Untyped,
)
from kgreason_mapping.syntax import ABSOLUTE_IRI, REST_OF_IRI, has_form

_ESCAPES: Final = {TermType.IRI: Escape.IRI, TermType.URI: Escape.URI}


def term_rule(term_map: TermMap, base: str | None) -> TermRule:
    """The rule of a term map.

    Raises:
        MappingError: it can only make terms that RDF does not allow.
    """
    made = _unguarded(term_map, base)
    return made if term_map.condition is None else Guarded(made, term_map.condition)


def _unguarded(term_map: TermMap, base: str | None) -> TermRule:
    expression = term_map.expression
    match expression:
        case Constant(key):
            return ConstantTerm(key)
        case Fresh(number):
            return FreshBlankNode(number)
    match term_map.term_type:
        case TermType.LITERAL:
            return LiteralTerm(_parts(expression), _literal_type(term_map, expression, base))
        case TermType.BLANK_NODE:
            return BlankNodeTerm(_parts(expression))
        case kind:
            return _iri(expression, kind, base)


def text_value(expression: Expression) -> TextValue:
    """An expression as text: for languages and for the conditions of joins.

    Raises:
        MappingError: it is a blank node.
    """
    match expression:
        case Constant(key):
            return TextValue((key[1 : key.rindex('"')] if key.startswith('"') else key,))
        case Fresh():
            raise MappingError("a blank node is not text")
        case _:
            return TextValue(_parts(expression))


def _iri(expression: Reference | Template | Call, kind: TermType, base: str | None) -> TemplateIri | CheckedIri:
    escape = _ESCAPES.get(kind)
    if isinstance(expression, Template) and escape is not None:
        prefix = _settled_base(expression, base)
        return TemplateIri((prefix, *expression.parts) if prefix else expression.parts, escape)
    return CheckedIri(_parts(expression), base)


def _literal_type(term_map: TermMap, expression: Reference | Template | Call, base: str | None) -> LiteralType:
    if term_map.language is not None:
        return Tagged(text_value(term_map.language).parts, not isinstance(term_map.language, Constant))
    if term_map.datatype is None:
        return Untyped.STRING if isinstance(expression, Template) else Untyped.NATURAL
    declared = term_map.datatype.expression
    match declared:
        case Constant(key):
            if key == RDF_LANG_STRING:
                raise MappingError("literals of rdf:langString need a language")
            return Typed(key)
        case Fresh():
            raise MappingError("a blank node is not a datatype")
        case _:
            return TypedByRow(_iri(declared, term_map.datatype.term_type, base))


def _settled_base(template: Template, base: str | None) -> str:
    """The prefix of all IRIs of a template whose values are encoded: they are valid for all rows or for none."""
    shape = "".join(part if isinstance(part, str) else "x" for part in template.parts)
    starts_open = not isinstance(template.parts[0], str)
    if not starts_open and has_form(shape, ABSOLUTE_IRI):
        return ""
    if base is None and has_form(shape, REST_OF_IRI):
        raise MappingError(f"the template {_written(template)!r} makes relative IRIs, and there is no base IRI")
    if base is None or not has_form(base + shape, ABSOLUTE_IRI):
        raise MappingError(f"the template {_written(template)!r} makes no valid IRIs")
    return base


def _parts(expression: Reference | Template | Call) -> Text:
    return expression.parts if isinstance(expression, Template) else (expression,)


def _written(template: Template) -> str:
    return "".join(part if isinstance(part, str) else f"{{{getattr(part, 'text', '')}}}" for part in template.parts)
