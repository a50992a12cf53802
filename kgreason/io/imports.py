"""``owl:imports``: the documents that documents import, and those that these import, each read once.

An import is satisfied by an ontology of that name or version that is read or stored already, or by a document that was
read from there. Where imports are followed, others are looked for, in this order:

1. in XML catalogues, those that are given and those in the given folders;
2. for ``file:`` IRIs, where they lead;
3. among the ontologies of the given folders, by the names in their headers;
4. on servers.

Files must be in one of the folders, or where the `Access` allows, and so must servers: a catalogue leads nowhere else.

Source: OWL 2 Structural Specification, section 3.4; a name may be written with a ``#`` at its end, as by OWL API.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeAlias

from kgreason.access import Access
from kgreason.checkpoints import checkpoint
from kgreason.errors import AccessError, ImportsWarning, KGReasonError, LoadError, level_of_caller, printable
from kgreason.io.documents import Document, documents_at_iri
from kgreason.io.formats import is_rdf_file, is_table
from kgreason.io.job_directories import is_ignored
from kgreason.io.ontology_headers import names_in
from kgreason.io.xml_catalogs import NAMES, Catalogues

if TYPE_CHECKING:
    from kgreason.io.gathered import Gathered

ImportsOption: TypeAlias = bool | str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None
"""The option `imports` of a store or a load: see `Imports.of`."""

_NAMED: Final = 3
"""How many of the imports that are missing for the same reasons a warning names."""

_HINT: Final = "imports=FOLDER or --imports FOLDER with it in, or imports=False or --no-imports"


@dataclass(frozen=True, slots=True)
class Imports:
    """What is done about imports.

    Attributes:
        places: folders and catalogues.
        beside: look in the folder of each document that is read, too.
        followed: whether they are looked for at all; otherwise a missing one is warned of.
    """

    places: tuple[Path, ...] = ()
    beside: bool = False
    followed: bool = True

    @classmethod
    def of(cls, given: ImportsOption) -> Self | None:
        """What a user says: None to be warned, False not to be, True to look in the folders of the documents, paths of
        folders and catalogues to look there; servers and other folders are those of an `Access`.

        Raises:
            LoadError: there is no such folder or catalogue.
        """
        match given:
            case None:
                return cls(followed=False)
            case False:
                return None
            case True:
                return cls(beside=True)
            case str() | os.PathLike():
                places = [Path(given)]
            case _:
                places = [Path(place) for place in given]
        for place in places:
            if not place.exists():
                raise LoadError("no such folder or catalogue", path=place)
        return cls(tuple(places))


@dataclass(slots=True)
class _Import:
    """One ontology that is imported: by which documents, and why it was not found."""

    iri: str
    importers: dict[str, None]
    reasons: dict[str, None]


def read_imports(
    gathered: Gathered,
    documents: Sequence[Document],
    imports: Imports,
    access: Access,
    knows: Callable[[str], bool],
) -> None:
    """Read what documents that were read import, and warn of what is missing.

    Args:
        gathered: what was read so far, and what takes the rest.
        documents: those that were read.
        imports: what is done about them.
        access: which servers and other folders may be reached for.
        knows: whether there is an ontology of some name already, outside of `gathered`.

    Raises:
        LoadError: a document that is imported is malformed, or a catalogue.
    """
    _Closure(gathered, documents, imports, access, knows).run()


class _Closure:
    def __init__(
        self,
        gathered: Gathered,
        documents: Sequence[Document],
        imports: Imports,
        access: Access,
        knows: Callable[[str], bool],
    ) -> None:
        self._gathered = gathered
        self._documents = {document.name: document for document in documents}
        self._imports = imports
        self._access = access
        self._knows = knows
        self._catalogues = Catalogues()
        self._folders: dict[Path, _Folder] = {}
        self._decided: set[str] = set()
        self._missing: list[_Import] = []

    def run(self) -> None:
        while wanted := self._pending():
            for each in wanted:
                self._decided.add(_plain(each.iri))
                if self._is_there(_plain(each.iri)):
                    continue
                if not (self._imports.followed and self._read(each)):
                    self._missing.append(each)
        level = level_of_caller()
        names = self._names()  # one that was found later may have the name
        for missing in _alike([each for each in self._missing if _plain(each.iri) not in names]):
            warnings.warn(ImportsWarning(_described(missing), [each.iri for each in missing]), stacklevel=level)

    def _is_there(self, plain: str) -> bool:
        return plain in self._names() or self._knows(plain) or self._knows(f"{plain}#")

    def _pending(self) -> list[_Import]:
        """What is imported and not decided yet, in the order in which it was read."""
        found: dict[str, _Import] = {}
        for source, header in self._gathered.headers:
            for iri in header.imports:
                if _plain(iri) not in self._decided:
                    each = found.setdefault(_plain(iri), _Import(iri, {}, {}))
                    each.importers[source] = None
        names = self._names()
        return [each for iri, each in found.items() if iri not in names]

    def _names(self) -> set[str]:
        """The names of all that was read, by which it can be imported."""
        names = {_plain(name) for _, header in self._gathered.headers for name in header.names}
        return names | {_plain(document.base) for document in self._documents.values() if document.base is not None}

    def _read(self, wanted: _Import) -> bool:
        """Look for an import, and read it; False where it is not found."""
        for documents in self._candidates(wanted):
            known = {_location(document) for document in self._documents.values()}
            new = [document for document in documents if _location(document) not in known]
            self._documents.update({document.name: document for document in new})
            self._gathered.run(job for document in new for job in self._gathered.document(document, None))
            return True
        return False

    def _candidates(self, wanted: _Import) -> Iterator[list[Document]]:
        """The documents of an import in each place where it is; why it is not in others goes to its reasons."""
        places = list(dict.fromkeys([*self._imports.places, *self._folders_beside(wanted)]))
        catalogues = [path for place in places for path in _catalogues_of(place)]
        folders = [place for place in places if place.is_dir()]
        for catalogue in catalogues:
            place = self._catalogues.place_of(catalogue, wanted.iri)
            if place is not None:
                yield from self._at(place, [catalogue.parent, *folders], wanted, f"{catalogue} names {place}: ")
        if wanted.iri.startswith("file:"):
            yield from self._at(wanted.iri, folders, wanted)
        for folder in folders:
            index = self._folders.get(folder) or self._folders.setdefault(folder, _Folder.of(folder))
            path = index.paths.get(_plain(wanted.iri))
            if path is not None:
                yield [Document(path)]
            wanted.reasons[f"not in {folder}{index.faults}"] = None
        if not wanted.iri.startswith("file:"):
            yield from self._at(wanted.iri, folders, wanted)

    def _at(
        self, iri: str, folders: Sequence[Path], wanted: _Import, reason: str = ""
    ) -> Iterator[list[Document]]:
        """What is where an IRI leads, within the access or in some folders."""
        access = replace(self._access, folders=(*self._access.folders, *folders))
        try:
            if iri.startswith("file:"):
                path = access.file(iri)
                if not path.is_file():
                    raise LoadError("no such file", path=iri)
                yield [Document(path)]
            else:
                yield documents_at_iri(iri, access)
        except (AccessError, LoadError) as error:
            wanted.reasons[f"{reason}{error.reason}"] = None

    def _folders_beside(self, wanted: _Import) -> list[Path]:
        if not self._imports.beside:
            return []
        importers = [self._documents[name] for name in wanted.importers if name in self._documents]
        return [each.path.absolute().parent for each in importers if each.content is None]


@dataclass(frozen=True, slots=True)
class _Folder:
    """The ontologies in a folder and those below it, by their names; `faults` says which files could not be read."""

    paths: Mapping[str, Path]
    faults: str

    @classmethod
    def of(cls, folder: Path) -> Self:
        paths: dict[str, Path] = {}
        faults: list[Path] = []
        for path in _files_below(folder):
            checkpoint()
            try:
                for name in sorted(names_in(Document(path))):
                    paths.setdefault(_plain(name), path)
            except (KGReasonError, OSError, EOFError, SyntaxError, ValueError, ArithmeticError):
                faults.append(path)
        more = f" and {len(faults) - 1:,} more" if len(faults) > 1 else ""
        return cls(paths, f", where {faults[0].name}{more} cannot be read" if faults else "")


def _files_below(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_ignored(name))
        for name in sorted(files):
            if not is_ignored(name) and is_rdf_file(Path(name)) and not is_table(Path(name)):
                yield Path(here) / name


def _catalogues_of(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    return [place / name for name in NAMES if (place / name).is_file()]


def _location(document: Document) -> object:
    return document.path.resolve() if document.content is None else (document.name, document.base)


def _plain(iri: str) -> str:
    return iri.removesuffix("#")


def _alike(missing: Iterable[_Import]) -> Iterable[list[_Import]]:
    """Those together that are missing for the same reasons: a part of a large ontology lacks hundreds of others."""
    groups: dict[tuple[str, ...], list[_Import]] = {}
    for each in missing:
        groups.setdefault(tuple(each.reasons), []).append(each)
    return groups.values()


def _described(missing: Sequence[_Import]) -> str:
    """What some documents import, which is missing for the same reasons."""
    first, *others = dict.fromkeys(name for each in missing for name in each.importers)
    by = f"{first} and {len(others):,} more: they import" if others else f"{first}: it imports"
    named = [f"<{printable(each.iri, 160)}>" for each in missing[:_NAMED]]
    more = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
    verb = "are" if len(missing) > 1 else "is"
    reasons = "; ".join(missing[0].reasons)
    return printable(
        f"{by} {', '.join(named)}{more}, which {verb} missing{reasons and f': {reasons}'} (expected {_HINT})", 1200
    )
