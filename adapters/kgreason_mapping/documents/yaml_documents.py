"""Documents of YAML as plain data, which may be a stranger's: nothing is run, and anchors do not explode.

Scalars are the texts that are written: ``no`` is Norwegian, and ``1.10`` a version, where YAML 1.1 has false and 1.1.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any, Final

from kgreason.errors import MappingError, OptionError, one_line
from kgreason.rdf.keys import is_unicode

LARGEST: Final = 100_000
"""Nodes of a document with every anchor written out."""
_TAG: Final = "tag:yaml.org,2002:"
_KEPT: Final = frozenset({_TAG + "null", _TAG + "merge"})
"""What plain scalars may mean beside their text."""
_TEXTS: Final = tuple(_TAG + name for name in ("bool", "int", "float", "timestamp", "binary", "value"))


def loaded(text: str, source: str) -> Any:
    """A document of YAML, of maps, lists, texts and None; `source` names it in errors.

    Raises:
        MappingError: it is not YAML, means more than LARGEST nodes, has a key twice in a map, or is nested too deep;
            names the line.
        OptionError: the package for YAML is not installed.
    """
    try:
        yaml = importlib.import_module("yaml")
    except ImportError:
        raise OptionError("YARRRML is read with the package PyYAML (pip install 'kgreason[mapping]')") from None
    try:
        root = yaml.compose(text, _loader())
        _check(root, source, set())
        if _size(root, {}) > LARGEST:
            raise MappingError(f"its anchors make more than {LARGEST:,} nodes of it", path=source)
        return yaml.load(text, _loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        raise MappingError(getattr(error, "problem", None) or one_line(error), path=source, line=line) from None
    except RecursionError:
        raise MappingError("it is nested too deep", path=source) from None


@cache
def _loader() -> Any:
    """PyYAML's safe loader, for texts."""
    yaml = importlib.import_module("yaml")
    known = yaml.SafeLoader.yaml_implicit_resolvers.items()
    resolvers = {first: [one for one in found if one[0] in _KEPT] for first, found in known}
    loader: Any = type("TextLoader", (yaml.SafeLoader,), {"yaml_implicit_resolvers": resolvers})
    for tag in _TEXTS:
        loader.add_constructor(tag, yaml.SafeLoader.construct_yaml_str)
    return loader


def _check(node: Any, source: str, known: set[int]) -> None:
    """Refuse what has a key twice, or texts that are not Unicode, which escapes can write."""
    if node is None or id(node) in known:
        return
    known.add(id(node))
    line = node.start_mark.line + 1
    if isinstance(node.value, str):
        if not is_unicode(node.value):
            raise MappingError("a text has a lone surrogate", path=source, line=line, expected="Unicode")
        return
    keys = set()
    for child in node.value:
        for one in child if isinstance(child, tuple) else (child,):
            _check(one, source, known)
        key = child[0].value if isinstance(child, tuple) else None
        if isinstance(key, str) and child[0].tag != _TAG + "merge":
            if key in keys:
                place = child[0].start_mark.line + 1
                raise MappingError(f"the key {key} stands twice in a map", path=source, line=place)
            keys.add(key)


def _size(node: Any, known: dict[int, int]) -> int:
    """How many nodes there are when every anchor is written out; endless ones count as too many."""
    if not isinstance(getattr(node, "value", None), list):
        return 1
    if id(node) not in known:
        known[id(node)] = LARGEST + 1
        children = (one for child in node.value for one in (child if isinstance(child, tuple) else (child,)))
        known[id(node)] = 1 + sum(_size(child, known) for child in children)
    return known[id(node)]
