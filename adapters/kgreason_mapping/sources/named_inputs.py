"""Inputs of a command by the names that a mapping has for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgreason_mapping.documents.mapping_model import Mapping


def source_names(mapping: Mapping) -> list[str]:
    """How a mapping calls its logical sources."""
    return list(dict.fromkeys(one.source.location for one in mapping.triples_maps if one.source is not None))


def assigned(names: Iterable[str], inputs: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Inputs that say where a source is (``NAME=LOCATION``), by its name, and all others.

    An input says so only where NAME is one of the names that a mapping uses: ``raw/dt=2026`` is a folder of Hive, as
    long as no source is called ``raw/dt``.
    """
    longest_first = sorted(names, key=len, reverse=True)
    named: dict[str, str] = {}
    others: list[str] = []
    for given in inputs:
        name = next((name for name in longest_first if given.startswith(f"{name}=")), None)
        if name is None:
            others.append(given)
        else:
            named[name] = given[len(name) + 1 :]
    return named, others
