"""Rules and relations of the engine as users know them, for messages."""

from __future__ import annotations

from dataclasses import dataclass

from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.meter import NOWHERE, Producer
from kgreason.engine.rules.groups import RuleGroup
from kgreason.relations.codes import AUXILIARY, identifier_of, kind_of
from kgreason.store.specialiser import SpecialisedProgram

_MOST = 200


@dataclass(frozen=True, slots=True)
class Descriptions:
    """From what the engine runs back to what was written."""

    program: SpecialisedProgram
    dictionary: Dictionary

    def of(self, producer: Producer, head: int) -> tuple[str, str]:
        """A rule by its name, or as it was written if it has none, and the relation that it derives, "" for one that
        only the specialiser knows: O(rules)."""
        return "what is said of lists" if producer is None else self._rule(producer, head), self.relation(head)

    def _rule(self, group: RuleGroup, head: int) -> str:
        rule = self.program.owner(group, head)
        name = group.name if rule is None else rule.name
        if name or rule is None:
            return repr(name)
        text = " ".join(str(rule).removesuffix(".").split())
        return text if len(text) <= _MOST else f"{text[:_MOST]}..."

    def relation(self, code: int) -> str:
        """A relation by its term, or what rules call it; "" for one that only the specialiser knows."""
        if code == NOWHERE:
            return ""
        if kind_of(code) == AUXILIARY:
            names = self.program.auxiliaries.items()
            return next((name for (name, _), known in names if known == code and " " not in name), "")
        return str(self.dictionary.decode(identifier_of(code)))
