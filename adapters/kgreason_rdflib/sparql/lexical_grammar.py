"""rdflib's grammar of SPARQL, in a copy that keeps every literal as the text has it.

rdflib's own parser makes ``1`` of ``01``, ``1.0`` of ``1.0e0``, ``INF`` of ``1e400`` and spaces of a tab, collapses the
white space of an xsd:token, and takes eight digits after a ``\\u`` for one code point. In a store that keeps lexical
forms these are other terms, and an update with them writes other data. The copy is rdflib's module, executed once more
with other actions for numerals; what it makes is what rdflib's functions take.

These functions ask whether a filter is true where they mean whether there is one, and drop ``FILTER(false)``, so a
literal of a text is `WrittenLiteral`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from importlib.util import module_from_spec, spec_from_file_location
from threading import Lock
from types import ModuleType
from typing import Any, Final

from pyparsing import Regex
from rdflib.plugins.sparql import parser
from rdflib.plugins.sparql.algebra import translatePrologue, traverse
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue
from rdflib.term import Identifier, Literal

from kgreason.checkpoints import checkpoint
from kgreason.errors import QueryError
from kgreason.rdf import model
from kgreason.rdf.vocabulary import XSD
from kgreason_rdflib.rdflib_terms import from_model, to_model
from kgreason_rdflib.sparql.grammar_notes import check_query, check_request
from kgreason_rdflib.sparql.syntax_errors import reported

# The grammar is one object, and no two threads may use it at once: its parts learn as they parse.
_LOCK: Final = Lock()
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_HIGHEST: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)
_KINDS: Final = ("integer", "decimal", "double")
_FREQUENT: Final = ("IRIREF", "PNAME_LN", "PNAME_NS", "VAR1", "VAR2", "BLANK_NODE_LABEL", "INTEGER", "String", "ANON")
_PAUSE: Final = 0.05
_SIGNS: Final = (("POSITIVE", "+"), ("NEGATIVE", "-"))


class WrittenLiteral(Literal):
    """A literal of a text. It is true for any value, and equal to the same literal of rdflib."""

    __slots__ = ()

    def __bool__(self) -> bool:
        """That it is there."""
        return True


def parsed_query(text: str, base: str | None, namespaces: Mapping[str, Any]) -> Any:
    """The parse tree of a query, as ``rdflib.plugins.sparql.parser.parseQuery`` makes it: its prologue and its body.

    Raises:
        QuerySyntaxError: it is not a query.
        QueryError: it has what `grammar_notes` refuses.
    """
    with reported(), _alone():
        tree = _grammar().Query.parse_string(_unescaped(text), parse_all=True)
    with reported():
        tree[1] = _with_literals(tree[1], translatePrologue(tree[0], base, dict(namespaces)))
    check_query(tree[1])
    return tree


def parsed_request(text: str, base: str | None, namespaces: Mapping[str, Any]) -> CompValue:
    """The parse tree of an update request, as rdflib's ``parseUpdate`` makes it.

    Raises:
        QuerySyntaxError: it is not an update request.
        QueryError: it has what `grammar_notes` refuses.
    """
    with reported(), _alone():
        tree: CompValue = _grammar().UpdateUnit.parse_string(_unescaped(text), parse_all=True)[0]
    prologue: Prologue | None = None
    with reported():
        for number, part in enumerate(tree.request or ()):
            prologue = translatePrologue(tree.prologue[number], base, dict(namespaces), prologue)
            tree.request[number] = _with_literals(part, prologue)
    check_request(tree)
    return tree


def plain(term: Identifier) -> Identifier:
    """The same term as rdflib's users expect it: a literal is a Literal."""
    return from_model(to_model(term)) if isinstance(term, WrittenLiteral) else term


def _unescaped(text: str) -> str:
    """SPARQL 1.1, 19.2: the code points that are escaped anywhere in a text."""

    def character(found: re.Match[str]) -> str:
        point = int(found[1] or found[2], 16)
        if point > _HIGHEST or point in _SURROGATES:
            raise QueryError("not a character", part=found[0], expected="a code point of Unicode")
        return chr(point)

    return _ESCAPE.sub(character, text) if "\\" in text else text


def _with_literals(tree: Any, prologue: Prologue) -> Any:
    """A tree with its literals made: rdflib would collapse white space when it makes them."""

    def made(part: Any) -> Literal | None:
        checkpoint()
        if isinstance(part, Literal):
            return _written(str(part), part.language, part.datatype)
        if isinstance(part, CompValue) and part.name == "literal":
            datatype: Any = part.datatype and prologue.absolutize(part.datatype)
            return _written(str(part.string), part.lang, datatype)
        if isinstance(part, CompValue) and part.name == "Filter" and _is_constant(part.expr):
            # rdflib's translation leaves out a filter that is false to Python, FILTER(false) or FILTER(0); twice the
            # opposite is as true.
            part["expr"] = CompValue("UnaryNot", expr=CompValue("UnaryNot", expr=part.expr))
        return None

    return traverse(tree, visitPost=made)


def _is_constant(expression: Any) -> bool:
    while isinstance(expression, CompValue) and expression.name.endswith("Expression") and expression.other is None:
        expression = expression.expr
    return isinstance(expression, Literal)


def _written(lexical: str, language: str | None, datatype: str | None) -> WrittenLiteral:
    plain = from_model(model.Literal(lexical, None if datatype is None else str(datatype), language))
    assert isinstance(plain, Literal)
    made = str.__new__(WrittenLiteral, lexical)
    made._language, made._datatype = plain._language, plain._datatype
    made._value, made._ill_typed = plain._value, plain._ill_typed
    return made


@cache
def _grammar() -> ModuleType:
    """The copy: 20 ms to make."""
    spec = spec_from_file_location(f"{parser.__package__}.kgreason_parser", parser.__file__)
    assert spec is not None
    assert spec.loader is not None
    grammar = module_from_spec(spec)
    spec.loader.exec_module(grammar)
    for kind in _KINDS:
        getattr(grammar, kind.upper()).set_parse_action(_numeral(kind))
        for name, sign in _SIGNS:
            signed = getattr(grammar, f"{kind.upper()}_{name}")
            signed.exprs[-1].set_parse_action(_digits)
            signed.set_parse_action(_numeral(kind, sign))
    for name in _FREQUENT:
        getattr(grammar, name).add_parse_action(_checked)
    # A sign without white space after it belongs to the numeral wherever an expression begins.
    grammar.UnaryExpression.exprs.insert(0, grammar.NumericLiteralPositive | grammar.NumericLiteralNegative)
    # A mark that begins a variable or a numeral makes no path of the IRI before it.
    mark = rf"\?(?!{grammar.VARNAME.re.pattern})|\*|\+(?!\.?[0-9])"
    grammar.PathMod.exprs[:] = [Regex(mark).leave_whitespace()]
    for start in (grammar.Query, grammar.UpdateUnit):
        start.parse_with_tabs()
    return grammar


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the lock of the grammar; waiting for it counts."""
    while not _LOCK.acquire(timeout=_PAUSE):
        checkpoint()
    try:
        yield
    finally:
        _LOCK.release()


def _checked() -> None:
    """What a term does when it is parsed: the clock is looked at, for a text may have a million."""
    checkpoint()


def _digits(tokens: Any) -> Any:
    return tokens[0]


def _numeral(kind: str, sign: str = "") -> Callable[[Any], Literal]:
    """The literal of a numeral, as it is written."""
    return partial(_made, XSD + kind, sign)


def _made(datatype: str, sign: str, tokens: Any) -> Literal:
    return _written(sign + tokens[0], None, datatype)
