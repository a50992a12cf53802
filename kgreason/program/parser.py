"""Rule texts to programs, or one clear error."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from kgreason import memory
from kgreason.checkpoints import passes
from kgreason.errors import Position, RuleError, RuleSyntaxError, nearest, suggestion, unreadable
from kgreason.program.rules import Program
from kgreason.program.safety import check_safety
from kgreason.program.tree_reader import read_program
from kgreason.program.vlog_format import is_vlog, parse_vlog

_NAMES: Final = {
    "DOT": "'.'", "COMMA": "','", "RPAR": "')'", "LPAR": "'('", "RSQB": "']'", "LSQB": "'['", "ARROW": "':-'",
    "VARIABLE": "a variable", "PREFIX_NAME": "a prefix", "IRIREF": "an IRI", "NAME": "a name", "_AS": "AS",
    "_BIND": "BIND", "_ON": "ON",
}  # fmt: skip
_UNSUPPORTED: Final = {
    "DIRECTIVE": "the directive",
    "EXISTENTIAL": "the existential variable",
    "EXISTS": "the quantifier",
    "OTHER_AGGREGATE": "the aggregate",
    "MISPLACED": "the aggregate",
}

_IRI: Final = re.compile(r"<[a-zA-Z][\w+.\-]*:[^\s<>]*>")
_AGGREGATES: Final = ("#count", "#sum", "#min", "#max", "#avg", "#group_concat")


class _UnsupportedError(Exception):
    """A token of a construct that is not supported."""

    def __init__(self, token: Token) -> None:
        self.token = token


def parse_program(text: str, source: str = "rules", prefixes: Mapping[str, str] | None = None) -> Program:
    """Parse rules in the syntax of Rulewerk, Nemo or RDFox, or in VLog's line format: O(length of the text).

    `source` names the text in errors; `prefixes` are known beside the standard ones and those that the text
    declares. A built-in test (``contains(?x, "a")``), or any function in capitals, is a filter where it stands
    among the atoms, unless the text has a rule for a relation of that name. Equal texts are equal rules.

    Raises:
        RuleSyntaxError, UnsafeRuleError: with source, line, column and reason.
    """
    vlog = is_vlog(text)
    program = parse_vlog(text, source) if vlog else read_program(_parse(text, source), source, prefixes or {})
    for rule in passes(program.rules):
        check_safety(rule)
    return program


def parse_file(path: str | Path) -> Program:
    """Parse a file of rules; RuleError when it cannot be read."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason, place = unreadable(error, path)
        raise RuleError(f"the rules cannot be read: {reason}", **place) from error
    return parse_program(text, str(path))


@cache
def _parser() -> Lark:
    grammar = files("kgreason.program").joinpath("grammar.lark").read_text(encoding="utf-8")
    refusals = dict.fromkeys(_UNSUPPORTED, _refuse)
    return Lark(grammar, parser="lalr", maybe_placeholders=False, lexer_callbacks=refusals)


def _refuse(token: Token) -> Token:
    raise _UnsupportedError(token)


def _parse(text: str, source: str) -> Tree[Token]:
    try:
        parsing = _parser().parse_interactive(text)
        last = deque(memory.watched(passes(parsing.iter_parse()), "reading rules"), maxlen=1)
        tree: Tree[Token] = parsing.feed_eof(last.pop() if last else None)  # type: ignore[no-untyped-call]  # lark's
        return tree
    except _UnsupportedError as error:
        raise _unsupported(error.token, source) from None
    except UnexpectedCharacters as error:
        raise _unexpected_character(text[error.pos_in_stream or 0], _position(error, source)) from None
    except UnexpectedToken as error:
        raise _unexpected_token(error, text, source) from None


def _unsupported(token: Token, source: str) -> RuleSyntaxError:
    position = Position(source, token.line or 1, token.column or 1)
    written = " ".join(token.split())
    if written.lower() in ("@prefix", "@base"):
        form = "@prefix name: <iri> ." if written.lower() == "@prefix" else "@base <iri> ."
        return RuleSyntaxError(f"{written} has the form {form}", position)
    if token.type == "MISPLACED":
        form = f"a body has AGGREGATE(atom, ... BIND {written[1:].upper()}(?y) AS ?n), and a comment a blank after #"
        return RuleSyntaxError(f"{written} stands where an argument of a head does, and nowhere else: {form}", position)
    near = nearest(written, _AGGREGATES) if token.type == "OTHER_AGGREGATE" else None
    return RuleSyntaxError(f"{_UNSUPPORTED[token.type]} {written} is not supported{suggestion(near)}", position)


def _unexpected_character(character: str, position: Position) -> RuleSyntaxError:
    match character:
        case '"' | "'":
            reason = "a string that is not closed"
        case "<":
            reason = "an IRI that is not closed, or that has a character which no IRI has"
        case "#":
            reason = 'an attribute that is not like #[name("...")]'
        case _:
            reason = f"unexpected character {character!r}"
    return RuleSyntaxError(reason, position)


def _unexpected_token(error: UnexpectedToken, text: str, source: str) -> RuleSyntaxError:
    if error.token.type == "$END":
        lines = text.rstrip().split("\n")
        position = Position(source, len(lines), len(lines[-1]) + 1)
        return RuleSyntaxError("the text ends in the middle of a rule; is a '.' missing?", position)
    for found in _IRI.finditer(text.split("\n")[error.line - 1]):
        if found.start() + 1 < error.column <= found.end():  # its "<" was read as an operator, as after any operand
            position = Position(source, error.line, found.start() + 1)
            return RuleSyntaxError(f"unexpected {found[0]!r}; is a ',' missing?", position)
    expected = {name for name in error.expected & _NAMES.keys() if _is_accepted(error, name)}
    position = _position(error, source)
    if error.token.startswith("<") and expected & {"IRIREF", "NAME"}:
        return _unexpected_character("<", position)
    names = sorted(_NAMES[name] for name in expected)
    hint = f", expected {' or '.join(names)}" if 0 < len(names) <= 5 else ""
    written = str(error.token) if len(error.token) <= 40 else f"{error.token[:40]}..."
    return RuleSyntaxError(f"unexpected {written!r}{hint}", position)


def _is_accepted(error: UnexpectedToken, name: str) -> bool:
    """Whether a token could really stand there: the parser's own expectations are those of similar places, too."""
    state = error.state.copy(deepcopy_values=False)
    try:
        state.feed_token(Token(name, ""))
    except UnexpectedToken:
        return False
    return True


def _position(error: UnexpectedInput, source: str) -> Position:
    return Position(source, error.line, error.column)
