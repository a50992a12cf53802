"""Inputs of a command: the folder of the sources, and locations by the names that a mapping has for them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from kgreason.errors import OptionError
from kgreason_mapping.documents.mapping_model import Mapping as MappingDocument
from kgreason_mapping.documents.view_names import sources_under
from kgreason_mapping.locations import location


def source_names(mapping: MappingDocument) -> list[str]:
    """How a mapping calls its logical sources, and their databases."""
    sources = [one for own in mapping.triples_maps if own.source is not None for one in sources_under(own.source)]
    databases = [one.database for one in sources if one.database is not None]
    return list(dict.fromkeys((*(one.location for one in sources), *databases)))


def input_location(given: Any, name: str) -> str:
    """The location that an input is, by the name that the mapping has for a source.

    Raises:
        OptionError: it is neither a location nor a table that the engine reads.
    """
    if not isinstance(given, str | os.PathLike):
        expected = "a location, or a table: a DataFrame on Spark, elsewhere one that gives a stream of Arrow"
        raise OptionError(f"the input for {name!r} is a {type(given).__name__}", "inputs", given, expected=expected)
    return location(given)


def without_input(name: str, inputs: Mapping[str, Any]) -> str:
    """What to add to an error about a source that is not there, where there are inputs with other names."""
    others = [one for one in inputs if one != name]
    return f"; no input is named {name!r}, but {', '.join(map(repr, others))}" if others and name not in inputs else ""


def folder_and_locations(names: Sequence[str], inputs: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """The one input that is a folder, and those that say where a source is (``NAME=LOCATION``), by its name.

    An input says so only where NAME is one of the names that a mapping uses: ``raw/dt=2026`` is a folder of Hive, as
    long as no source is called ``raw/dt``.

    Raises:
        OptionError: there is more than one folder.
    """
    longest_first = sorted(names, key=len, reverse=True)
    named: dict[str, str] = {}
    folders: list[str] = []
    for given in inputs:
        name = next((name for name in longest_first if given.startswith(f"{name}=")), None)
        if name is None:
            folders.append(given)
        else:
            named[name] = given[len(name) + 1 :]
    if len(folders) > 1:
        raise OptionError(
            f"the sources of a mapping can be in one folder, and not in {' and '.join(folders)}; give others as"
            f" NAME=PATH, with the names of the mapping: {', '.join(names)}",
            "inputs",
            inputs,
        )
    return next(iter(folders), None), named
