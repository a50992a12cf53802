"""Oxigraph's databases, in and out.

    from kgreason_oxigraph import export_database, import_database

* `databases`: a database's quads into a knowledge base, and a knowledge base's graphs into a new database.
"""

from __future__ import annotations

from kgreason_oxigraph.databases import export_database, import_database

__all__ = ["export_database", "import_database"]
