"""Data that tests use in place: real ontologies and suites that nobody here wrote, beside the checkout.

They are found in ``$KGREASON_SHARED_DATA`` or ``../shared/data``; archives are unpacked once into a folder for
temporary files. Where the data is absent, the tests that need it are skipped with that reason.
"""

from __future__ import annotations

import bz2
import hashlib
import lzma
import os
import shutil
import tarfile
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from tests.temporary_files import on_disk

_ROOT = Path(__file__).resolve().parent.parent


@cache
def shared_root() -> Path | None:
    """The folder of the shared data, None when there is none."""
    given = os.environ.get("KGREASON_SHARED_DATA")
    candidates = [Path(given)] if given else [_ROOT.parent / "shared" / "data"]
    return next((path for path in candidates if path.is_dir()), None)


def shared(name: str) -> Path:
    """A file or folder of the shared data; skips the test, or the module that asks for it, when it is absent."""
    root = shared_root()
    if root is None or not (root / name).exists():
        reason = f"the shared data has no {name} (set KGREASON_SHARED_DATA to where it is)"
        pytest.skip(reason, allow_module_level=True)
    return root / name


@cache
def unpacked(name: str) -> Path:
    """A packed file or archive of the shared data, unpacked: a file, or the folder that the archive fills."""
    packed = shared(name)
    stamp = hashlib.sha256(f"{packed}{packed.stat().st_size}{packed.stat().st_mtime_ns}".encode()).hexdigest()[:16]
    target = on_disk() / f"kgreason-shared-{os.getuid()}" / stamp / packed.name.partition(".tar")[0]
    if ".tar" not in packed.name:
        target = target.with_suffix("")
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as work:
            made = Path(work) / "content"
            _unpack(packed, made)
            with suppress(OSError):  # another process has unpacked it in the meantime
                made.rename(target)
    assert target.exists()
    return target


def _unpack(packed: Path, target: Path) -> None:
    if ".tar" in packed.name:
        target.mkdir()
        with tarfile.open(packed) as archive:
            # Debian 12 has Python 3.11.2, and the filters came with 3.11.4.
            safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            archive.extractall(target, **safely)
        return
    opener = bz2.open if packed.suffix == ".bz2" else lzma.open
    with opener(packed) as source, target.open("wb") as out:
        shutil.copyfileobj(source, out)
