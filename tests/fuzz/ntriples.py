"""N-Triples and N-Quads: what the vectorised reader accepts or refuses, pyoxigraph accepts or refuses."""

from __future__ import annotations

from kgreason.io.ntriples_blocks import Block, Reading, read_block
from tests.fuzz.target import Target
from tests.io.test_ntriples import QUADS, TRICKY, TRIPLES, same_verdict


def check(data: bytes) -> None:
    """Both readings, strict and lenient."""
    same_verdict(data, TRIPLES)
    same_verdict(data, QUADS)
    assert isinstance(read_block(data, Reading(True, "", lenient=True)), Block)


TARGET = Target(
    "ntriples",
    [
        *TRICKY,
        b'<http://e/a> <http://e/p> "text\\u00e9\\n"@en-GB .\n_:a <a:p> _:b.c <a:g> . # end\n\n# comment\r\n'
        b'<a:s> <a:p> "1"^^<http://www.w3.org/2001/XMLSchema#int> .\n',
    ],
    [*b'<a:b> _: " \\u \\U0001F600 @en ^^ .\n # \\ <<( \xc3\xa9'.split(b" "), b" .", b"\r"],
    check,
)
