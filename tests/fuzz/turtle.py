"""Turtle: one LoadError, and the dictionary as it was; or quads that can be written as N-Quads and read again."""

from __future__ import annotations

import numpy as np

from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.io.readers import load_stream
from kgreason.rdf.model import BlankNode, Term
from tests.fuzz.target import Target, read_or_refused


def check(data: bytes) -> None:
    """As Turtle and as TriG."""
    for format in ("turtle", "trig"):
        found = read_or_refused(data, format)
        if found is None:
            continue
        dictionary, quads = found
        text = "".join(_line(dictionary, quads))
        again = load_stream(text.encode(), dictionary, format="nq").quads
        assert _shown(dictionary, again) == _shown(dictionary, quads)


def _terms(dictionary: Dictionary, quads: Quads) -> list[list[Term]]:
    columns = [quads.subject, quads.predicate, quads.object]
    rows = [[dictionary.decode(int(each)) for each in row] for row in np.array(columns).T]
    for row, graph in zip(rows, quads.graph.tolist(), strict=True):
        row += [] if graph == DEFAULT_GRAPH else [dictionary.decode(graph)]
    return rows


def _line(dictionary: Dictionary, quads: Quads) -> list[str]:
    return [" ".join(map(str, row)) + " .\n" for row in _terms(dictionary, quads)]


def _shown(dictionary: Dictionary, quads: Quads) -> list[str]:
    """The quads without the names of blank nodes, which each reading chooses."""
    rows = _terms(dictionary, quads)
    return sorted(" ".join("_" if isinstance(term, BlankNode) else str(term) for term in row) for row in rows)


TARGET = Target(
    "turtle",
    [
        b'@prefix ex: <http://e/> . @base <http://b/> .\nex:s a ex:C ; ex:p 1, 2.5, 1e3, true, "x"@en, """a\n"b""" .\n',
        b'PREFIX : <http://e/> BASE <http://b/>\n:s :p [ :q (1 "a"^^:t <rel> _:b) ; :r [] ] . _:b :p :\\~esc, :%41 .',
        b'@prefix ex: <http://e/> . ex:g { ex:s ex:p "\\u00e9\\U0001F600\\n" } GRAPH _:g { [] ex:p () } ex:s ex:p 1 .',
        "@prefix é: <http://é/> . é:ß é:p 'x', '''y''', \"\"\"z\\\"\"\"\" .".encode(),
    ],
    [
        *b"@prefix < > _: \"\"\" \'\'\' [ ] ( ) ; , ^^ @en \\u a << {| { } GRAPH -1.e5 \xff \xed\xa0\x80 \\ :".split(),
        b" .",
    ],
    check,
)
