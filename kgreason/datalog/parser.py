"""Rule texts to programs, with one clear error for whatever is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from lark import Lark, UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from kgreason.datalog.model import Program
from kgreason.datalog.reader import read_program
from kgreason.datalog.safety import check_safety
from kgreason.datalog.vlog import is_vlog, parse_vlog
from kgreason.errors import KGReasonError, Position, RuleError, RuleSyntaxError

_NAMES = {
    "DOT": "'.'", "COMMA": "','", "RPAR": "')'", "LPAR": "'('", "RSQB": "']'", "LSQB": "'['", "VARIABLE": "a variable",
    "IRIREF": "an IRI", "PREFIXED": "a prefixed name", "BARE": "a name", "STRING": "a string", "INTEGER": "a number",
    "__ANON_0": "':-'", "$END": "the end",
}  # fmt: skip


def parse_program(text: str, source: str = "rules", prefixes: Mapping[str, str] | None = None) -> Program:
    """Parse rules in the syntax of Rulewerk, Nemo or RDFox, or in VLog's line format.

    `source` names the text in errors; `prefixes` are known beside those that the text declares.

    Raises:
        RuleSyntaxError, UnsafeRuleError: with source, line, column and reason.
    """
    if is_vlog(text):
        program = parse_vlog(text, source)
    else:
        try:
            tree = _parser().parse(text)
        except UnexpectedInput as error:
            raise _syntax_error(error, text, source) from None
        program = read_program(tree, source, prefixes or {})
    for rule in program.rules:
        check_safety(rule)
    return program


def parse_file(path: str | Path) -> Program:
    """Parse a file of rules; RuleError when it cannot be read."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RuleError(f"cannot read the rules in {path}: {reason}") from error
    return parse_program(text, str(path))


@cache
def _parser() -> Lark:
    grammar = files("kgreason.datalog").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=False)


def _syntax_error(error: UnexpectedInput, text: str, source: str) -> KGReasonError:
    if isinstance(error, UnexpectedEOF) or (isinstance(error, UnexpectedToken) and error.token.type == "$END"):
        lines = text.rstrip().split("\n")
        position = Position(source, len(lines), len(lines[-1]) + 1)
        return RuleSyntaxError("the text ends in the middle of a rule; is a '.' missing?", position)
    position = Position(source, error.line, error.column)
    if isinstance(error, UnexpectedCharacters):
        return RuleSyntaxError(f"unexpected character {text[error.pos_in_stream]!r}", position)
    assert isinstance(error, UnexpectedToken)
    expected = sorted(_NAMES[name] for name in error.expected & _NAMES.keys())
    hint = f", expected {' or '.join(expected)}" if 0 < len(expected) <= 4 else ""
    return RuleSyntaxError(f"unexpected {str(error.token)!r}{hint}", position)
