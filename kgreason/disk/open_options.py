"""Options of opening a store, and which of them are persisted: rules, names of schemes and strategies, as settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from kgreason.dictionary.dictionary import Dictionary
from kgreason.disk.json_documents import expect, expect_number, parse_document, texts_by_name
from kgreason.engine.budget import Budget
from kgreason.engine.strategy import MODULAR, SEMINAIVE, Strategy
from kgreason.errors import DamageError
from kgreason.program.rules import Program, Rule
from kgreason.relations.catalogue import AUTO, PLAIN, Catalogue
from kgreason.relations.stored import ReadTable
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import Rules
from kgreason.store.table_options import TableOptions

Counts: TypeAlias = Mapping[Rule, int]
"""Rules, and how often each was added."""
MOST: Final = 1 << 20
"""How often a rule may have been added to be kept."""


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """Options that replace those that were committed: `rules`, storage `schemes`, the `strategy`; `default` are the
    rules for a new directory. Rules and the names of schemes and strategies are persisted, `budget` and `strict` are
    not."""

    rules: Rules | None = None
    default: Rules = "owl-rl"
    schemes: str | Catalogue | None = None
    strategy: str | Strategy | None = None
    budget: Budget | None = None
    strict: bool = False

    def completed(self, text: str | None) -> OpenOptions:
        """The same, with the options that were committed where none are given; LoadError for a text without any."""
        kept = {} if text is None else texts_by_name(text, "the options that were committed")
        for name, known in (("schemes", (AUTO, PLAIN)), ("strategy", (MODULAR, SEMINAIVE))):
            if kept.get(name, known[0]) not in known:
                raise DamageError(name, part="the options that were committed", expected=", ".join(known))
        schemes = kept.get("schemes", AUTO) if self.schemes is None else self.schemes
        strategy = kept.get("strategy", MODULAR) if self.strategy is None else self.strategy
        return replace(self, schemes=schemes, strategy=strategy)

    def setting(self) -> str:
        """The options that are persisted, as a setting."""
        chosen = {"schemes": self.schemes, "strategy": self.strategy}
        return json.dumps({name: value for name, value in chosen.items() if isinstance(value, str)})

    @property
    def readers(self) -> Mapping[str, ReadTable]:
        """How tables of schemes that are not kgreason's own are read from a snapshot."""
        return self.schemes.readers if isinstance(self.schemes, Catalogue) else {}

    def check(self) -> None:
        """Raise SchemeError or StrategyError for the name of a scheme or strategy that does not exist."""
        TableOptions.of(self.schemes, self.strategy)

    @property
    def tables(self) -> TableOptions:
        """The options that the tables depend on."""
        return TableOptions.of(self.schemes, self.strategy)

    def base(self, rules: Rules, dictionary: Dictionary | None = None) -> KnowledgeBase:
        """An empty knowledge base with these options."""
        schemes, strategy = self.schemes or AUTO, self.strategy or MODULAR
        return KnowledgeBase(rules, schemes, strategy, dictionary=dictionary, budget=self.budget, strict=self.strict)


def text_of(rules: Counts) -> str:
    """Rules as a setting: their text, which reads back as the same rules, and how often each was added."""
    return json.dumps({"program": str(Program(tuple(rules))), "counts": list(rules.values())})


def rules_of(text: str | None) -> Counts:
    """The rules of a setting; LoadError for what says none."""
    if text is None:
        return {}
    what = "the rules that were committed"
    kept = expect(parse_document(text, what), dict, what)
    # Imported here, since the options of a store in memory need no parser, which takes as long to import as numpy.
    from kgreason.program.parser import parse_program

    program = expect(kept.get("program"), str, f"{what}: their text")
    counts = expect(kept.get("counts"), list, f"{what}: their counts")
    try:
        rules = parse_program(program, what).rules
    except RecursionError:
        raise DamageError("nested too deep", part=what) from None
    if len(rules) != len(counts) or len({*rules}) != len(rules):
        raise DamageError(f"{len(rules)} rules, {len(counts)} counts", part=what, expected="one for each")
    return {
        rule: expect_number(count, f"{what}: a count", 1, MOST) for rule, count in zip(rules, counts, strict=True)
    }


def counted(rules: Iterable[Rule]) -> dict[Rule, int]:
    """Rules as they come, each with how often it does."""
    counts: dict[Rule, int] = {}
    for rule in rules:
        counts[rule] = counts.get(rule, 0) + 1
    return counts
