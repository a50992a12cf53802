"""From what a user gives as rules to a program: names of rule sets, Datalog text, paths, programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from kgreason.datalog.model import Program
from kgreason.datalog.parser import parse_file, parse_program
from kgreason.errors import UnknownRuleSetError

RuleSource: TypeAlias = str | Path | Program

_LOOKS_LIKE_TEXT = re.compile(r":-|<-|[\n(\[]")


def resolve_rules(rules: RuleSource | Sequence[RuleSource]) -> Program:
    """One program of all the rules given.

    Raises:
        RuleSyntaxError, UnsafeRuleError: in a text or a file.
        UnknownRuleSetError: a string that is no name of a rule set, no text and no file.
    """
    if isinstance(rules, str | Path | Program):
        return _resolve(rules)
    programs = [_resolve(part) for part in rules]
    prefixes = {name: iri for program in programs for name, iri in program.prefixes.items()}
    return Program(tuple(rule for program in programs for rule in program.rules), prefixes)


def _resolve(source: RuleSource) -> Program:
    from kgreason_ontologies import rule_set_names, rule_set_text

    if isinstance(source, Program):
        return source
    if isinstance(source, Path):
        return parse_file(source)
    if source in rule_set_names():
        return parse_program(rule_set_text(source), source)
    if _LOOKS_LIKE_TEXT.search(source) or not source.strip():
        return parse_program(source)
    if Path(source).is_file():
        return parse_file(source)
    names = ", ".join(rule_set_names())
    raise UnknownRuleSetError(f"{source!r} is no rule set ({names}), no Datalog text and no file")
