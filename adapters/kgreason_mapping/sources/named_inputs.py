"""Inputs of a command: the folder of the sources, and locations by the names that a mapping has for them."""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.errors import OptionError
from kgreason_mapping.documents.mapping_model import Mapping
from kgreason_mapping.documents.views import sources_under


def source_names(mapping: Mapping) -> list[str]:
    """How a mapping calls its logical sources, and their databases."""
    sources = [one for own in mapping.triples_maps if own.source is not None for one in sources_under(own.source)]
    databases = [one.database for one in sources if one.database is not None]
    return list(dict.fromkeys((*(one.location for one in sources), *databases)))


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
