"""Rule sets as Datalog text, each rule under its W3C name, and what these were parsed to."""

from __future__ import annotations

import pkgutil

_NAMES = ("none", "rdfs", "rdfs-plus", "owl-rl", "owl-rl-full", "skos")


def rule_set_names() -> tuple[str, ...]:
    """The names of the rule sets that ship with the package."""
    return _NAMES


def rule_set_text(name: str) -> str:
    """The Datalog text of a rule set; KeyError for an unknown name."""
    if name not in _NAMES:
        raise KeyError(name)
    return _read(f"{name}.dl")


def compiled_rule_set(name: str) -> str | None:
    """The document of `kgreason.program.compiled_rule_sets` for a rule set, which may be that of an earlier text; None
    where there is none. KeyError for an unknown name."""
    if name not in _NAMES:
        raise KeyError(name)
    try:
        return _read(f"compiled/{name}.json")
    except FileNotFoundError:
        return None


def _read(path: str) -> str:
    # importlib.resources would import a dozen modules for the same.
    found = pkgutil.get_data(__name__, path)
    assert found is not None, "a package without a loader of its files"
    return found.decode()
