"""Parser plugins on pyoxigraph: ``kg-nt``, ``kg-nquads``, ``kg-turtle``, ``kg-trig``, ``kg-xml``, ...

Into a graph over a ReasoningStore they load in bulk and without one rdflib term being made: some ten times
faster than rdflib's own parsers, and all or nothing, where those leave what they read before an error. Into
any other graph they add what they read at once. Blank nodes get fresh labels, as with rdflib's parsers;
language tags keep their spelling.
"""

from __future__ import annotations

from io import StringIO
from typing import Any, BinaryIO, ClassVar, cast

from rdflib.exceptions import ParserError
from rdflib.graph import Graph
from rdflib.parser import InputSource, Parser

from kgreason.checkpoints import heeding
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError
from kgreason.io.gathered import Gathered
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.io.readers import gather_stream
from kgreason_rdflib.store import ReasoningStore
from kgreason_rdflib.term_border import TermBorder


class BulkParseError(LoadError, ParserError):
    """A malformed source, for those who catch kgreason's errors and for those who catch rdflib's."""


class BulkParser(Parser):
    """Parses one format; the subclasses only name it."""

    format: ClassVar[str]

    def parse(self, source: InputSource, sink: Graph, encoding: str | None = "utf-8") -> None:
        """Add what is in `source` to `sink`, and quads with a graph name to that graph.

        Raises:
            BulkParseError: malformed, or not in UTF-8; into a ReasoningStore nothing was added.
            BudgetError: reading takes longer than the budget of a ReasoningStore allows; nothing was added.
        """
        name = source.getSystemId() or "data"
        if encoding not in (None, "utf-8"):
            raise BulkParseError(f"the encoding {encoding}", path=name, expected="UTF-8")
        base = str(sink.absolutize(source.getPublicId() or source.getSystemId() or "")) or None
        prefixes: dict[str, str] = {}

        def gathered() -> Gathered:
            return gather_stream(_bytes_of(source), format=self.format, base=base, source=name, prefixes=prefixes)

        try:
            if isinstance(sink.store, ReasoningStore):
                with heeding(sink.store.budget.reading()):
                    read = gathered()  # before other threads have to wait
                    sink.store.load(read.into, sink)
            else:
                _load_terms(gathered(), sink)
        except LoadError as error:
            raise BulkParseError.like(error) from None
        for prefix, namespace in prefixes.items():
            sink.bind(prefix, namespace)


class NTriplesParser(BulkParser):
    format = "nt"


class NQuadsParser(BulkParser):
    format = "nq"


class TurtleParser(BulkParser):
    format = "ttl"


class TriGParser(BulkParser):
    format = "trig"


class RDFXMLParser(BulkParser):
    format = "rdf"


class N3Parser(BulkParser):
    format = "n3"


class JSONLDParser(BulkParser):
    format = "jsonld"


def _bytes_of(source: InputSource) -> BinaryIO | bytes:
    text, stream = source.getCharacterStream(), source.getByteStream()
    if stream is None or isinstance(text, StringIO):  # of which rdflib's stream of bytes refuses lone surrogates
        return b"" if text is None else text.read().encode("utf-8", "surrogatepass")
    return cast(BinaryIO, stream)


def _load_terms(gathered: Gathered, sink: Graph) -> None:
    dictionary = Dictionary()
    border = TermBorder(dictionary)
    quads = gathered.into(dictionary).quads
    contexts: dict[int, Graph] = {DEFAULT_GRAPH: sink}
    for name in set(quads.graph.tolist()) - contexts.keys():
        contexts[name] = Graph(store=sink.store, identifier=border.name(name))
    columns = (border.decode(column) for column in (quads.subject, quads.predicate, quads.object))
    rows = zip(*columns, map(contexts.__getitem__, quads.graph.tolist()), strict=True)
    sink.store.addN(cast(Any, rows))
