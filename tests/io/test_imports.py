"""``owl:imports``: would catch an import that is lost in silence, read twice, read from where nobody allowed, or left
half loaded when another one fails."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from rdflib import OWL, RDF, Dataset, Graph, URIRef

from kgreason import Access, ImportsWarning, LoadError, ReasoningStore
from tests.cli.command_runs import refuse, run, succeed
from tests.io.test_remote_sources import CONTENT, server  # noqa: F401 - a fixture

E = "http://e/"
NAMESPACE = "urn:oasis:names:tc:entity:xmlns:xml:catalog"


def ontology(name: str, *imports: str, version: str = "", base: str = E) -> str:
    """An ontology of one class of its own, in Turtle."""
    wanted = "".join(f"; owl:imports <{each if ':' in each else base + each}> " for each in imports)
    versioned = f"; owl:versionIRI <{base}{version}> " if version else ""
    return (
        f"@prefix owl: <{OWL}> . <{base}{name}> a owl:Ontology {versioned}{wanted}. "
        f"<{base}{name}#Class> a owl:Class ; owl:sameAs [ owl:of <{base}{name}> ] .\n"
    )


def classes(graph: Graph) -> set[str]:
    """The names of the ontologies whose class is there."""
    return {str(found).removeprefix(E).removesuffix("#Class") for found in graph.subjects(RDF.type, OWL.Class)}


def loaded(*sources: Path | str | bytes, **options: object) -> set[str]:
    """What is there after a load that warns of nothing."""
    store = ReasoningStore(rules="none", access=options.pop("access", Access()))  # type: ignore[arg-type]  # options of any type
    store.bulk_load(*sources, **options)  # type: ignore[arg-type]  # options of any type
    return classes(Graph(store=store))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ontologies that import each other in a circle, in several formats and folders, beside other files."""
    lib = tmp_path / "lib"
    (lib / "deep").mkdir(parents=True)
    (tmp_path / "main.ttl").write_text(ontology("main", "a"))
    (lib / "one.ttl").write_text(ontology("a", "b", "c/2"))
    Graph().parse(data=ontology("b", "a", "main")).serialize(lib / "deep" / "two.owl", format="xml")
    Graph().parse(data=ontology("c", "c", version="c/2")).serialize(lib / "three.nt", format="nt", encoding="utf-8")
    (lib / "data.nt").write_text("<http://e/x> <http://e/y> <http://e/z> .\n" * 1000)
    (lib / "broken.ttl").write_text("@prefix : <oops> . Ontology")
    (lib / ".hidden.ttl").write_text(ontology("a"))
    (lib / "README.md").write_text("nothing")
    return tmp_path


def test_a_missing_import_is_one_warning_that_says_what_to_pass(folder: Path) -> None:
    store = ReasoningStore(rules="none")
    with pytest.warns(ImportsWarning) as caught:
        store.bulk_load(folder / "main.ttl")

    (warning,) = caught
    assert str(warning.message) == (
        f"{folder / 'main.ttl'}: it imports <http://e/a>, which is missing "
        "(expected imports=FOLDER or --imports FOLDER with it in, or imports=False or --no-imports)"
    )
    assert warning.filename == __file__
    assert classes(Graph(store=store)) == {"main"}


def test_imports_that_are_missing_for_the_same_reason_are_one_warning(folder: Path) -> None:
    (folder / "lib" / "more.ttl").write_text(ontology("more", "a", "d", "e"))
    store = ReasoningStore(rules="none")
    with pytest.warns(ImportsWarning) as caught:
        store.bulk_load(folder / "main.ttl", folder / "lib" / "more.ttl", ontology("last", "f").encode())

    (warning,) = caught
    assert str(warning.message).startswith(
        f"{folder / 'main.ttl'} and 2 more: "
        "they import <http://e/a>, <http://e/d>, <http://e/e> and 1 more, which are missing (expected imports=FOLDER"
    )
    assert isinstance(warning.message, ImportsWarning)
    assert warning.message.missing == tuple(f"{E}{name}" for name in "adef")


def test_a_warning_that_is_an_error_leaves_the_store_as_it_was(folder: Path) -> None:
    store = ReasoningStore(rules="none")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ImportsWarning)
        with pytest.raises(ImportsWarning):
            store.bulk_load(folder / "main.ttl")

    assert len(store) == 0


def test_imports_of_what_is_read_or_stored_are_not_missing(folder: Path) -> None:
    lib = folder / "lib"
    (lib / "broken.ttl").unlink()
    assert loaded(folder / "main.ttl", lib) == {"main", "a", "b", "c"}
    assert loaded(folder / "main.ttl", imports=False) == {"main"}

    store = ReasoningStore(rules="none")
    store.bulk_load(lib / "three.nt", imports=False)
    store.bulk_load(ontology("by-name", "c").encode(), ontology("by-version", "c/2").encode())
    len(store)
    store.bulk_load(ontology("by-name", "c#").encode(), ontology("by-version", "c/2").encode())
    Graph(store=store).add((URIRef(f"{E}added"), RDF.type, OWL.Ontology))
    store.bulk_load(ontology("more", "added").encode())


