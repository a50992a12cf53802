"""The part of `ReasoningStore` that loads files, directories and columns of quads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from rdflib.graph import Graph
from rdflib.store import Store
from rdflib.term import IdentifiedNode, Identifier, URIRef

from kgreason.access import Access
from kgreason.checkpoints import heeding
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import OptionError
from kgreason.io.quads import Quads
from kgreason.notebook_bar import notebook_bar
from kgreason_rdflib.configuration import several
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.graph_scopes import NamedGraph, Scopes
from kgreason_rdflib.prefixes import Prefixes

if TYPE_CHECKING:
    from kgreason.io.contents import Source
    from kgreason.io.imports import ImportsOption
    from kgreason.io.load_report import ChangeReport, Loaded, LoadReport
    from kgreason.io.parsed_documents import Progress


class Loading:
    """Adds many triples at once: all of a load, or nothing."""

    _contents: Contents
    _scopes: Scopes
    _prefixes: Prefixes
    access: Access
    imports: ImportsOption

    def bulk_load(
        self,
        *sources: Source,
        format: str | None = None,
        graph: Graph | IdentifiedNode | str | None = None,
        lenient: bool = False,
        progress: Progress | None = None,
        unfinished: bool = False,
        columns: Sequence[str] | None = None,
        terms: str | None = None,
        imports: ImportsOption = None,
    ) -> LoadReport:
        """Add what is in files, directories and streams to the default graph or to `graph`, all of it or nothing.

        A source is a path, a URL, bytes, or a stream of bytes or text, which is read to its end and left open. A zip
        archive, also in a stream, is read like a directory, and unpacked nowhere. A ``file:`` URL stands for its path;
        servers are reached within the store's `access`, as for LOAD, which is none unless the owner gave one.

        Formats are told from extensions (``.nt``, ``.nq``, ``.ttl``, ``.trig``, ``.rdf``, ``.owl``, ``.n3``,
        ``.jsonld``, ``.parquet``, also compressed), and from what a source begins with where its name tells none,
        unless `format` names one; a directory of encoded triples is read without parsing. Quads of named graphs stay in
        their graphs. `graph` by its name is a named graph, as if a Dataset loaded it. `lenient` skips malformed lines
        of N-Triples and N-Quads and whole documents that are malformed in other formats, and counts them in the report;
        `progress` is told of each source how many triples were read from it so far.

        A directory may be what a job of Spark or Hadoop left: its parts (``part-*``) are one document, in which a
        blank node label means the same everywhere, hidden files and ``_SUCCESS`` count as nothing, and what says that
        a job has not finished refuses the directory unless `unfinished`. Parquet has columns ``s``, ``p``, ``o``,
        ``g``, or ``subject``, ``predicate``, ``object``, ``graph``, or `columns`; its terms are those of N-Triples, or
        IRIs without brackets and so on (`terms`: "ntriples", "plain", or told by the first predicate).

        `imports` says what is done about ``owl:imports``, instead of what the store says. A folder, an XML catalogue
        (``catalog-v001.xml``), or several of these: ontologies are read from there, found by the catalogue or by the
        names in their headers, and so is what these import; True stands for the folders of the documents. Servers and
        other folders are reached within the store's `access`. Each document is read once, into the same graph. An
        ontology that is not found, or not looked for, is an `ImportsWarning`, unless the store has it already; with
        False there is none.

        Prefixes that the files declare are bound where prefix and namespace are free.

        Encoded triples and the directory with what ``kgreason spark materialise`` derived from them are given together,
        in any order. Into an empty store with the same rules they are loaded as explicit and inferred triples, at once,
        and nothing is derived again. Otherwise the report says why the second one is not used, and the store derives.

        N-Triples and N-Quads take about half a microsecond per triple, encoded ones 0.15, other formats three. What
        was added is maintained by the next read, as every change is.

        Raises:
            AccessError: a server that may not be reached. Nothing was added.
            LoadError: a file that cannot be read, or a job that has not finished; inferred triples without those that
                they follow from, or damaged. Nothing was added.
            BudgetError: reading takes longer, or what Spark derived is more, than the budget allows; nothing was added.
            OptionError: `graph` is neither a graph nor the name of one.
        """
        # Readers of files are imported when a file is first read, and with them Arrow and parsers of all formats.
        from kgreason.io.imports import Imports
        from kgreason.io.readers import gather_files

        sink = self._sink(graph)
        self._scopes.for_writing(sink)
        declared: dict[str, str] = {}
        # Other threads read on meanwhile.
        with notebook_bar("reading"), heeding(self._contents.knowledge.budget.reading()):
            gathered = gather_files(
                sources, format=format, unfinished=unfinished, lenient=lenient,
                progress=progress, columns=columns, terms=terms, prefixes=declared, access=self.access,
                imports=Imports.of(self.imports if imports is None else imports),
                knows=self._contents.knowledge.has_ontology,
            )
            report = self.load(gathered.into, sink)
        for prefix, namespace in declared.items():
            self._prefixes.bind(prefix, URIRef(namespace), override=False)
        return report

    def apply(
        self,
        added: Source | Sequence[Source] = (),
        removed: Source | Sequence[Source] = (),
        *,
        format: str | None = None,
        graph: Graph | IdentifiedNode | str | None = None,
        unfinished: bool = False,
        columns: Sequence[str] | None = None,
        terms: str | None = None,
    ) -> ChangeReport:
        """Take explicit triples away and add others, from files, as one change: all of it or nothing.

            store.apply(added="today/", removed="yesterday/")

        The sources are those of `bulk_load`, one or several, and so are the options. A triple without graph is taken
        from the default graph or from `graph`, and added there; what is added and removed stays or comes. A triple that
        is not there is none to remove. Everything is read before anything changes; the next read maintains it, once.

        Raises:
            AccessError, LoadError, BudgetError, OptionError: as for `bulk_load`. Nothing has changed.
            LoadError: also, if a triple to remove has a blank node: one of a file is none of the store's.
        """
        from kgreason.io.readers import gather_files

        with notebook_bar("reading"), heeding(self._contents.knowledge.budget.reading()):
            gone, come = (
                gather_files(
                    several(sources), format=format, unfinished=unfinished, columns=columns, terms=terms,
                    access=self.access,
                )
                for sources in (removed, added)
            )
            return self.apply_loaded(come.into, gone.into, graph)

    def apply_loaded(
        self,
        added: Callable[[Dictionary], Loaded],
        removed: Callable[[Dictionary], Loaded],
        graph: Graph | IdentifiedNode | str | None = None,
    ) -> ChangeReport:
        """Change what two functions load over the dictionary of `knowledge_base`, as `apply` does."""
        scope, target = self._scopes.for_writing(self._sink(graph))
        report, names = self._contents.apply(added, removed, target)
        if report.added.triples:
            self._scopes.written(scope)
        for name in names:
            self._scopes.register(name)
        return report

    def take_in(self, loaded: Loaded, graph: Graph | IdentifiedNode | str | None = None) -> LoadReport:
        """Add what was loaded over the dictionary of `knowledge_base`, as `bulk_load` does."""
        return self.load(lambda _: loaded, self._sink(graph))

    def load(self, load: Callable[[Dictionary], Loaded], sink: Graph | None = None) -> LoadReport:
        """Add what `load` reads into the store's dictionary, as `bulk_load` does."""
        scope, target = self._scopes.for_writing(sink)
        report, names = self._contents.take_in(load, target)
        self._scopes.written(scope)
        for name in names:
            self._scopes.register(name)
        return report

    def load_quads(self, quads: Quads, graph: Graph | IdentifiedNode | str | None = None) -> None:
        """Add quads over the dictionary of `knowledge_base`, as `bulk_load` does."""
        from kgreason.io.load_report import Loaded, LoadReport

        self.load(lambda _: Loaded(quads, LoadReport(())), self._sink(graph))

    def _sink(self, graph: Graph | IdentifiedNode | str | None) -> Graph | None:
        """The graph that a caller names.

        Raises:
            OptionError: neither a graph nor the name of one.
        """
        if graph is None or isinstance(graph, Graph):
            return graph
        return NamedGraph(store=cast("Store", self), identifier=_name_of(graph))


def _name_of(graph: object) -> IdentifiedNode:
    # rdflib would take the text of any term, and what is empty for no name.
    is_text = isinstance(graph, str) and not isinstance(graph, Identifier)
    if not graph or not (is_text or isinstance(graph, IdentifiedNode)):
        raise OptionError(f"graph={graph!r}", "graph", graph, expected="an IRI, a blank node or an rdflib Graph")
    return URIRef(cast("str", graph)) if is_text else cast("IdentifiedNode", graph)
