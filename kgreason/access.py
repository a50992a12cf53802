"""What a store may reach for outside of itself: hosts of the network and folders of files, none by default.

A query may come from a stranger, so LOAD, SERVICE, imports and everything else that follows an IRI asks an `Access`
first::

    ReasoningStore(access=Access(hosts=("dbpedia.org",), folders=("data",)))

Redirections are checked like the IRI itself, links of the file system where they lead. `kgreason.fetching` fetches what
is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from kgreason.errors import AccessError, OptionError, one_line, quoted
from kgreason.errors.limits import check_limit

_PORTS: Final = {"http": 80, "https": 443}
_HOST: Final = "the name of a server, as example.org or localhost:3030"


@dataclass(frozen=True, slots=True)
class Access:
    """What may be reached for.

    Attributes:
        hosts: names of servers as in IRIs. ``example.org`` allows its usual port of a scheme, ``example.org:3030``
            another one, ``*.example.org`` all names below it, ``*`` every server, those of the local network, too.
        folders: folders of this machine whose files, and those of their folders, may be read.
        schemes: those by which servers are reached.
        seconds: how long one document, or one answer of a service, may take.
        bytes: how large it may be.

    Raises:
        OptionError: a text in the place of a tuple, a URL in the place of a host, a limit that is negative.
    """

    hosts: tuple[str, ...] = ()
    folders: tuple[str | Path, ...] = ()
    schemes: tuple[str, ...] = ("http", "https")
    seconds: float = 60.0
    bytes: int = 1 << 30

    def __post_init__(self) -> None:
        for name in ("hosts", "folders", "schemes"):
            places = getattr(self, name)
            if isinstance(places, str | Path):
                raise OptionError(f"{name}={quoted(str(places))}", name, places, expected="a tuple of them")
        for host in self.hosts:
            if not host or "/" in host:
                raise OptionError(f"the host {quoted(host)}", "hosts", host, expected=_HOST)
        for name in ("seconds", "bytes"):
            limit = getattr(self, name)
            check_limit(limit, name, f"an access of {limit!r} {name}")

    def check(self, iri: str) -> None:
        """Refuse what may not be reached for.

        Raises:
            AccessError: it names what would allow it.
        """
        parts = _split(iri)
        if parts.scheme == "file":
            self._allowed_file(iri, parts)
        elif parts.scheme not in _PORTS or parts.scheme not in self.schemes:
            raise AccessError(f"the scheme {parts.scheme!r} is not allowed here (allowed: {self._shown()})", path=iri)
        elif not self._has_host(parts):
            raise AccessError(f"the host {parts.netloc!r} is not allowed here (allowed: {self._shown()})", path=iri)

    def file(self, iri: str) -> Path:
        """The path of a file that may be read, without links; AccessError for another."""
        return self._allowed_file(iri, _split(iri))

    @property
    def is_open(self) -> bool:
        """Whether everything is allowed."""
        return "*" in self.hosts and any(Path(folder).resolve() == Path("/") for folder in self.folders)

    def _has_host(self, parts: SplitResult) -> bool:
        try:
            name, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
        except ValueError:
            return False
        usual = port == _PORTS[parts.scheme]
        return any(_matches(pattern.lower(), name, port, usual) for pattern in self.hosts)

    def _allowed_file(self, iri: str, parts: SplitResult) -> Path:
        # Heavy, for stores that may reach for files.
        from urllib.request import url2pathname

        name = url2pathname(parts.path)
        if parts.netloc not in ("", "localhost") or parts.query or "\0" in name:
            raise AccessError("not a file of this machine", path=iri)
        path = Path(name).resolve()
        if not any(path.is_relative_to(Path(folder).resolve()) for folder in self.folders):
            raise AccessError(f"files of its folder are not allowed here (allowed: {self._shown()})", path=iri)
        return path

    def _shown(self) -> str:
        return ", ".join([*self.hosts, *map(str, self.folders)]) or "nothing; the owner of the store says what is"


NOTHING: Final = Access()
"""Nothing is reached for."""
EVERYTHING: Final = Access(hosts=("*",), folders=("/",))
"""Everything may be reached for: only for queries that the owner wrote."""


def _split(iri: str) -> SplitResult:
    try:
        return urlsplit(iri)
    except ValueError as error:
        raise AccessError(f"not an address: {one_line(error)}", path=iri) from None


def _matches(pattern: str, name: str, port: int, usual: bool) -> bool:
    if pattern == "*":
        return True
    host, _, own_port = pattern.rpartition(":") if pattern.rpartition(":")[2].isdigit() else (pattern, "", "")
    if not (str(port) == own_port if own_port else usual):
        return False
    host = host.strip("[]")
    return name.endswith(host[1:]) if host.startswith("*.") else name == host
