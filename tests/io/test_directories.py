"""Directories as other tools leave them: would catch a part that is another document, or an unfinished job loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError
from kgreason.io.encoded.encoded_writer import write_encoded
from kgreason.io.readers import read_stream
from kgreason.rdf.model import BlankNode
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from tests.directories_of_jobs import DIRECTORIES, TEXT, Directory, links, spark
from tests.facade import triples


def loaded(*paths: Path, unfinished: bool = False, format: str | None = None) -> tuple[int, int]:
    """How many triples and blank nodes a store has that loads paths."""
    base = KnowledgeBase("none")
    base.bulk_load(*paths, unfinished=unfinished, format=format)
    found = triples(base, base.all())
    return len(found), len({term for triple in found for term in triple if isinstance(term, BlankNode)})


@pytest.mark.parametrize("name", DIRECTORIES)
def test_directory_gives_its_triples_or_is_refused(name: str, tmp_path: Path) -> None:
    case = DIRECTORIES[name]
    directory = case.write(tmp_path / "out")

    if case.refused is None:
        assert loaded(directory) == (case.triples, case.nodes)
    else:
        base = KnowledgeBase("none")
        before = len(base.dictionary)
        with pytest.raises(LoadError, match=case.refused) as caught:
            base.bulk_load(directory)
        assert str(directory) in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(base.dictionary) == before
        if case.triples >= 0:
            assert "--unfinished" in str(caught.value)
            assert loaded(directory, unfinished=True) == (case.triples, case.nodes)


WHOLE = [name for name, case in DIRECTORIES.items() if case.lines_only and case.refused is None]


@pytest.mark.parametrize("name", WHOLE)
def test_format_given_gives_the_same(name: str, tmp_path: Path) -> None:
    case = DIRECTORIES[name]

    assert loaded(case.write(tmp_path / "out"), format="nq") == (case.triples, case.nodes)


def test_parts_named_one_by_one_are_one_document(tmp_path: Path) -> None:
    case = DIRECTORIES["text of Spark in gzip, with checksums"]
    directory = case.write(tmp_path / "out")

    assert loaded(*sorted(directory.glob("part-*"))) == (case.triples, case.nodes)


def test_partition_of_a_job_that_succeeded_is_read_alone(tmp_path: Path) -> None:
    case = Directory({"_SUCCESS": b"", f"dt=2026/{spark(0)}": links(0, 1).encode()})
    directory = case.write(tmp_path / "out")

    assert loaded(directory / "dt=2026") == (case.triples, case.nodes)
    (directory / "_SUCCESS").unlink()
    with pytest.raises(LoadError, match="_SUCCESS"):
        loaded(directory / "dt=2026")


def test_two_loads_of_a_job_make_new_blank_nodes(tmp_path: Path) -> None:
    directory = Directory(TEXT).write(tmp_path / "out")
    base = KnowledgeBase("none")

    for _ in range(2):
        base.bulk_load(directory)

    found = triples(base, base.all())
    assert len({term for triple in found for term in triple if isinstance(term, BlankNode)}) == 82
    assert len(found) == 120


def test_directory_of_no_names_is_read_whole_where_the_format_is_given(tmp_path: Path) -> None:
    files = {"a.txt": links(0, 2).encode(), "b": links(1, 2).encode(), "_c": b"oops"}
    directory = Directory(files).write(tmp_path / "out")

    with pytest.raises(LoadError, match="no RDF files"):
        loaded(directory)
    assert loaded(directory, format="nt")[0] == 80


def test_large_parts_are_one_document(tmp_path: Path) -> None:
    count = 20_000
    lines = [f"_:a{i} <http://e/p{i % 3}> _:a{i + 1} .\n".encode() for i in range(count)]
    files = {spark(part): b"".join(lines[part::4]) for part in range(4)} | {"_SUCCESS": b""}
    directory = Directory(files).write(tmp_path / "out")

    assert loaded(directory) == (count, count + 1)


def test_leftovers_in_a_directory_of_encoded_triples_refuse_it(tmp_path: Path) -> None:
    dictionary = Dictionary()
    quads = read_stream(b"<a:s> <a:p> <a:o> .", dictionary, format="nt")
    encoded = tmp_path / "encoded"
    write_encoded(encoded, dictionary, quads.subject, quads.predicate, quads.object, quads.graph, DEFAULT_GRAPH)
    (encoded / "_work-1").mkdir()

    for path in (encoded, tmp_path):
        with pytest.raises(LoadError, match="_work-1"):
            loaded(path)
        assert loaded(path, unfinished=True) == (1, 0)
