"""Files of rules in other languages, by their names: N3, and RDF with SWRL or SHACL rules."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError, RuleError, unreadable
from kgreason.io.formats import format_of_path
from kgreason.io.readers import read_files
from kgreason.program.rules import Program, Rule
from kgreason.rule_translation.n3 import parse_n3
from kgreason.rule_translation.rule_graph import RuleGraph, TranslationError
from kgreason.rule_translation.rule_triples import RuleTriples
from kgreason.rule_translation.shacl import SHACL_RULE, shacl_rules
from kgreason.rule_translation.swrl import IMP, swrl_rules

_N3 = ".n3"


def read_rules(path: Path) -> Program | None:
    """The program of a file of N3 rules or of RDF; None for a file that is neither by its name.

    Raises:
        RuleError: it cannot be read, has no rules, or has some that cannot be translated.
    """
    if path.suffix.lower() == _N3:
        return parse_n3(_text(path), str(path), path.absolute().as_uri())
    if format_of_path(path) is None:
        return None
    graph = _graph(path)
    program = program_of(graph)
    if not (program.rules or graph.instances(IMP) or graph.subjects_of(SHACL_RULE)):
        raise RuleError("there are no rules in it", path=path, expected="SWRL (swrl:Imp) or SHACL rules (sh:rule)")
    return program


def program_of(graph: RuleGraph) -> Program:
    """The SWRL and SHACL rules of a document.

    Raises:
        RuleError: some that cannot be translated.
    """
    swrl, shacl = swrl_rules(graph).program(), shacl_rules(graph).program()
    return Program((*swrl.rules, *shacl.rules), dict(graph.prefixes))


def holds_all(rules: Container[Rule], document: RuleTriples) -> bool:
    """Whether rules have all SWRL and SHACL rules of a document; no further ones are translated after the first that
    they lack, or that cannot be translated, and where this is the first of all, no further ones are decoded."""
    return all(_holds(rules, document.graph(nodes)) for nodes in (document.nodes[:1], document.nodes))


def _holds(rules: Container[Rule], graph: RuleGraph) -> bool:
    try:
        return all(rule in rules for nodes in (swrl_rules(graph), shacl_rules(graph)) for rule in nodes.rules())
    except TranslationError:
        return False


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason, place = unreadable(error, path)
        raise RuleError(f"the rules cannot be read: {reason}", **place) from error


def _graph(path: Path) -> RuleGraph:
    dictionary, prefixes = Dictionary(), dict[str, str]()
    try:
        quads = read_files([path], dictionary, prefixes=prefixes)
    except LoadError as error:
        raise RuleError.like(error) from error
    document = RuleTriples(quads, dictionary, str(path), prefixes)
    return document.graph(document.nodes)
