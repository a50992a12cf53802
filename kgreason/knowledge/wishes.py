"""What the user of a durable knowledge base wants of it, and what is kept of that: rules and options as settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from kgreason.datalog.model import Program, Rule
from kgreason.datalog.parser import parse_program
from kgreason.engine.budget import Budget
from kgreason.engine.strategy import MODULAR, Strategy
from kgreason.errors import LoadError
from kgreason.knowledge.base import KnowledgeBase, Rules
from kgreason.schemes.catalogue import AUTO, Catalogue
from kgreason.terms.dictionary import Dictionary

Counts: TypeAlias = Mapping[Rule, int]
"""Rules, and how often each was added."""


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
        try:
            kept = {} if text is None else dict(json.loads(text))
        except (ValueError, TypeError) as error:
            raise LoadError(f"damaged: the options that were committed: {error}") from error
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
    try:
        kept = json.loads(text)
        rules = parse_program(kept["program"], "the rules that were committed").rules
        return dict(zip(rules, kept["counts"], strict=True))
    except (ValueError, KeyError, TypeError) as error:
        raise LoadError(f"damaged: the rules that were committed: {error}") from error


def counted(rules: Iterable[Rule]) -> dict[Rule, int]:
    """Rules as they come, each with how often it does."""
    counts: dict[Rule, int] = {}
    for rule in rules:
        counts[rule] = counts.get(rule, 0) + 1
    return counts
