"""All targets by name."""

from __future__ import annotations

from tests.fuzz import catalogues, commits, ntriples, rules, snapshots, sparql, turtle

_MODULES = (ntriples, turtle, rules, sparql, commits, catalogues, snapshots)
TARGETS = {module.TARGET.name: module.TARGET for module in _MODULES}
