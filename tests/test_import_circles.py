"""No file imports itself by way of others. Catches a file that can only be read together with the ones above it."""

from __future__ import annotations

import grimp

PACKAGES = ("kgreason", "kgreason_rdflib", "kgreason_oxigraph", "kgreason_spark", "kgreason_ontologies")


def circles(imports: dict[str, set[str]]) -> list[str]:
    """The modules that can be reached from themselves: leaves are taken away until none is left."""
    left = {module: set(others) for module, others in imports.items()}
    while leaves := {module for module, others in left.items() if not others & left.keys()}:
        left = {module: others for module, others in left.items() if module not in leaves}
    return sorted(left)


def test_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]


def test_no_file_imports_itself_by_way_of_others() -> None:
    # Lazy imports count, imports of types for annotations do not.
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)

    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}

    assert not circles(imports)
