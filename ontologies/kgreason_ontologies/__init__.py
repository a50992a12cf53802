"""Rule sets as Datalog text, each rule under its W3C name."""

from __future__ import annotations

from importlib.resources import files

_NAMES = ("none", "rdfs", "rdfs-plus", "owl-rl", "owl-rl-full", "skos")


def rule_set_names() -> tuple[str, ...]:
    """The names of the rule sets that ship with the package."""
    return _NAMES


def rule_set_text(name: str) -> str:
    """The Datalog text of a rule set; KeyError for an unknown name."""
    if name not in _NAMES:
        raise KeyError(name)
    return files(__name__).joinpath(f"{name}.dl").read_text(encoding="utf-8")
