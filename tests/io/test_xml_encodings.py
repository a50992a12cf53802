"""Would catch RDF/XML that is refused, or read as other characters, since it is not in UTF-8, which XML allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason import LoadError, ReasoningStore

DOCUMENT = """<?xml version="1.0" encoding="{}"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">
 <rdf:Description rdf:about="http://e/a"><e:p xml:lang="fr-CA">{}</e:p></rdf:Description>
</rdf:RDF>"""


def values(content: bytes | str) -> list[tuple[str, str | None]]:
    """The literals of a document."""
    store = ReasoningStore(rules="none")
    store.bulk_load(content)
    return [(str(value), value.language) for value in store.explicit.objects()]


@pytest.mark.parametrize("length", [1, 1000, 100_000])
@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("UTF-8", "é"), ("ISO-8859-1", "é"), ("iso8859-15", "€"), ("windows-1252", "€"), ("UTF-16", "é𝄞"),
        ("UTF-16LE", "é𝄞"), ("UTF-16BE", "日"), ("Shift_JIS", "日"), ("gb18030", "日"), ("US-ASCII", "e"),
    ],
)  # fmt: skip
def test_text_is_that_of_the_encoding(encoding: str, text: str, length: int, tmp_path: Path) -> None:
    content = DOCUMENT.format(encoding, text * length).encode(encoding)
    (tmp_path / "a.rdf").write_bytes(content)
    (tmp_path / "a.owl").write_bytes(content)

    for given in (content, str(tmp_path / "a.rdf"), str(tmp_path / "a.owl")):
        assert values(given) == [(text * length, "fr-CA")]


@pytest.mark.parametrize("length", [1, 70_000])
def test_line_ends_are_line_feeds(length: int) -> None:
    text = "one\r\ntwo\rthree\n\r\r\n&#13;" * length
    expected = "one\ntwo\nthree\n\n\n\r" * length
    content = DOCUMENT.format("UTF-8", text).replace(">\n", ">\r\n").encode()
    for offset in range(3):
        padding = b" " * offset + b"\r\n"
        assert values(content.replace(b"<rdf:Desc", padding + b"<rdf:Desc")) == [(expected, "fr-CA")]


@pytest.mark.parametrize(
    ("encoding", "actual", "reason"),
    [
        ("nonsense", "utf-8", "the encoding nonsense is unknown"), ("zlib", "utf-8", "the encoding zlib is unknown"),
        ("US-ASCII", "latin-1", "it is not in ascii, as it declares"),
        ("cp932", "latin-1", "it is not in cp932, as it declares"), ("UTF-8", "latin-1", "UTF-8|not well-formed"),
    ],
)  # fmt: skip
def test_document_in_another_encoding_than_it_declares_is_refused(encoding: str, actual: str, reason: str) -> None:
    with pytest.raises(LoadError, match=reason):
        values(DOCUMENT.format(encoding, "é").encode(actual))


def test_byte_order_mark_is_stronger_than_what_is_declared() -> None:
    assert values(DOCUMENT.format("UTF-8", "é").encode("utf-16")) == [("é", "fr-CA")]
