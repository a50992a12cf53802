"""From what a user gives as rules to a program: names of rule sets, paths, programs, text in Datalog or SPARQL-RL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from kgreason import memory
from kgreason.checkpoints import passes
from kgreason.errors import OptionError, UnknownRuleSetError, nearest, quoted, suggestion
from kgreason.program import compiled_rule_sets
from kgreason.program.rules import Program
from kgreason.program.safety import check_safety
from kgreason.rdf.vocabulary import STANDARD_PREFIXES
from kgreason.sparql_rl.recognition import SUFFIXES, is_rule_set
from kgreason_ontologies import compiled_rule_set, rule_set_names, rule_set_text

RuleSource: TypeAlias = str | Path | Program
Rules: TypeAlias = RuleSource | Sequence[RuleSource]

_SUFFIXES: Final = (
    ".dl", ".rls", ".datalog", ".txt", ".srl", ".rl", ".n3", ".ttl", ".owl", ".rdf", ".ofn", ".omn", ".owx",
)  # fmt: skip
_KINDS: Final = "names of rule sets, paths, Datalog text or programs"
_TEXT: Final = re.compile(r":-|\.\s|[\n(\[{]|\.$")


def resolve_rules(rules: Rules, prefixes: Mapping[str, str] | None = None) -> Program:
    """One program of all the rules given.

    A string is the name of a rule set, the path of a file, or a text of rules, whichever fits first.
    A file has Datalog or, by the ending of its name, SPARQL-RL, N3 rules, or RDF with SWRL or SHACL rules.
    A text, but no file, may have `prefixes` that it does not declare.

    Raises:
        RuleSyntaxError, StratificationError: in a text or a file.
        UnsafeRuleError: there, or in a program.
        RuleError: a file that cannot be read.
        UnknownRuleSetError: a string that is not the name of a rule set, Datalog text or a file.
        OptionError: something else than a string, a path, a program or a sequence of these.
    """
    for part in rules if isinstance(rules, Sequence) and not isinstance(rules, str | bytes) else [rules]:
        if not isinstance(part, str | Path | Program):
            raise OptionError(f"rules of type {type(part).__name__}", "rules", part, expected=_KINDS)
    if isinstance(rules, str | Path | Program):
        return _resolve(rules, prefixes)
    programs = [_resolve(part, prefixes) for part in rules]
    declared = {name: iri for program in programs for name, iri in program.prefixes.items()}
    return Program(tuple(rule for program in programs for rule in program.rules), declared)


def _resolve(source: RuleSource, prefixes: Mapping[str, str] | None) -> Program:
    if isinstance(source, Program):
        for rule in passes(source.rules):
            check_safety(rule)
        return source
    if isinstance(source, str) and source in rule_set_names():
        return _rule_set(source)
    if isinstance(source, Path) or _is_file(source):
        return _parsed_file(source)
    if _TEXT.search(source) or not source.strip():
        return parse_rules(source, prefixes)
    raise _unknown(source)


def parse_rules(text: str, prefixes: Mapping[str, str] | None = None) -> Program:
    """The program of a text, in Datalog or SPARQL-RL; no name of a rule set, and no path.

    `prefixes` are known beside those that the text declares; the standard ones stay as they are.

    Raises:
        MemoryError: there is hardly any left.
    """
    # CPython may raise SystemError where the parser, or its import, finds no memory at all.
    memory.check_reserve("reading rules")
    known = {name: iri for name, iri in (prefixes or {}).items() if name not in STANDARD_PREFIXES}
    if is_rule_set(text):
        from kgreason.sparql_rl.documents import read_text

        return read_text(text, prefixes=known)
    from kgreason.program.parser import parse_program

    return parse_program(text, prefixes=known)


def _parsed_file(path: str | Path) -> Program:
    """The program of a file; the ending of its name says in which language it is."""
    memory.check_reserve("reading rules")
    # The rule sets that ship are parsed already, and the parser generator takes as long to import as numpy.
    if Path(path).suffix.lower() in SUFFIXES:
        from kgreason.sparql_rl.documents import read_file

        return read_file(path)
    from kgreason.rule_translation.rule_files import read_rules

    translated = read_rules(Path(path))
    if translated is not None:
        return translated
    from kgreason.program.parser import parse_file

    return parse_file(path)


def _unknown(source: str) -> UnknownRuleSetError:
    """What is wrong with a text that names nothing: a path that leads to no file, or the name of no rule set."""
    if _is_directory(source):
        return UnknownRuleSetError("a directory, not a file of rules", path=source)
    if "/" in source or Path(source).suffix in _SUFFIXES:
        return UnknownRuleSetError("no such file", path=source)
    names = rule_set_names()
    near = nearest(source.replace("_", "-"), names)
    meant = suggestion(near and repr(near))
    return UnknownRuleSetError(
        f"{quoted(source)} is not a rule set, Datalog text or a file{meant}", expected=f"one of {', '.join(names)}"
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


def _is_directory(text: str) -> bool:
    try:
        return Path(text).is_dir()
    except (OSError, ValueError):
        return False
