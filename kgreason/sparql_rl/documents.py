"""Texts and files of rules to a Program, with the files that they import.

Nothing is fetched: a rule set is imported from a file in the folder of the one that imports it, or below, and only
where that one is a file. Each is imported once, so circles end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from kgreason.errors import Position, RuleError, unreadable
from kgreason.program.rules import Program, Rule
from kgreason.program.safety import check_safety
from kgreason.sparql_rl.matched_patterns import stratified
from kgreason.sparql_rl.negations import digest
from kgreason.sparql_rl.reader import read_rule_set
from kgreason.sparql_rl.rule_set import Import, RuleSet
from kgreason.sparql_rl.stratification import check_rules
from kgreason.sparql_rl.translation import translated, translated_facts
from kgreason.sparql_rl.wellformedness import check_rule


def read_text(text: str, source: str = "rules", prefixes: Mapping[str, str] | None = None) -> Program:
    """The program of a text, which imports nothing.

    Raises:
        RuleSyntaxError, UnsafeRuleError, StratificationError: with source, line, column and reason.
        RuleError: it imports something.
    """
    rule_set = read_rule_set(text, source, None, prefixes)
    for each in rule_set.imports:
        raise _refused(each, "a rule set that is not a file imports nothing")
    return program_of([(digest(text), rule_set)])


def read_file(path: str | Path) -> Program:
    """The program of a file and of the files that it imports; errors as of `read_text`."""
    return program_of(list(_resolved(Path(path).resolve(), str(path), set())))


def program_of(rule_sets: list[tuple[str, RuleSet]]) -> Program:
    """One program of rule sets, each with a key that tells its blank nodes from those of others."""
    rules = [rule for _, rule_set in rule_sets for rule in rule_set.rules]
    for rule in rules:
        check_rule(rule)
    check_rules(rules)
    found: dict[Rule, None] = {}
    for key, rule_set in rule_sets:
        found.update(dict.fromkeys(translated_facts(rule_set.facts, key)))
    times: Counter[str] = Counter()
    for rule in rules:
        text = str((rule.head, rule.terms, rule.body, rule.of_data))
        found.update(dict.fromkeys(translated(rule, times[text])))
        times[text] += 1
    for each in found:
        check_safety(each)
    prefixes = {name: iri for _, rule_set in rule_sets for name, iri in rule_set.prefixes.items()}
    return Program(stratified(tuple(found)), prefixes)


def _resolved(path: Path, shown: str, seen: set[Path]) -> Iterator[tuple[str, RuleSet]]:
    """A file and what it imports, each once, in the order of the texts."""
    seen.add(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason, place = unreadable(error, shown)
        raise RuleError(f"the rules cannot be read: {reason}", **place) from error
    rule_set = read_rule_set(text, shown, path.as_uri())
    for each in rule_set.imports:
        imported = _beside(each, path)
        if imported not in seen:
            yield from _resolved(imported, str(Path(shown).parent / imported.relative_to(path.parent)), seen)
    yield digest(text), rule_set


def _beside(each: Import, path: Path) -> Path:
    """The file that an import names."""
    parts = urlsplit(each.iri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        raise _refused(each, "it is not a file, and nothing is fetched")
    found = Path(unquote(parts.path)).resolve()
    if not found.is_relative_to(path.parent):
        raise _refused(each, f"it is outside of {path.parent.name}/")
    if not found.is_file():
        raise _refused(each, "there is no such file")
    return found


def _refused(each: Import, reason: str) -> RuleError:
    at: Position = each.position
    return RuleError(f"cannot import <{each.iri}>: {reason}", at, expected="a file beside the one that imports it")