def test_a_folder_is_searched_by_the_names_of_ontologies(folder: Path) -> None:
    assert loaded(folder / "main.ttl", imports=folder / "lib") == {"main", "a", "b", "c"}
    assert loaded(folder / "main.ttl", imports=str(folder / "lib")) == {"main", "a", "b", "c"}
    assert loaded((folder / "main.ttl").read_bytes(), imports=[folder / "lib"]) == {"main", "a", "b", "c"}
    assert loaded(folder / "main.ttl", imports=True) == {"main", "a", "b", "c"}
    store = ReasoningStore(rules="none", imports=folder)
    report = store.bulk_load(folder / "main.ttl")
    names = sorted(Path(file.source).name for file in report.files)
    assert names == ["main.ttl", "one.ttl", "three.nt", "two.owl"]
    # Each has a blank node of its own.
    assert len(set(Graph(store=store).objects(None, OWL.sameAs))) == 4


def test_what_is_imported_goes_to_the_graph_of_the_load(folder: Path) -> None:
    dataset = Dataset(store=ReasoningStore(rules="none"))
    dataset.store.bulk_load(folder / "main.ttl", graph="http://e/graph", imports=folder)  # type: ignore[attr-defined]  # the store is ours

    assert classes(dataset.graph(URIRef("http://e/graph"))) == {"main", "a", "b", "c"}


def test_a_malformed_import_is_an_error_and_nothing_is_loaded(folder: Path) -> None:
    (folder / "lib" / "three.nt").write_text(f"<{E}c/2> <{RDF.type}> <{OWL.Ontology}> .\n<{E}c/2> oops .\n")
    (folder / "lib" / "catalog-v001.xml").write_text(catalogue(f'<uri name="{E}c/2" uri="three.nt"/>'))
    store = ReasoningStore(rules="none")
    with pytest.raises(LoadError, match=r"three\.nt:2:"):
        store.bulk_load(folder / "main.ttl", imports=folder / "lib")

    assert len(store) == 0
    assert len(store.knowledge_base.dictionary) == len(ReasoningStore(rules="none").knowledge_base.dictionary)


def test_what_is_not_found_is_told_with_what_could_not_be_read(folder: Path) -> None:
    (folder / "main.ttl").write_text(ontology("main", "nowhere"))
    reason = r"missing: not in \S+lib, where broken.ttl cannot be read; the host 'e' is not"
    with pytest.warns(ImportsWarning, match=reason):
        loaded(folder / "main.ttl", imports=folder / "lib")
    with pytest.raises(LoadError, match="no such folder or catalogue"):
        loaded(folder / "main.ttl", imports=folder / "none")


def catalogue(*entries: str) -> str:
    """An XML catalogue."""
    return f'<?xml version="1.0"?>\n<catalog xmlns="{NAMESPACE}">{"".join(entries)}</catalog>'


class TestCatalogues:
    @pytest.mark.parametrize(
        "entry",
        [
            '<uri id="Imports Wizard Entry" name="http://e/far" uri="lib/near.ttl"/>',
            '<group prefer="public" xml:base="lib/"><uri name="http://e/far" uri="near.ttl"/></group>',
            '<rewriteURI uriStartString="http://" rewritePrefix="x/"/>'
            '<rewriteURI uriStartString="http://e/far" rewritePrefix="lib/near.ttl"/>',
            '<uriSuffix uriSuffix="/far" uri="lib/near.ttl"/>',
            '<nextCatalog catalog="none.xml"/><nextCatalog catalog="lib/more.xml"/>',
            '<delegateURI uriStartString="http://e/" catalog="lib/more.xml"/>',
        ],
    )
    def test_entries_lead_to_files(self, tmp_path: Path, entry: str) -> None:
        (tmp_path / "lib").mkdir()
        (tmp_path / "lib" / "near.ttl").write_text(ontology("near"))
        inner = '<nextCatalog catalog="../catalog-v001.xml"/><uri name="http://e/far" uri="near.ttl"/>'
        (tmp_path / "lib" / "more.xml").write_text(catalogue(inner))
        (tmp_path / "main.ttl").write_text(ontology("main", "far"))
        path = tmp_path / "catalog-v001.xml"
        path.write_text(catalogue(entry))

        for place in (path, tmp_path, True):
            assert loaded(tmp_path / "main.ttl", imports=place) == {"main", "near"}

    def test_a_catalogue_leads_out_of_its_folder_where_that_is_allowed_only(self, tmp_path: Path) -> None:
        inner = tmp_path / "inner"
        inner.mkdir()
        (tmp_path / "secret.ttl").write_text(ontology("secret"))
        (inner / "link.ttl").symlink_to(tmp_path / "secret.ttl")
        (inner / "main.ttl").write_text(ontology("main", "far"))
        for uri in ("../secret.ttl", (tmp_path / "secret.ttl").as_uri(), "link.ttl"):
            (inner / "catalog-v001.xml").write_text(catalogue(f'<uri name="http://e/far" uri="{uri}"/>'))
            with pytest.warns(ImportsWarning, match="files of its folder are not allowed"):
                assert loaded(inner / "main.ttl", imports=inner / "catalog-v001.xml") == {"main"}
            allowed = Access(folders=(tmp_path,))
            assert loaded(inner / "main.ttl", imports=inner, access=allowed) == {"main", "secret"}

    def test_an_entry_without_its_file_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "catalog-v001.xml").write_text(catalogue('<uri name="http://e/far" uri="none.ttl"/>'))
        with pytest.warns(ImportsWarning, match=r"catalog-v001.xml names file://\S+none.ttl: no such file"):
            loaded(ontology("main", "far").encode(), imports=tmp_path)

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("<catalog", r"catalog-v001\.xml:1: malformed catalogue"),
            ("", r"catalog-v001\.xml:1: malformed catalogue"),
            (f"<catalog>{'<group>' * 200}", "nested more than 100 deep"),
            ('<!DOCTYPE c [<!ENTITY a "b">]><catalog>&a;</catalog>', "it declares entities"),
            (f'<catalog xmlns="{NAMESPACE}"><uri name="x" uri="http://["/></catalog>', ":1: "),
        ],
    )
    def test_a_malformed_catalogue_is_an_error(self, tmp_path: Path, text: str, reason: str) -> None:
        (tmp_path / "catalog-v001.xml").write_text(text)
        with pytest.raises(LoadError, match=reason):
            loaded(ontology("main", "far").encode(), imports=tmp_path)


