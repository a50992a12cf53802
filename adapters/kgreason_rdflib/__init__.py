"""The rdflib plugin: a Store that reasons, and parsers that load into it in bulk.

* `store`: ReasoningStore, the `rdflib.store.Store`; its docstring says what each kind of graph shows.
* `reasoning`: what it has beyond rdflib's protocol: rules, the change feed, proofs, inconsistencies.
* `querying`: SPARQL as the store has it, with tables and plans; `sparql`: how it is done.
* `processors`: queries, updates and reasoning for graphs over any store, as plugins of rdflib.
* `change_graphs`: what a change added or removed, as an rdflib graph; `read_only_views`: graphs that only show.
* `graph_scopes`: from an rdflib graph to the explicit and inferred triples that it stands for.
* `contents`, on `content_reads`: the quads of a knowledge base, changed and read by rdflib terms;
  `generalised_triples`: which of them RDF does not allow.
* `graph_listing`, `graph_management`: which graphs there are; graphs made, copied and cleared as wholes.
* `graph_views`: what graphs show in a state, and with changes over it.
* `scope_snapshots`: what a scope shows in one state; `triple_rows`, `quad_rows`: from id columns to rdflib triples.
* `rdflib_terms`: the only border between rdflib's terms and kgreason's; `text_literals`: literals by their text.
  `term_border`: terms to ids, and ids to terms that are made once.
* `rdf_1_2_terms`: triple terms and base directions, for which rdflib has no classes.
* `parsers`, `serializers`: the formats ``kg-nt``, ``kg-turtle``, ...
* `checked_serializers`: rdflib's own for formats without such terms.
* `bulk_loading`, `branching`, `comparing`: files in, branches, and two stores compared.
* `configuration`: what a path, a URL or a mapping says of a store.
* `disk_transactions`: open, commit, rollback and close; `committed_names`: graphs and prefixes as settings.
* `whole_files`: files that appear whole or not at all.
* `notebook_cells`: what notebooks show of inconsistencies, differences, stores and answers.
* `packed_quads`: what is kept of a store in a pickle.
* `prefixes`: the namespace table; `events`: rdflib's events; `rdflib_tuning`: tuned constants.
"""

from __future__ import annotations

from rdflib.plugin import register
from rdflib.serializer import Serializer

from kgreason_rdflib.graph_scopes import EXPLICIT, INFERRED
from kgreason_rdflib.rdf_1_2_terms import DirectedLiteral, TripleTerm
from kgreason_rdflib.reasoning import Inconsistency
from kgreason_rdflib.store import ReasoningStore

__all__ = ["EXPLICIT", "INFERRED", "DirectedLiteral", "Inconsistency", "ReasoningStore", "TripleTerm"]

for _name, _class in (
    *(("xml", "CheckedXML"), ("application/rdf+xml", "CheckedXML"), ("pretty-xml", "CheckedPrettyXML")),
    *(("trix", "CheckedTriX"), ("application/trix", "CheckedTriX"), ("hext", "CheckedHextuples")),
    *(("json-ld", "CheckedJSONLD"), ("application/ld+json", "CheckedJSONLD")),
):
    register(_name, Serializer, "kgreason_rdflib.checked_serializers", _class)
