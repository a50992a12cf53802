"""The maps of the house: the docstring of each package names every room in it.

Would catch a package or a file that a newcomer cannot find from the map.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgreason

ROOT = Path(__file__).parents[1]
SOURCES = [ROOT / "kgreason", ROOT / "adapters", ROOT / "ontologies"]
PACKAGES = sorted(file.parent for folder in SOURCES for file in folder.rglob("__init__.py"))


def rooms(folder: Path) -> Iterator[str]:
    """The packages of a folder, and the modules beside them."""
    for path in sorted(folder.iterdir()):
        if (path / "__init__.py").exists() or (path.suffix == ".py" and not path.stem.startswith("__")):
            yield path.stem


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_docstring_of_a_package_names_its_rooms(package: Path) -> None:
    text = (package / "__init__.py").read_text(encoding="utf-8")
    assert not [room for room in rooms(package) if f"`{room}`" not in text]


def test_adapters_are_on_the_map_of_the_house() -> None:
    assert kgreason.__doc__ is not None
    adapters = [*rooms(ROOT / "adapters"), *rooms(ROOT / "ontologies")]
    assert adapters
    assert not [room for room in adapters if f"`{room}`" not in kgreason.__doc__]
