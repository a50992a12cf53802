"""All targets by name."""

from __future__ import annotations

from tests.fuzz import catalogues, commits, ntriples, rules, snapshots, sparql, turtle

TARGETS = {module.TARGET.name: module.TARGET for module in (ntriples, turtle, rules, sparql, commits, catalogues, snapshots)}
