"""Documents of YAML as plain data, which may be a stranger's: nothing is run, and anchors do not explode."""

from __future__ import annotations

import importlib
from typing import Any, Final

from kgreason.errors import MappingError, OptionError, one_line

LARGEST: Final = 100_000
"""Nodes of a document with every anchor written out."""


def loaded(text: str, source: str) -> Any:
    """A document of YAML; `source` names it in errors.

    Raises:
        MappingError: it is not YAML, or means more than LARGEST nodes; names the line.
        OptionError: the package for YAML is not installed.
    """
    try:
        yaml = importlib.import_module("yaml")
    except ImportError:
        raise OptionError("YARRRML is read with the package PyYAML (pip install 'kgreason[mapping]')") from None
    try:
        root = yaml.compose(text, yaml.SafeLoader)
        if _size(root, {}) > LARGEST:
            raise MappingError(f"its anchors make more than {LARGEST:,} nodes of it", path=source)
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        raise MappingError(getattr(error, "problem", None) or one_line(error), path=source, line=line) from None


def _size(node: Any, known: dict[int, int]) -> int:
    """How many nodes there are when every anchor is written out; endless ones count as too many."""
    if not isinstance(getattr(node, "value", None), list):
        return 1
    if id(node) not in known:
        known[id(node)] = LARGEST + 1
        children = (one for child in node.value for one in (child if isinstance(child, tuple) else (child,)))
        known[id(node)] = 1 + sum(_size(child, known) for child in children)
    return known[id(node)]
