"""What the tests of the rdflib store share: stores under two rule sets, and the plugin names."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rdflib import plugin
from rdflib.parser import Parser
from rdflib.plugin import PluginException
from rdflib.store import Store

from kgreason import ReasoningStore

MakeStore = Callable[[], ReasoningStore]

PARSERS = {
    "kg-nt": "NTriplesParser",
    "kg-ntriples": "NTriplesParser",
    "kg-nq": "NQuadsParser",
    "kg-nquads": "NQuadsParser",
    "kg-ttl": "TurtleParser",
    "kg-turtle": "TurtleParser",
    "kg-trig": "TriGParser",
    "kg-xml": "RDFXMLParser",
    "kg-n3": "N3Parser",
    "kg-jsonld": "JSONLDParser",
    "kg-json-ld": "JSONLDParser",
}


def pytest_configure() -> None:
    """Tests also run from a source tree that is not installed, where there are no entry points."""
    _register("kgreason", Store, "kgreason_rdflib.store", "ReasoningStore")
    for name, parser in PARSERS.items():
        _register(name, Parser, "kgreason_rdflib.parsers", parser)


def _register(name: str, kind: type, module: str, class_name: str) -> None:
    try:
        plugin.get(name, kind)
    except PluginException:
        plugin.register(name, kind, module, class_name)


@pytest.fixture(params=["none", "owl-rl"])
def make_store(request: pytest.FixtureRequest) -> MakeStore:
    """Makes empty stores, without rules and with the default rules."""
    if request.param == "none":
        return lambda: ReasoningStore(rules="none")
    return plugin.get("kgreason", Store)
