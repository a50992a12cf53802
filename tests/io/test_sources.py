"""Streams, bytes, URLs of files and zip archives: would catch content that is read otherwise than the same content in a
file, and an archive that reaches out of itself or fills the memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from kgreason import ReasoningStore
from kgreason.errors import LoadError
from kgreason.store.knowledge_base import KnowledgeBase
from tests.thresholds import replaced_constants

TURTLE = "@prefix e: <http://e/> .\ne:s e:p e:o, 'ü' .\n"
NTRIPLES = "<http://e/s> <http://e/p> <http://e/o> .\n"
RDFXML = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
    '<rdf:Description rdf:about="http://e/s"><e:p rdf:resource="http://e/o"/></rdf:Description></rdf:RDF>'
)
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: pyarrow.compress(data, "zstd", asbytes=True),
}


def loaded(*sources: object, **options: object) -> set[tuple[str, ...]]:
    """The triples of some sources, as texts."""
    base = KnowledgeBase("none")
    base.bulk_load(*sources, **options)  # type: ignore[arg-type]  # options of any type
    chunks = base.all().match(None, None, None)
    rows = (row for chunk in chunks for row in zip(*(column.tolist() for column in chunk), strict=True))
    return {tuple(str(base.dictionary.decode(term)) for term in row) for row in rows}


def zipped(members: dict[str, bytes | str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


class OnlyRead:
    """A stream that has no more than `read`, and gives less than asked for."""

    def __init__(self, data: bytes) -> None:
        self._stream = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self._stream.read(min(size, 7) if size > 0 else size)


@pytest.mark.parametrize("text", [TURTLE, NTRIPLES, RDFXML], ids=["turtle", "ntriples", "rdfxml"])
@pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS.keys())
def test_bytes_and_streams_are_read_as_a_file_is(tmp_path: Path, text: str, compress: Callable[[bytes], bytes]) -> None:
    data = compress(text.encode())
    (tmp_path / "data").write_bytes(data)
    expected = loaded(tmp_path / "data")
    assert expected

    for source in (data, bytearray(data), memoryview(data), io.BytesIO(data), OnlyRead(data), OnlyRead(data)):
        assert loaded(source) == expected
    with (tmp_path / "data").open("rb") as stream:
        assert loaded(stream) == expected
        assert not stream.closed
    assert loaded((tmp_path / "data").as_uri()) == expected


def test_text_has_no_encoding() -> None:
    assert loaded(io.StringIO(TURTLE)) == loaded(TURTLE.encode())


def test_a_stream_is_read_from_where_it_is(tmp_path: Path) -> None:
    stream = io.BytesIO(b"not RDF" + NTRIPLES.encode())
    stream.seek(7)

    assert loaded(stream) == loaded(NTRIPLES.encode())


def test_a_pipe_is_read_to_its_end() -> None:
    reading, writing = os.pipe()

    def write() -> None:
        with open(writing, "wb") as stream:
            stream.write(gzip.compress(NTRIPLES.encode() * 1000))

    thread = threading.Thread(target=write)
    thread.start()
    with open(reading, "rb") as stream:
        assert loaded(stream) == loaded(NTRIPLES.encode())
    thread.join()


def test_a_format_holds_for_streams_and_a_name_tells_one(tmp_path: Path) -> None:
    text = "<s> <p> <o> ."
    with pytest.raises(LoadError, match="argument 1"):
        loaded(text.encode(), format="nt")
    (tmp_path / "data.nt").write_text(text)
    with (tmp_path / "data.nt").open("rb") as stream, pytest.raises(LoadError, match=r"data\.nt:1"):
        loaded(stream)


def tar_of(text: str) -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as members:
        member = tarfile.TarInfo("data.nt")
        member.size = len(text)
        members.addfile(member, io.BytesIO(text.encode()))
    return archive.getvalue()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"<http://e/s> <http://e/p> <http://e/o> .\n<http://e/s> <http://e/p> .\n", r"argument 2 \(bytes\):2"),
        (io.BytesIO(b"@prefix e: <http://e/> .\ne:s e:p e:o\n"), r"argument 2 \(stream\):"),
        (b"", r"argument 2 \(bytes\): .*nothing in it"),
        (b"hello world", r"argument 2 \(bytes\): .*none begins with 'hello world'"),
        (tar_of(NTRIPLES), r"argument 2 \(bytes\): a tar archive"),
        (gzip.compress(tar_of(NTRIPLES)), r"argument 2 \(bytes\): a tar archive"),
        (gzip.compress(NTRIPLES.encode())[:-4], r"argument 2 \(bytes\): cannot be read"),
        (b"@prefix e: <http://e/> .\n\ne:s e:p << e:s e:p >> .", r"argument 2 \(bytes\):3:"),
        ("file:///no/such/file.ttl", r"/no/such/file.ttl: no such file"),
        ("file://elsewhere/file.ttl", r"not a file of this machine"),
        ("file://[/file.ttl", r"not an address"),
    ],
    ids=["line", "breaks-off", "empty", "no-rdf", "tar", "tar-gz", "cut", "rdf-star", "no-file", "elsewhere", "no-url"],
)
def test_malformed_content_is_named_and_nothing_is_loaded(source: object, reason: str) -> None:
    base = KnowledgeBase("none")
    with pytest.raises(LoadError, match=reason):
        base.bulk_load(NTRIPLES.encode(), source)  # type: ignore[arg-type]  # what is refused

    assert len(base.all()) == 0
    assert len(base.dictionary) == len(KnowledgeBase("none").dictionary)


def test_empty_path_is_not_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data.nt").write_text(NTRIPLES)
    monkeypatch.chdir(tmp_path)
    base = KnowledgeBase("none")

    with pytest.raises(LoadError, match="argument 2: an empty path"):
        base.bulk_load("data.nt", "")

    assert len(base.all()) == 0


def test_what_is_no_source_is_a_type_error() -> None:
    for source in (1, None, object()):
        with pytest.raises(TypeError, match="argument 1 is of type"):
            loaded(source)
    with pytest.raises(TypeError, match="a stream gave int"):
        loaded(type("Numbers", (), {"read": lambda self, size: 1})())


def test_list_of_sources_and_text_are_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="several sources are several arguments"):
        loaded(["data.nt"])
    for text in (NTRIPLES, "@prefix : <a:> . :a :b :c .", "PREFIX : <a:> :a :b :c .", ' {"@id": "a:a"}', "x\n" * 300):
        with pytest.raises(LoadError, match=r"argument 1 is text, not a path \(expected text as bytes"):
            loaded(text)
    for path in ("none.ttl", "x" * 300, "\0"):
        with pytest.raises(LoadError, match="no such file"):
            loaded(path)


def test_remote_context_is_not_fetched_and_said_so() -> None:
    with pytest.raises(LoadError, match="contexts are not fetched"):
        loaded(b'{"@context": "https://schema.org/", "@id": "http://a", "name": "c"}')


def test_what_a_stream_raises_leaves_the_store_as_it_was() -> None:
    class Broken:
        def read(self, size: int = -1) -> bytes:
            raise RuntimeError("mine")

    store = ReasoningStore(rules="none")
    with pytest.raises(RuntimeError, match="mine"):
        store.bulk_load(NTRIPLES.encode(), Broken())  # type: ignore[arg-type]  # what is refused
    assert len(store.explicit) == 0


class TestArchives:
    MEMBERS = {
        "a/one.ttl": TURTLE,
        "b/two.nt.gz": gzip.compress(b"<http://e/s> <http://e/p> <http://e/two> .\n"),
        "README.md": "nothing",
        "__MACOSX/a/._one.ttl": b"\x00\x05",
    }

    def test_an_archive_is_read_like_a_directory(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(io.BytesIO(zipped(self.MEMBERS))) as archive:
            archive.extractall(tmp_path / "unpacked")
        expected = loaded(tmp_path / "unpacked")
        assert len(expected) == 3
        for name in ("data.zip", "download"):
            (tmp_path / name).write_bytes(zipped(self.MEMBERS))
            assert loaded(tmp_path / name) == expected
        data = zipped(self.MEMBERS)
        assert loaded(data) == loaded(io.BytesIO(data)) == loaded(OnlyRead(data)) == expected

    def test_parts_of_a_job_share_their_blank_nodes(self, tmp_path: Path) -> None:
        part = "_:b <http://e/p> <http://e/{}> .\n"
        data = zipped({f"out/part-0000{n}": part.format(n) for n in (0, 1)} | {"out/_SUCCESS": ""})

        assert len({subject for subject, *_ in loaded(data)}) == 1
        with pytest.raises(LoadError, match="has not finished"):
            loaded(zipped({"out/part-00000": part}))

    def test_a_table_in_an_archive_and_in_a_stream(self, tmp_path: Path) -> None:
        rows = {"s": ["<http://e/s>"], "p": ["<http://e/p>"], "o": ["<http://e/o>"]}
        parquet.write_table(pyarrow.table(rows), tmp_path / "data.parquet")
        data = (tmp_path / "data.parquet").read_bytes()

        expected = loaded(NTRIPLES.encode())
        assert loaded(zipped({"data.parquet": data})) == loaded(data) == loaded(OnlyRead(data)) == expected
        with pytest.raises(LoadError, match=r"x\.parquet: not readable as Parquet"):
            loaded(zipped({"x.parquet": data[:-9]}))

    def test_relative_iris_are_below_the_archive(self, tmp_path: Path) -> None:
        (tmp_path / "data.zip").write_bytes(zipped({"a b/one.ttl": "<> <http://e/p> <two> ."}))
        (row,) = loaded(tmp_path / "data.zip")

        assert row[0] == f"<{(tmp_path / 'data.zip').as_uri()}/a%20b/one.ttl>"
        assert row[2] == f"<{(tmp_path / 'data.zip').as_uri()}/a%20b/two>"

    @pytest.mark.parametrize("name", ["../evil.ttl", "/etc/evil.ttl", "a\\..\\evil.ttl", "x/../../evil.ttl"])
    def test_a_name_leads_nowhere(self, tmp_path: Path, name: str) -> None:
        folder = tmp_path / "inner"
        folder.mkdir()
        (folder / "data.zip").write_bytes(zipped({name: TURTLE}))
        before = sorted(tmp_path.rglob("*"))

        if ".." in name.split("/"):
            with pytest.raises(LoadError, match="no RDF files in the archive"):
                loaded(folder / "data.zip")
            return
        assert loaded(folder / "data.zip") == loaded(TURTLE.encode())
        assert sorted(tmp_path.rglob("*")) == before
        (folder / "data.zip").write_bytes(zipped({name: "oops"}))
        with pytest.raises(LoadError, match=r"data\.zip.*evil\.ttl"):
            loaded(folder / "data.zip")

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (zipped({"a.ttl": TURTLE, "b.nt": "<http://e/s> .\n"}), r"data\.zip/b\.nt:1:"),
            (zipped({"a.txt": "nothing"}), r"data\.zip: there are no RDF files in the archive"),
            (zipped({}), r"data\.zip: there are no RDF files in the archive"),
            (zipped({"a.ttl": TURTLE})[:-10], r"data\.zip: not readable as a zip archive"),
            (b"no archive", r"data\.zip: not readable as a zip archive"),
            (zipped({"a.ttl": TURTLE}, 0).replace(b"e:s", b"e:S"), r"data\.zip/a\.ttl: cannot be read: Bad CRC"),
            (zipped({"e/manifest.json": "{}", "e/triples/x.parquet": "", "e/dictionary/y": ""}), "encoded triples"),
        ],
        ids=["malformed", "no-rdf", "empty", "cut", "no-archive", "checksum", "encoded"],
    )
    def test_what_is_wrong_is_named(self, tmp_path: Path, data: bytes, reason: str) -> None:
        (tmp_path / "data.zip").write_bytes(data)
        base = KnowledgeBase("none")
        with pytest.raises(LoadError, match=reason):
            base.bulk_load(NTRIPLES.encode(), tmp_path / "data.zip")
        assert len(base.all()) == 0

    def test_an_encrypted_member_is_named(self, tmp_path: Path) -> None:
        data = bytearray(zipped({"a.ttl": TURTLE}))
        for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            data[data.index(magic) + offset] |= 1
        with pytest.raises(LoadError, match=r"a\.ttl: cannot be read: it is encrypted"):
            loaded(bytes(data))

    @pytest.mark.parametrize("inner", ["plain", "gzip"])
    def test_a_bomb_ends_at_the_limit(self, inner: str) -> None:
        lines = b"# nothing at all, many times over\n" * 30_000
        member = {"bomb.nt": lines} if inner == "plain" else {"bomb.nt.gz": gzip.compress(lines)}
        data = zipped(member)
        assert loaded(zipped({"a.nt": NTRIPLES, **member})) == loaded(NTRIPLES.encode())
        with (
            replaced_constants(DECOMPRESSED_LEAST=1000, DECOMPRESSED_RATIO=2),
            pytest.raises(LoadError, match=r"bomb.nt\S*: it decompresses to more than"),
        ):
            loaded(data)
