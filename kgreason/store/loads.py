"""Quads from files on their way into a knowledge base: queued, or with all that follows from them taken over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kgreason.columns import bitmaps
from kgreason.engine.adoption import GivenFactsError
from kgreason.engine.facts import Facts
from kgreason.errors import LoadError
from kgreason.io.inferred_quads import Inferred
from kgreason.io.load_report import ChangeReport, Loaded, LoadReport
from kgreason.io.ontology_headers import ONTOLOGY, VERSION
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.rdf.keys import BLANK_KIND
from kgreason.relations.codes import class_code, property_code
from kgreason.store.current_state import CurrentState
from kgreason.store.given_closures import Materialised, unfit_reason
from kgreason.store.rule_descriptions import Descriptions
from kgreason.store.rule_warnings import warn_of_rules
from kgreason.store.state import Tables
from kgreason.store.state_changes import take_over as state_with


def take_in(current: CurrentState, loaded: Loaded, graph: int) -> LoadReport:
    """Queue quads, or take over what follows from them where that is known; see `KnowledgeBase.take_in`."""
    warn_of_rules(loaded, current)
    quads, report = loaded.quads.without_default(graph), loaded.report
    with current.lock:
        digest, notes = current.state.program.rules.digest if loaded.inferred else "", []
        for inferred in loaded.inferred:
            reason = unfit_reason(inferred, digest, is_empty(current))
            if reason is None:
                _take_over_inferred(current, quads, inferred)
                return report
            notes.append(f"{inferred.directory}: not used, because {reason}; what follows is derived again")
        current.queue_many((quads, Quads.empty()))
    return replace(report, notes=(*report.notes, *notes))


def apply(current: CurrentState, added: Loaded, removed: Loaded, graph: int) -> ChangeReport:
    """Queue a removal and an addition as one change; see `KnowledgeBase.apply`."""
    _refuse_blank_nodes(removed, current)
    warn_of_rules(added, current)
    notes = tuple(f"{each.directory}: not used in a change; what follows is derived" for each in added.inferred)
    with current.lock:
        current.queue_many((added.quads.without_default(graph), removed.quads.without_default(graph)))
    return ChangeReport(replace(added.report, notes=(*added.report.notes, *notes)), removed.report)


def _refuse_blank_nodes(removed: Loaded, current: CurrentState) -> None:
    quads = removed.quads
    for column in (quads.subject, quads.object, quads.graph[quads.graph != DEFAULT_GRAPH]):
        ids = bitmaps.distinct(column)
        if (current.dictionary.kinds(ids) == BLANK_KIND).any():
            files = removed.report.files
            raise LoadError(
                "a triple with a blank node cannot be removed: a blank node of a file is none of the store's",
                path=files[0].source if len(files) == 1 else None,
            )


def is_empty(current: CurrentState) -> bool:
    """Whether no triple is asserted, nor queued to be."""
    return not (current.buffer or current.state.graphs)


def has_ontology(current: CurrentState, iri: str) -> bool:
    """Whether an ontology of this name, or of this version, is asserted, or queued to be."""
    lookup = current.dictionary.lookup_key
    name, ontology, version = (lookup(key) for key in (iri, ONTOLOGY, VERSION))
    if name is None or (ontology is None and version is None):
        return False
    with current.lock:
        buffer = current.buffer
        singles = (quad[1:] for quad, is_added in buffer.singles.items() if is_added)
        if any((s, o) == (name, ontology) or (p, o) == (version, name) for s, p, o in singles):
            return True
        steps = (added for added, _ in buffer.steps)
        return any(_queued(added, name, ontology, version) for added in steps) or any(
            _says(facts, name, ontology, version) for _, facts in current.state.graphs.items()
        )


def _queued(added: Quads, name: int, ontology: int | None, version: int | None) -> bool:
    is_named = (added.subject == name) & (added.object == (-1 if ontology is None else ontology))
    is_version = (added.object == name) & (added.predicate == (-1 if version is None else version))
    return bool(is_named.any() or is_version.any())


def _says(facts: Facts, name: int, ontology: int | None, version: int | None) -> bool:
    named = None if ontology is None else facts.get(class_code(ontology))
    versions = None if version is None else facts.get(property_code(version))
    return bool(named and named.has((name,))) or bool(versions and len(versions.select({1: name})[0]))


def take_over(current: CurrentState, quads: Quads, given: Callable[[Tables], Tables]) -> None:
    """Have explicit quads, where there are none yet, and all facts that `given` gives for them by relation."""
    with current.lock:
        current.check_open()
        current.change(
            [(quads, Quads.empty())],
            lambda: state_with(current.state, quads, given, current.configuration, current.budget),
        )


def _take_over_inferred(current: CurrentState, quads: Quads, inferred: Inferred) -> None:
    state, dictionary = current.state, current.dictionary
    relations = state.program.relations(dictionary)
    materialised = Materialised(inferred, dictionary, relations, current.configuration.type_id)
    try:
        take_over(current, quads, materialised.tables)
    except GivenFactsError as error:
        name = Descriptions(state.program, dictionary).relation(error.code)
        raise LoadError(f"what is there of {name} is not what follows", path=inferred.directory) from None