class TestServers:
    def test_they_are_followed_within_the_access(
        self, server: tuple[str, list[tuple[str, str | None]]], monkeypatch: pytest.MonkeyPatch  # noqa: F811  # a fixture
    ) -> None:
        host, asked = server
        base = f"http://{host}/"
        for name, *imports in (("x", "y"), ("y", "x", "none")):
            text = ontology(name, *imports, base=base)
            monkeypatch.setitem(CONTENT, f"/{name}", ("text/turtle", text.encode()))
        main = ontology("main", f"{base}x").encode()

        with pytest.warns(ImportsWarning, match=f"the host '{host}' is not allowed"):
            loaded(main, imports=())
        with pytest.warns(ImportsWarning, match="which is missing"):
            loaded(main, access=Access(hosts=(host,)))
        assert asked == []
        with pytest.warns(ImportsWarning, match=r"<http://\S+/y>: it imports <http://\S+/none>.*(404|Not Found)"):
            found = loaded(main, imports=(), access=Access(hosts=(host,)))

        assert found == {"main", f"{base}x", f"{base}y"}
        assert sorted(path for path, _ in asked) == ["/none", "/x", "/y"]

    def test_a_document_that_names_its_neighbours_by_files(self, tmp_path: Path) -> None:
        (tmp_path / "a.ttl").write_text(f"<> a <{OWL.Ontology}> ; <{OWL.imports}> <b.ttl> .")
        (tmp_path / "b.ttl").write_text(f"<{E}b#Class> a <{OWL.Class}> .")
        assert loaded(tmp_path / "a.ttl", tmp_path / "b.ttl") == {"b"}
        assert loaded(tmp_path / "a.ttl", imports=True) == {"b"}
        with pytest.warns(ImportsWarning, match="files of its folder are not allowed"):
            assert loaded(tmp_path / "a.ttl", imports=()) == set()


class TestCommandLine:
    ASK = ("query", "-q", f"ASK {{ <{E}b#Class> a <{OWL.Class}> }}", "--rules", "none")

    def test_a_missing_import_is_one_line(self, folder: Path) -> None:
        result = run(*self.ASK, str(folder / "main.ttl"))

        assert result.stdout == "false\n"
        assert result.stderr.startswith(f"kgreason: warning: {folder / 'main.ttl'}: it imports <http://e/a>")
        assert result.stderr.count("\n") == 1

    def test_options(self, folder: Path, tmp_path: Path) -> None:
        main = str(folder / "main.ttl")
        assert succeed(*self.ASK, main, "--no-imports") == "false\n"
        assert succeed(*self.ASK, main, "--imports", str(folder / "lib")) == "true\n"
        assert "4 files" in succeed("load", main, "--imports", str(folder), "-o", str(tmp_path / "encoded"))
        store = str(tmp_path / "store")
        assert "4 files" in succeed("add", store, main, "--imports", str(folder), "--rules", "none")
        assert "1 file" in succeed("add", store, main)
        refuse(2, "no such folder or catalogue", *self.ASK, main, "--imports", str(tmp_path / "none"))
        refuse(2, "exclude each other", *self.ASK, main, "--imports", str(folder), "--no-imports")

    def test_encoded_triples_import_as_files_do(self, folder: Path, tmp_path: Path) -> None:
        encoded = str(tmp_path / "encoded")
        succeed("load", str(folder / "main.ttl"), "--no-imports", "-o", encoded)
        assert succeed(*self.ASK, encoded, "--imports", str(folder / "lib")) == "true\n"
