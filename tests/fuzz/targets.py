"""All targets by name."""

from __future__ import annotations

from tests.fuzz import catalogues, commits, ntriples, owl_syntaxes, rule_texts, snapshots, sparql_texts, turtle

_MODULES = (ntriples, turtle, owl_syntaxes, rule_texts, sparql_texts, commits, catalogues, snapshots)
TARGETS = {module.TARGET.name: module.TARGET for module in _MODULES}
