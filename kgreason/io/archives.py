"""Zip archives as directories of files: their members are read where they are, and nothing is unpacked to a disk.

An archive may decompress to as much as a Parquet file of its size (`memory.most_decompressed`), all members
together, as they are and not as its directory says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import quote
from weakref import finalize

from kgreason import memory
from kgreason.errors import LoadError, one_line
from kgreason.io.contents import Allowance, Content
from kgreason.io.streams import Readable

if TYPE_CHECKING:
    from typing import BinaryIO
    from zipfile import ZipFile

_MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
_ENDING: Final = ".zip"

Choice: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
"""From the names of all members, folders with a ``/`` at the end, to those that are read."""


def is_archive(beginning: bytes) -> bool:
    """Whether a file that begins so is a zip archive."""
    return beginning.startswith(_MAGIC)


def is_archive_file(path: Path, is_told: bool) -> bool:
    """Whether a file is a zip archive, by its name, or by its first bytes where the name tells no format."""
    if path.suffix.lower() == _ENDING:
        return True
    if is_told or not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            return is_archive(stream.read(4))
    except OSError:  # said when it is read
        return False


def members_of(
    source: Path | BinaryIO, name: str, base: str | None, choose: Choice, allowance: Allowance | None = None
) -> Iterator[tuple[str, Content]]:
    """The names and contents of those members of an archive that are chosen; `allowance` is another limit than that of
    its size.

    Raises:
        LoadError: no archive, or a damaged one.
    """
    archive = _opened(source, name)
    names = list(dict.fromkeys(archive.namelist()))
    if any("/triples/" in f"/{member}" for member in names) and any(map(_is_manifest, names)):
        raise LoadError("encoded triples in an archive", path=name, expected="a directory of them, unpacked")
    size = source.stat().st_size if isinstance(source, Path) else source.seek(0, 2)
    allowance = allowance or Allowance(memory.most_decompressed(size))
    for member in choose(names):
        own_base = None if base is None else f"{base}/{quote(member)}"
        open = partial(_member, archive, member)
        yield member, Content(f"{name}/{member}", open, own_base, allowance=allowance, in_archive=True)


def _opened(source: Path | BinaryIO, name: str) -> ZipFile:
    """An archive; a file that is opened here is closed with it, also where an error holds it in a circle."""
    # Some milliseconds, for archives alone.
    from zipfile import BadZipFile, ZipFile

    try:
        with ExitStack() as opened:
            archive = ZipFile(opened.enter_context(source.open("rb")) if isinstance(source, Path) else source)
            finalize(archive, opened.pop_all().close)
    except BadZipFile as error:
        raise LoadError(f"not readable as a zip archive: {one_line(error)}", path=name) from None
    except OSError as error:
        raise LoadError(f"cannot be read: {one_line(error)}", path=name) from error
    return archive


@contextmanager
def _member(archive: ZipFile, member: str) -> Iterator[Readable]:
    """A member for reading; OSError where it is damaged, encrypted or compressed in a way that Python does not know."""
    from zipfile import BadZipFile

    try:
        stream = archive.open(member)
    except (BadZipFile, RuntimeError) as error:  # RuntimeError: encrypted, or compressed in an unknown way
        is_encrypted = archive.getinfo(member).flag_bits & 1
        raise OSError("it is encrypted" if is_encrypted else one_line(error)) from None
    with stream:
        try:
            yield stream
        except BadZipFile as error:
            raise OSError(one_line(error)) from None


def _is_manifest(member: str) -> bool:
    return member.rsplit("/", 1)[-1] == "manifest.json"
