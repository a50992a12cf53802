"""XML catalogues, which say where documents are: the ``catalog-v001.xml`` of Protégé and ROBOT.

Entries ``uri``, ``rewriteURI``, ``uriSuffix``, ``group``, ``nextCatalog`` and ``delegateURI``. What an entry names is a
file or a document of a server; whether it may be read is for the caller to say.

Source: OASIS XML Catalogs 1.1, section 7.2 (URI entries).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urljoin, urlsplit
from xml.parsers import expat

from kgreason.errors import LoadError, one_line

NAMES: Final = ("catalog-v001.xml", "catalog.xml")
"""How catalogues are called in a folder."""
_NAMESPACE: Final = "urn:oasis:names:tc:entity:xmlns:xml:catalog "
_BASE: Final = "http://www.w3.org/XML/1998/namespace base"
_LARGEST: Final = 16 << 20
_DEEPEST: Final = 100


@dataclass(slots=True)
class Catalogue:
    """The entries of a catalogue, and of those that it names; all places are absolute.

    Attributes:
        path: of the file.
        uris: from a name to its place.
        rewritten: from what a name begins with to what takes its place.
        suffixes: from what a name ends with to its place.
        delegates: from what a name begins with to a catalogue that is asked then.
        following: catalogues that are asked last.
    """

    path: Path
    uris: dict[str, str] = field(default_factory=dict)
    rewritten: dict[str, str] = field(default_factory=dict)
    suffixes: dict[str, str] = field(default_factory=dict)
    delegates: list[tuple[str, Path]] = field(default_factory=list)
    following: list[Path] = field(default_factory=list)

    def place_of(self, iri: str) -> str | None:
        """Where the document of a name is, as an IRI; None where no entry says that."""
        if iri in self.uris:
            return self.uris[iri]
        starts = [start for start in self.rewritten if iri.startswith(start)]
        if starts:
            start = max(starts, key=len)
            return self.rewritten[start] + iri[len(start) :]
        ends = [end for end in self.suffixes if iri.endswith(end)]
        return self.suffixes[max(ends, key=len)] if ends else None


class Catalogues:
    """Catalogues by their paths, each read when it is first asked."""

    def __init__(self) -> None:
        self._known: dict[Path, Catalogue] = {}

    def place_of(self, path: Path, iri: str) -> str | None:
        """Where a catalogue, or one that it names in its folder or below, says that a document is.

        Raises:
            LoadError: the catalogue is malformed.
        """
        folder, asked, waiting = path.resolve().parent, set[Path](), [path]
        while waiting:
            here = waiting.pop(0).resolve()
            is_other = here != path.resolve()
            if here in asked or (is_other and not (here.is_relative_to(folder) and here.is_file())):
                continue
            asked.add(here)
            catalogue = self._known.get(here) or self._known.setdefault(here, read_catalogue(here))
            place = catalogue.place_of(iri)
            if place is not None:
                return place
            delegates = [other for start, other in catalogue.delegates if iri.startswith(start)]
            waiting = [*delegates, *waiting, *catalogue.following]
        return None


def read_catalogue(path: Path) -> Catalogue:
    """The entries of one catalogue.

    Raises:
        LoadError: it cannot be read, or is not XML.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise LoadError(f"cannot be read: {one_line(error)}", path=path) from error
    if len(data) > _LARGEST:
        raise LoadError(f"a catalogue of more than {_LARGEST:,} bytes", path=path)
    reader = _Reader(Catalogue(path))
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.EntityDeclHandler = reader.refuse_entity
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise LoadError(f"malformed catalogue: {expat.ErrorString(error.code)}", path=path, line=error.lineno) from None
    except (LookupError, ValueError) as error:  # an encoding that Python does not have, or no address
        raise LoadError(f"malformed catalogue: {error}", path=path, line=parser.CurrentLineNumber) from None
    return reader.catalogue


class _Reader:
    """What expat tells of a catalogue, as entries."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._bases = [catalogue.path.absolute().as_uri()]

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        base = urljoin(self._bases[-1], attributes.get(_BASE, ""))
        self._bases.append(base)
        if len(self._bases) > _DEEPEST:
            raise ValueError(f"elements nested more than {_DEEPEST} deep")
        found, given = self.catalogue, attributes.get
        match name.removeprefix(_NAMESPACE):
            case "uri":
                found.uris.setdefault(given("name", ""), urljoin(base, given("uri", "")))
            case "rewriteURI":
                found.rewritten.setdefault(given("uriStartString", ""), urljoin(base, given("rewritePrefix", "")))
            case "uriSuffix":
                found.suffixes.setdefault(given("uriSuffix", ""), urljoin(base, given("uri", "")))
            case "delegateURI":
                for path in _file_at(urljoin(base, given("catalog", ""))):
                    found.delegates.append((given("uriStartString", ""), path))
                found.delegates.sort(key=lambda entry: -len(entry[0]))
            case "nextCatalog":
                found.following.extend(_file_at(urljoin(base, given("catalog", ""))))

    def end(self, name: str) -> None:
        self._bases.pop()

    def refuse_entity(self, *declared: object) -> None:
        raise ValueError("it declares entities")


def _file_at(iri: str) -> tuple[Path, ...]:
    """The path of a catalogue, none for one of a server."""
    from urllib.request import url2pathname

    parts = urlsplit(iri)
    return (Path(url2pathname(parts.path)),) if parts.scheme == "file" and parts.netloc in ("", "localhost") else ()
