"""Quads go into Oxigraph's databases and come back as they were."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph
import pytest

from kgreason import KGReasonError, KnowledgeBase, LoadError
from kgreason.rdf.model import IRI, BlankNode, Literal
from kgreason.rdf.vocabulary import RDF, RDFS
from kgreason_oxigraph import export_database, import_database
from tests.cli.command_runs import refuse, succeed
from tests.facade import Triple, add, ex, triples

TYPE = IRI(RDF + "type")
EXPLICIT = {
    (ex("Cat"), IRI(RDFS + "subClassOf"), ex("Animal")),
    (ex("tom"), TYPE, ex("Cat")),
    (ex("tom"), ex("name"), Literal("Tom .\n", None, "en")),
    (ex("tom"), ex("age"), Literal("7", "http://www.w3.org/2001/XMLSchema#integer")),
}
NAMED = {(ex("tom"), ex("likes"), ex("milk"))}
FOLLOWS = (ex("tom"), TYPE, ex("Animal"))


@pytest.fixture
def base() -> KnowledgeBase:
    base = KnowledgeBase("rdfs")
    add(base, *EXPLICIT)
    add(base, *NAMED, graph=base.dictionary.encode(ex("graph")))
    return base


def graph(base: KnowledgeBase, name: IRI) -> set[Triple]:
    return triples(base, base.graph(base.dictionary.encode(name)))


def test_there_and_back(base: KnowledgeBase, tmp_path: Path) -> None:
    count = export_database(base, tmp_path / "database", inferred=False)
    assert count == len(EXPLICIT) + len(NAMED)
    again = KnowledgeBase("rdfs")
    assert import_database(tmp_path / "database", again) == count
    assert triples(again, again.explicit()) == EXPLICIT | NAMED
    assert graph(again, ex("graph")) == NAMED
    assert triples(again, again.all()) == triples(base, base.all())


def test_what_follows_is_in_the_default_graph(base: KnowledgeBase, tmp_path: Path) -> None:
    assert export_database(base, tmp_path / "database") == len(base.all())
    store = pyoxigraph.Store.read_only(str(tmp_path / "database"))
    node = pyoxigraph.NamedNode
    triple = [node(term.value) for term in FOLLOWS]
    assert pyoxigraph.Quad(*triple) in store
    likes = pyoxigraph.Quad(*(node(term.value) for term in next(iter(NAMED))), node(ex("graph").value))
    assert likes in store


def test_blank_nodes_stay_apart(tmp_path: Path) -> None:
    base = KnowledgeBase("none")
    nodes = [BlankNode("a"), BlankNode("b")]
    add(base, *((node, ex("p"), ex("o")) for node in nodes))
    add(base, (nodes[0], ex("p"), nodes[1]), graph=base.dictionary.encode(BlankNode("graph")))
    export_database(base, tmp_path / "database")
    again = KnowledgeBase("none")
    import_database(tmp_path / "database", again)
    found = triples(again, again.explicit())
    assert len(found) == 3
    assert len({s for s, _, _ in found}) == 2


def test_what_cannot_be_read_or_written(base: KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="no database"):
        import_database(tmp_path, base)
    (tmp_path / "CURRENT").write_text("nonsense")
    with pytest.raises(LoadError, match="cannot be read") as caught:
        import_database(tmp_path, base)
    assert "\n" not in str(caught.value)
    with pytest.raises(KGReasonError, match="something already"):
        export_database(base, tmp_path)
    assert triples(base, base.explicit()) == EXPLICIT | NAMED


def test_a_quad_that_is_not_valid_is_named_with_its_database(tmp_path: Path) -> None:
    store = pyoxigraph.Store(str(tmp_path / "database"))
    lines = '<a:s> <a:p> "x" .\n<a:s> <a:p> <http://e/a b> <a:g> .\n'
    store.load(lines.encode(), pyoxigraph.RdfFormat.N_QUADS, lenient=True)
    store.flush()
    base = KnowledgeBase("none")

    with pytest.raises(LoadError) as caught:
        import_database(tmp_path / "database", base)
    assert str(caught.value).startswith(f"{tmp_path / 'database'}: the quad <a:s> <a:p> <http://e/a b> <a:g> .: ")
    assert not len(base.explicit())


def test_commands(base: KnowledgeBase, tmp_path: Path) -> None:
    database, store, back = (str(tmp_path / name) for name in ("database", "store", "back"))
    export_database(base, Path(database), inferred=False)
    assert "5 quads" in succeed("oxigraph", "import", database, store, "--rules", "rdfs")
    line = " ".join(map(str, FOLLOWS)) + " ."
    assert line in succeed("materialise", store).splitlines()
    assert f"{len(base.all())} quads" in succeed("oxigraph", "export", store, "-o", back)
    refuse(2, "no such directory", "oxigraph", "import", str(tmp_path / "missing"), str(tmp_path / "new"))
    refuse(1, "no database", "oxigraph", "import", str(tmp_path), str(tmp_path / "new"))
    assert not [*(tmp_path / "new").iterdir()]
