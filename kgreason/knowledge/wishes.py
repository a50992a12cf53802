"""What the user of a durable knowledge base wants of it, and what is kept of that: rules and options as settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from kgreason.datalog.model import Program, Rule
from kgreason.datalog.parser import parse_program
from kgreason.durable.documents import expect, expect_number, parse_document, texts_by_name
from kgreason.engine.budget import Budget
from kgreason.engine.strategy import MODULAR, SEMINAIVE, Strategy
from kgreason.errors import LoadError
from kgreason.knowledge.base import KnowledgeBase, Rules
from kgreason.schemes.catalogue import AUTO, PLAIN, Catalogue
from kgreason.terms.dictionary import Dictionary

Counts: TypeAlias = Mapping[Rule, int]
"""Rules, and how often each was added."""
MOST: Final = 1 << 20
"""How often a rule may have been added to be kept."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user of a knowledge base wants of it in place of what was committed: `rules`, storage `schemes`, the
    `strategy`; `default` are the rules for a directory that is new. Only names of schemes and strategies are kept, no
    `budget`, and not whether it is `strict` about lists."""

    rules: Rules | None = None
    default: Rules = "owl-rl"
    schemes: str | Catalogue | None = None
    strategy: str | Strategy | None = None
    budget: Budget | None = None
    strict: bool = False

    def with_options(self, text: str | None) -> Wishes:
        """With the options that were committed where there are no others; LoadError for what says none."""
        kept = {} if text is None else texts_by_name(text, "the options that were committed")
        for name, known in (("schemes", (AUTO, PLAIN)), ("strategy", (MODULAR, SEMINAIVE))):
            if kept.get(name, known[0]) not in known:
                raise LoadError(f"damaged: the options that were committed: {name} ({', '.join(known)} were expected)")
        schemes = kept.get("schemes", AUTO) if self.schemes is None else self.schemes
        strategy = kept.get("strategy", MODULAR) if self.strategy is None else self.strategy
        return replace(self, schemes=schemes, strategy=strategy)

    def options(self) -> str:
        """The options as a setting."""
        chosen = {"schemes": self.schemes, "strategy": self.strategy}
        return json.dumps({name: value for name, value in chosen.items() if isinstance(value, str)})

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
    program = expect(kept.get("program"), str, f"{what}: their text")
    counts = expect(kept.get("counts"), list, f"{what}: their counts")
    try:
        rules = parse_program(program, what).rules
    except RecursionError:
        raise LoadError(f"damaged: {what}: nested too deep") from None
    if len(rules) != len(counts) or len({*rules}) != len(rules):
        raise LoadError(f"damaged: {what}: {len(rules)} rules, {len(counts)} counts (one for each was expected)")
    return {
        rule: expect_number(count, f"{what}: a count", 1, MOST) for rule, count in zip(rules, counts, strict=True)
    }


def counted(rules: Iterable[Rule]) -> dict[Rule, int]:
    """Rules as they come, each with how often it does."""
    counts: dict[Rule, int] = {}
    for rule in rules:
        counts[rule] = counts.get(rule, 0) + 1
    return counts
