"""``kgreason watch``: what changes in the closure while files are edited."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgreason.cli.error_lines import UsageError, describe, print_line
from kgreason.cli.inputs import STDIN, Inputs, check_inputs, loaded, print_report, store_on_disk
from kgreason.cli.options import DEFAULT_RULES, Limits, RuleNames, option_groups
from kgreason.errors import ImportsWarning, KGReasonError, ListWarning, RulesWarning
from kgreason.html_fragments import printable
from kgreason.rdf.vocabulary import OWL, STANDARD_PREFIXES

if TYPE_CHECKING:
    from kgreason.cli.file_watcher import FileWatcher
    from kgreason.comparison.comparison import Comparison
    from kgreason.comparison.document_revisions import Revisions
    from kgreason.dictionary.dictionary import Dictionary
    from kgreason.io.quads import Quads
    from kgreason.program.rules import Rule
    from kgreason.store.consistency import Inconsistency
    from kgreason.store.knowledge_base import KnowledgeBase


@option_groups
def watch(
    rules: RuleNames,
    *,
    interval: Annotated[
        float, typer.Option("--interval", metavar="SECONDS", min=0.01, help="Look at the files every so many seconds.")
    ] = 0.5,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object in a line for each change.")] = False,
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Print what comes and goes whenever a file changes: triples, explicit and inferred, and inconsistencies; Ctrl-C
    ends.

    Only the difference is maintained. Files of rules are watched, too. A file that cannot
    be read is named, and counts as it was before; one that is gone from a directory counts no more.
    """
    for file in inputs.files:
        is_other = Path(file).exists() and not (Path(file).is_file() or Path(file).is_dir())
        if file == STDIN or "://" in file or is_other or store_on_disk([file]) is not None:
            raise UsageError("only files and directories can be watched", path=file)
    check_inputs(inputs)
    from kgreason.cli.file_watcher import FileWatcher
    from kgreason.comparison.document_revisions import Revisions
    from kgreason.store.knowledge_base import KnowledgeBase

    given = list(rules or DEFAULT_RULES)
    knowledge = KnowledgeBase(given, budget=limits.budget, strict=limits.strict)
    rule_files = FileWatcher([rule for rule in given if _is_file(rule)])
    watched = _Watched(inputs, given, Revisions(knowledge), as_json)
    files = FileWatcher(inputs.files, unfinished=inputs.unfinished)
    rule_files.start()
    with warnings.catch_warnings():
        warnings.simplefilter("once", ImportsWarning)
        warnings.simplefilter("once", RulesWarning)
        warnings.simplefilter("ignore", ListWarning)  # defective lists are among the inconsistencies
        try:
            watched.begin(files.start())
            while True:
                time.sleep(interval)
                watched.look(files, rule_files)
        except KeyboardInterrupt:
            return


def _is_file(rule: str) -> bool:
    try:
        return Path(rule).is_file()
    except (OSError, ValueError):
        return False


