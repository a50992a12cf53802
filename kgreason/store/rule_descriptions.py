"""Rules and relations of the engine as users know them, for messages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.meter import NOWHERE, Producer
from kgreason.engine.rules.groups import RuleGroup
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.strata.relation_order import CircularError
from kgreason.errors import StratificationError
from kgreason.program.rules import Rule
from kgreason.relations.codes import AUXILIARY, identifier_of, kind_of
from kgreason.store.specialised_program import SpecialisedProgram

_MOST = 200
"""A rule is shown with so many characters at most."""


@dataclass(frozen=True, eq=False, repr=False)
class Descriptions:
    """From what the engine runs back to what was written; the first description costs O(rules)."""

    program: SpecialisedProgram
    dictionary: Dictionary

    def of(self, producer: Producer, head: int) -> tuple[str, str]:
        """A rule by its name, or as it was written if it has none, and the relation that it derives, "" for one that
        only the specialiser knows."""
        return "what is said of lists" if producer is None else self._rule(producer, head), self.relation(head)

    def _rule(self, group: RuleGroup, head: int) -> str:
        rule = self._owner(group, head)
        name = group.name if rule is None else rule.name
        return repr(name) if name or rule is None else self._text(rule)

    def _owner(self, group: RuleGroup, head: int) -> Rule | None:
        """The rule of the program that became one of a group with this head."""
        if group.number in self.program.owners:
            return self.program.owners[group.number][0]
        return self._plain_owners.get((group.name, group.template, head))

    @cached_property
    def _plain_owners(self) -> dict[tuple[str, RuleTemplate, int], Rule]:
        return self.program.plain_owners()

    @cached_property
    def _auxiliaries(self) -> dict[int, str]:
        """The names of the auxiliary relations that rules have names for."""
        return {code: name for (name, _), code in self.program.auxiliaries.items() if " " not in name}

    @staticmethod
    def _text(rule: Rule) -> str:
        text = " ".join(str(rule).removesuffix(".").split())
        return text if len(text) <= _MOST else f"{text[:_MOST]}..."

    def circular(self, error: CircularError) -> StratificationError:
        """The error that the facts there are make rules depend on each other in a circle, at a rule of the program."""
        shown = [name for name in map(self.relation, error.cycle) if name]
        names = [name for name, _ in groupby([*shown, *shown[:1]])]
        cycle = " -> ".join(names if len(names) > 1 else names * 2)
        rule = self._owner(error.group, error.cycle[1])
        reason = f"for the facts that there are, the program is not stratifiable: a relation depends on {error.what}"
        cause = "" if rule is None or rule.position is not None else f", by the rule {self._text(rule)}"
        return StratificationError(f"{reason}: {cycle}{cause}", None if rule is None else rule.position)

    def relation(self, code: int) -> str:
        """A relation by its term, or what rules call it; "" for one that only the specialiser knows."""
        if code == NOWHERE:
            return ""
        if kind_of(code) == AUXILIARY:
            return self._auxiliaries.get(code, "")
        return str(self.dictionary.decode(identifier_of(code)))
