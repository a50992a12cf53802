"""A configuration of a store: what `Graph.open`, `ReasoningStore(configuration)` and files in TOML or JSON say.

    "path/to/directory"                                        # a path, as it is
    "kgreason:///srv/store?rules=owl-rl&rules=more.dl"         # a URL: a path, and options
    "kgreason:store?create=true&budget.seconds=60"             # of a relative path
    "kgreason:?rules=skos&access.hosts=example.org"            # without a path: in memory
    {"path": "store", "rules": ["owl-rl", "more.dl"], "access": {"hosts": ["example.org"]}}

A URL and a mapping say the same: ``access.hosts`` in a URL is ``hosts`` in the mapping ``access``, and what is repeated
is a list. A URL is percent-encoded. A path that begins with ``kgreason:`` is written as ``./kgreason:``. Relative paths
are those of the process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, TypeVar

from kgreason.access import Access
from kgreason.disk.open_options import OpenOptions
from kgreason.engine.budget import Budget
from kgreason.engine.strategy import Strategy
from kgreason.errors import OptionError, nearest, quoted
from kgreason.program.rules import Program
from kgreason.relations.catalogue import Catalogue
from kgreason.store.rule_sets import Rules

if TYPE_CHECKING:
    from kgreason.io.imports import ImportsOption

Configured: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]
"""A path, a URL or a mapping."""

_SCHEME: Final = "kgreason:"
_T = TypeVar("_T", Access, Budget)


@dataclass(frozen=True, slots=True)
class Configuration:
    """Where a store is, and its options; None for what is not said. The names are those of the constructor of
    `ReasoningStore` and of `open`; without a path it is in memory."""

    path: Path | None = None
    create: bool | None = None
    read_only: bool | None = None
    rules: Rules | None = None
    schemes: str | Catalogue | None = None
    strategy: str | Strategy | None = None
    strict: bool | None = None
    budget: Budget | None = None
    access: Access | None = None
    imports: ImportsOption = None
    generalised: str | None = None

    @classmethod
    def of(cls, given: Configured) -> Self:
        """What is given, checked but for what a path and the names of rules, schemes and strategies stand for.

        Raises:
            OptionError: a key that there is not, with the nearest one that there is; a value that its key does not
                take.
        """
        if isinstance(given, str) and given.startswith(_SCHEME):
            given = _mapping_of(given)
        if not isinstance(given, Mapping):
            return cls(_path("path", given))
        _check_keys(given, [field.name for field in fields(cls)])
        return cls(**{key: _READERS[key](key, value) for key, value in given.items() if value is not None})

    def options(self, before: OpenOptions) -> OpenOptions:
        """Options with those of the configuration in their place."""
        chosen = {name: getattr(self, name) for name in ("rules", "schemes", "strategy", "budget", "strict")}
        return replace(before, **{name: value for name, value in chosen.items() if value is not None})

    @property
    def has_engine_options(self) -> bool:
        """Whether it says something that a store in memory begins with."""
        return not (self.rules is None and self.schemes is None and self.strategy is None and self.strict is None)


def _mapping_of(url: str) -> dict[str, Any]:
    """The mapping that says the same as a URL."""
    from urllib.parse import parse_qsl, unquote

    place, _, query = url.removeprefix(_SCHEME).partition("?")
    if place.startswith("//"):
        place = place.removeprefix("//")
        if not place.startswith("/"):
            host = quoted(place.partition("/")[0])
            raise OptionError(f"{host} is a host", "configuration", url, expected="kgreason:///PATH or kgreason:PATH")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query), errors="strict")
        found: dict[str, Any] = {"path": unquote(place, errors="strict")} if place else {}
    except ValueError as error:
        reason = f"{quoted(url)} is not a URL: {error}"
        raise OptionError(reason, "configuration", url, expected="kgreason:PATH?KEY=VALUE&...") from None
    for name, value in pairs:
        outer, _, inner = name.partition(".")
        into, key = (found.setdefault(outer, {}), inner) if inner else (found, outer)
        if not isinstance(into, dict) or isinstance(into.get(key), dict):
            raise OptionError(f"{outer} is said in two ways", outer, url, expected=f"either {outer} or {outer}.KEY")
        into[key] = value if key not in into else [*several(into[key]), value]
    return found


def several(value: Any) -> list[Any]:
    """One value, or several, as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _check_keys(given: Mapping[str, Any], known: Sequence[str], within: str = "a configuration") -> None:
    for key in given:
        if key not in known:
            near = nearest(str(key), known)
            hint = repr(near) if near else ", ".join(known)
            raise OptionError(f"{within} has no {quoted(str(key))}", str(key), given[key], expected=hint)


def _wrong(key: str, value: object, expected: str) -> OptionError:
    return OptionError(f"{key} cannot be {quoted(str(value))}", key, value, expected=expected)


def _path(key: str, value: Any) -> Path:
    if not isinstance(value, str | os.PathLike) or not str(value):
        raise _wrong(key, value, "a path")
    return Path(value)


def _flag(key: str, value: Any) -> bool:
    named = {"true": True, "false": False}.get(value) if isinstance(value, str) else value
    if not isinstance(named, bool):
        raise _wrong(key, value, "true or false")
    return named


def _rules(key: str, value: Any) -> Rules:
    sources = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(source, str | Path | Program) for source in sources):
        raise _wrong(key, value, "the name of a rule set, Datalog, a path, or a list of these")
    rules: Rules = value
    return rules


def _named(*types: type) -> Callable[[str, Any], Any]:
    def read(key: str, value: Any) -> Any:
        if not isinstance(value, (str, *types)):
            raise _wrong(key, value, "a name")
        return value

    return read


def _imports(key: str, value: Any) -> ImportsOption:
    if value in ("true", "false"):
        return bool(value == "true")
    if not all(isinstance(each, str | os.PathLike | bool) for each in several(value)):
        raise _wrong(key, value, "true, false, or folders and catalogues")
    found: ImportsOption = value
    return found


def _part(kind: type[_T]) -> Callable[[str, Any], _T]:
    """A reader of a part that is a mapping: an `Access` or a `Budget`."""

    def read(key: str, value: Any) -> _T:
        if isinstance(value, kind):
            return value
        names = [field.name for field in fields(kind) if field.init]
        if not isinstance(value, Mapping):
            raise _wrong(key, value, f"a mapping of {', '.join(names)}")
        _check_keys(value, names, key)
        return kind(**{name: _limit_or_names(f"{key}.{name}", each) for name, each in value.items()})

    return read


def _limit_or_names(key: str, value: Any) -> Any:
    """A limit, or names."""
    kind = _NUMBERS.get(key.partition(".")[2])
    if kind is None:
        names = tuple(several(value))
        if not all(isinstance(name, str | Path) for name in names):
            raise _wrong(key, value, "a text, or a list of these")
        return names
    try:
        return kind(value)
    except (TypeError, ValueError):
        raise _wrong(key, value, "a number") from None


_NUMBERS: Final[dict[str, type[int] | type[float]]] = {"facts": int, "seconds": float, "bytes": int}
_READERS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "path": _path,
    "create": _flag,
    "read_only": _flag,
    "rules": _rules,
    "schemes": _named(Catalogue),
    "strategy": _named(Strategy),
    "strict": _flag,
    "budget": _part(Budget),
    "access": _part(Access),
    "imports": _imports,
    "generalised": _named(),
}