@dataclass(slots=True)
class _Watched:
    """The files and what follows from them."""

    inputs: Inputs
    rules: Sequence[str]
    revisions: Revisions
    as_json: bool
    prefixes: dict[str, str] = field(default_factory=lambda: dict(STANDARD_PREFIXES))
    clashes: dict[str, Inconsistency] = field(default_factory=dict)

    def begin(self, names: Iterable[str]) -> None:
        """Read all files."""
        knowledge = self.revisions.knowledge
        found = self._revised(dict.fromkeys(names, True), None)
        if found is not None:
            self.revisions.accept(found)
        explicit, inferred = len(knowledge.explicit()), len(knowledge.inferred())
        self.clashes = _clashes(knowledge)
        if self.as_json:
            counts = {"explicit": explicit, "inferred": inferred, "inconsistencies": len(self.clashes)}
            print(json.dumps(counts), flush=True)
            return
        print(f"watching: {explicit:,} explicit and {inferred:,} inferred triples", flush=True)
        self._print_clashes("!", self.clashes, knowledge)

    def look(self, files: FileWatcher, rule_files: FileWatcher) -> None:
        """Handle what has changed since the last look."""
        changes, of_rules = files.changes(), rule_files.changes()
        edited = of_rules.changed
        for missing, what in ((changes.missing, "triples"), (of_rules.missing, "rules")):
            for name in missing:
                print_line(f"{name}: it is gone; its {what} count until it is back")
        wanted = {**dict.fromkeys(changes.changed, True), **dict.fromkeys(changes.gone, False)}
        if not wanted and not edited:
            return
        found = self._revised(wanted, self._rules() if edited else None)
        if found is None:
            return
        clashes = _clashes(found.after)
        came = {key: clash for key, clash in clashes.items() if key not in self.clashes}
        went = {key: clash for key, clash in self.clashes.items() if key not in clashes}
        if found or came or went:
            self._print(found, [*wanted, *edited], came, went)
        self.revisions.accept(found)
        self.clashes = clashes

    def _rules(self) -> Mapping[Rule, int] | None:
        """The rules as their files are now, None where they cannot be used."""
        from collections import Counter

        from kgreason.store.rule_sets import resolve_rules

        try:
            return Counter(resolve_rules(self.rules).rules)
        except KGReasonError as error:
            print_line(describe(error))
            return None

    def _revised(self, wanted: Mapping[str, bool], rules: Mapping[Rule, int] | None) -> Comparison | None:
        """A branch after the files were read, of those that can be; a file that is not wanted is gone."""
        branch = self.revisions.begin()
        documents: dict[str, Quads | None] = {}
        for name, is_there in wanted.items():
            with _told_of_errors():
                documents[name] = self._read(name, branch) if is_there else None
        if not self.inputs.no_imports:
            self._add_imports(documents, branch)
        try:
            return self.revisions.revise(branch, documents, rules)
        except (KGReasonError, MemoryError) as error:
            print_line(f"{describe(error)}; what there was before counts")
            return None

    def _read(self, name: str, branch: KnowledgeBase) -> Quads:
        """A file alone."""
        found = loaded(replace(self.inputs.of(name), no_imports=True), branch.dictionary, self.prefixes)
        print_report(found.report)
        return found.quads

    def _add_imports(self, documents: dict[str, Quads | None], branch: KnowledgeBase) -> None:
        """Read those files again, with what they import, that import an ontology which no watched file is."""
        now = {**self.revisions.quads, **documents}
        headers = {name: _header(quads, branch.dictionary) for name, quads in now.items() if quads is not None}
        own = {ontology for ontologies, _ in headers.values() for ontology in ontologies}
        for name in [name for name in documents if name in headers and headers[name][1] - own]:
            del documents[name]  # where what it imports cannot be read, it counts as it was
            with _told_of_errors():
                read = loaded(self.inputs.of(name), branch.dictionary, self.prefixes, own.__contains__)
                documents[name] = read.quads

    def _print(
        self,
        found: Comparison,
        names: Sequence[str],
        came: Mapping[str, Inconsistency],
        went: Mapping[str, Inconsistency],
    ) -> None:
        from kgreason.cli.difference_texts import coloured, json_document, summary, text_lines, wants_colours

        if self.as_json:
            document: dict[str, Any] = {"files": names, **json_document(found)}
            document["inconsistencies"] = {"added": _plain(came), "removed": _plain(went)}
            print(json.dumps(document, ensure_ascii=False), flush=True)
            return
        show = coloured if wants_colours() else str
        print(f"\n{time.strftime('%H:%M:%S')} {', '.join(names)}: {summary(found)}")
        for line in text_lines(found, self.prefixes):
            print(show(line))
        self._print_clashes("-", went, found.before)
        self._print_clashes("+", came, found.after)

    def _print_clashes(self, sign: str, clashes: Mapping[str, Inconsistency], knowledge: KnowledgeBase) -> None:
        from kgreason.lookup.readable_terms import ReadableTerms

        terms = ReadableTerms(knowledge, self.prefixes)
        for clash in clashes.values():
            print(f"{sign} inconsistent: {clash.rule or 'rule without a name'}: {printable(clash.reason)}".rstrip())
            for triple in clash.triples:
                print(f"    {terms.triple(triple)} .")
        print(end="", flush=True)


@contextmanager
def _told_of_errors() -> Iterator[None]:
    """Print what makes a file unreadable."""
    try:
        yield
    except (KGReasonError, OSError) as error:
        print_line(describe(error))


def _header(quads: Quads, dictionary: Dictionary) -> tuple[set[str], set[str]]:
    """The ontologies that quads declare, by all their names, and those that they import."""
    terms = (OWL + "Ontology", OWL + "versionIRI", OWL + "imports")
    ontology, version, imports = (dictionary.lookup_key(term) for term in terms)
    names = dictionary.keys(quads.subject[quads.object == ontology]) if ontology is not None else []
    names += dictionary.keys(quads.object[quads.predicate == version]) if version is not None else []
    imported = dictionary.keys(quads.object[quads.predicate == imports]) if imports is not None else []
    return set(names), set(imported)


def _clashes(knowledge: KnowledgeBase) -> dict[str, Inconsistency]:
    """The violated integrity conditions, each under a text that tells it from others."""
    return {str(clash): clash for clash in knowledge.inconsistencies()}


def _plain(clashes: Mapping[str, Inconsistency]) -> list[dict[str, Any]]:
    return [
        {
            "rule": clash.rule,
            "reason": clash.reason,
            "triples": [[str(term) for term in triple] for triple in clash.triples],
        }
        for clash in clashes.values()
    ]
