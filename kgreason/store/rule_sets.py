"""From what a user gives as rules to a program: names of rule sets, Datalog text, paths, programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from kgreason.errors import UnknownRuleSetError, quoted
from kgreason.program import compiled_rule_sets
from kgreason.program.rules import Program
from kgreason_ontologies import compiled_rule_set, rule_set_names, rule_set_text

RuleSource: TypeAlias = str | Path | Program
Rules: TypeAlias = RuleSource | Sequence[RuleSource]

_TEXT: Final = re.compile(r":-|\.\s|[\n(\[]|\.$")


def resolve_rules(rules: Rules) -> Program:
    """One program of all the rules given.

    A string is the name of a rule set, the path of a file, or Datalog text, whichever fits first.

    Raises:
        RuleSyntaxError, UnsafeRuleError: in a text or a file.
        RuleError: a file that cannot be read.
        UnknownRuleSetError: a string that is not the name of a rule set, Datalog text or a file.
    """
    if isinstance(rules, str | Path | Program):
        return _resolve(rules)
    programs = [_resolve(part) for part in rules]
    prefixes = {name: iri for program in programs for name, iri in program.prefixes.items()}
    return Program(tuple(rule for program in programs for rule in program.rules), prefixes)


def _resolve(source: RuleSource) -> Program:
    if isinstance(source, Program):
        return source
    if isinstance(source, str) and source in rule_set_names():
        return _rule_set(source)
    # The rule sets that ship are parsed already, and the parser generator takes as long to import as numpy.
    from kgreason.program.parser import parse_file, parse_program

    if isinstance(source, Path):
        return parse_file(source)
    if _is_file(source):
        return parse_file(source)
    if _TEXT.search(source) or not source.strip():
        return parse_program(source)
    names = ", ".join(rule_set_names())
    raise UnknownRuleSetError(
        f"{quoted(source)} is not a rule set, Datalog text or a file", expected=f"one of {names}"
    )


@cache
def _rule_set(name: str) -> Program:
    text = rule_set_text(name)
    document = compiled_rule_set(name)
    program = None if document is None else compiled_rule_sets.read(document, text, name)
    if program is None:  # the text has been edited
        from kgreason.program.parser import parse_program

        program = parse_program(text, name)
    return program


def _is_file(text: str) -> bool:
    """Whether a text is the path of a file; a text too long for that, or with a null in it, is not."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False
