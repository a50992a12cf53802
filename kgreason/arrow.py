"""pyarrow as `pa` and pyarrow.compute as `pc`, imported when something first uses them.

They take as long to import as numpy and rdflib together, and a small store, in memory and without files, uses neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["pa", "pc"]


class _Later:
    """A module by its name; what it is asked for once, it has from then on."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        from importlib import import_module

        try:
            found = getattr(import_module(self._name), name)
        except ImportError as error:
            # What the loader of libraries says where there is no memory for one.
            if "failed to map segment" in str(error) or "Cannot allocate memory" in str(error):
                raise MemoryError(f"there is no memory to import {self._name}") from error
            raise
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
else:
    pa, pc = _Later("pyarrow"), _Later("pyarrow.compute")
