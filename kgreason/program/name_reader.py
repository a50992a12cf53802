"""From tokens to names and texts: IRIs under the prefixes and the base that hold where they stand, without escapes."""

from __future__ import annotations

import re
from typing import Final, TypeAlias
from urllib.parse import urljoin

from lark import Token, Tree

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import Position, RuleSyntaxError, TermError
from kgreason.program.rule_variables import TYPE
from kgreason.program.rules import Argument
from kgreason.rdf.keys import iri_key
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import STANDARD_PREFIXES, XSD_BOOLEAN

Node: TypeAlias = Tree[Token] | Token
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", '"': '"', "'": "'"}
_LOCAL_ESCAPE: Final = re.compile(r"\\(.)")
_ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_SIMPLE: Final = re.compile(r"[?$]\w+|<[^>]*>|[^\s,()\[\]]+")


class NameReader:
    """Reads names and texts; remembers prefixes and base on the way through a text, and says where an error is."""

    def __init__(self, source: str, prefixes: dict[str, str]) -> None:
        self._source = source
        self._prefixes = {**STANDARD_PREFIXES, **prefixes}
        self._base = ""
        self._names: dict[str, Argument] = {}

    # -- what holds from here on ----------------------------------------------------------------------------------

    def declare_prefix(self, name: str, iri: Token) -> str:
        """Take note of a prefix; gives its IRI."""
        self._prefixes[name] = self._resolve(iri, iri)
        self._names.clear()
        return self._prefixes[name]

    def declare_base(self, iri: Token) -> None:
        """Take note of the base of relative IRIs."""
        self._base = self._resolve(iri, iri)
        self._names.clear()

    # -- names ------------------------------------------------------------------------------------------------------

    def simple_arguments(self, token: Token) -> tuple[Argument, ...]:
        """The arguments in a token that holds a list of variables and simple names."""
        return tuple([self._names.get(text) or self.inner_name(text, token) for text in _SIMPLE.findall(token)])

    def simple_triple(self, token: Token) -> tuple[Argument, Argument, Argument]:
        """The subject, predicate and object in a token that holds variables and simple names."""
        subject, predicate, object_ = _SIMPLE.findall(token)
        return (
            self._names.get(subject) or self.inner_name(subject, token),
            TYPE if predicate == "a" else self._names.get(predicate) or self.inner_name(predicate, token),
            self._names.get(object_) or self.inner_name(object_, token),
        )

    def name(self, token: Token) -> Argument:
        """The term of a name: an IRI, or true or false."""
        return self._names.get(str(token)) or self.inner_name(str(token), token)

    def known(self, text: str) -> Argument | None:
        """The term of a name that was read before, under the same prefixes."""
        return self._names.get(text)

    def inner_name(self, text: str, token: Token) -> Argument:
        """The variable or the term of a simple name that stands in a token."""
        if text[0] in "?$":
            named: Argument = Variable(text[1:])
        elif text[0] == "<":
            named = IRI(self._resolve(text, token))
        elif ":" in text:
            prefix, _, local = text.partition(":")
            if prefix not in self._prefixes:
                raise self._inner_error(f"the prefix {prefix}: is not declared", text, token)
            named = IRI(self._valid(self._prefixes[prefix] + _LOCAL_ESCAPE.sub(r"\1", local), text, token))
        elif text in ("true", "false"):
            named = Literal(text, XSD_BOOLEAN)
        else:
            reason = f"{text} is neither a variable nor a term; is a prefix or a '?' missing?"
            raise self._inner_error(reason, text, token)
        self._names[text] = named
        return named

    # -- texts and IRIs ---------------------------------------------------------------------------------------------

    def text(self, quoted: Token) -> str:
        """The text of a string."""
        quotes = 3 if quoted.startswith(('"""', "'''")) else 1
        return self.unescaped(quoted[quotes:-quotes], quoted)

    def unescaped(self, text: str, token: Token) -> str:
        """A text in a token without its backslashes."""
        try:
            return unescape(text)
        except ValueError as error:
            raise self.error(str(error), token) from None

    def _resolve(self, quoted: str, token: Token) -> str:
        iri = self.unescaped(quoted[1:-1], token)
        if not is_absolute(iri):
            if not self._base:
                raise self._inner_error(f"<{iri}> is a relative IRI, and there is no @base", quoted, token)
            resolved = urljoin(self._base, iri)
            # urljoin knows hierarchical schemes only; to others a name is simply appended.
            iri = resolved if is_absolute(resolved) else self._base + iri
        return self._valid(iri, quoted, token)

    def _valid(self, iri: str, text: str, token: Token) -> str:
        try:
            return iri_key(iri)
        except TermError as error:
            raise self._inner_error(str(error), text, token) from None

    # -- places -----------------------------------------------------------------------------------------------------

    def position(self, node: Node) -> Position:
        """Where a node begins."""
        while isinstance(node, Tree):
            node = node.children[0]
        return Position(self._source, node.line or 0, node.column or 0)

    def error(self, reason: str, node: Node) -> RuleSyntaxError:
        """An error at the beginning of a node."""
        return RuleSyntaxError(reason, self.position(node))

    def _inner_error(self, reason: str, text: str, token: Token) -> RuleSyntaxError:
        """An error at a name, which may stand in the middle of a token."""
        offset = next((found.start() for found in _SIMPLE.finditer(token) if found.group() == text), 0)
        before = " " * ((token.column or 1) - 1) + token[:offset]
        line = (token.line or 0) + before.count("\n")
        return RuleSyntaxError(reason, Position(self._source, line, len(before) - before.rfind("\n")))


def is_absolute(iri: str) -> bool:
    """Whether an IRI begins with a scheme."""
    return _ABSOLUTE.match(iri) is not None


def unescape(text: str) -> str:
    """A quoted text without its backslashes; ValueError for what is not an escape."""
    return _ESCAPE.sub(_escaped, text) if "\\" in text else text


def _escaped(found: re.Match[str]) -> str:
    code = found.group(1)
    if code in _ESCAPES:
        return _ESCAPES[code]
    number = int(code[1:], 16) if len(code) > 1 else -1
    if not 0 <= number <= 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise ValueError(f"{found.group().strip()} is not an escape of a character; a backslash is written twice")
    return chr(number)
