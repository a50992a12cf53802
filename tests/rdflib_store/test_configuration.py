"""Stores from configurations. An option that is dropped, or a misspelt key that is ignored, would be caught here."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from rdflib import RDF, RDFS, Graph, Namespace

from kgreason import Access, Budget, ReasoningStore
from kgreason.errors import KGReasonError, LoadError, OptionError
from kgreason_rdflib.configuration import Configuration

EX = Namespace("http://example.org/")
DOGS = [(EX.Dog, RDFS.subClassOf, EX.Animal), (EX.rex, RDF.type, EX.Dog)]


def holds(store: ReasoningStore) -> bool:
    """Whether what rdfs9 gives is there."""
    return (EX.rex, RDF.type, EX.Animal) in Graph(store=store)


def with_dogs(store: ReasoningStore) -> ReasoningStore:
    for triple in DOGS:
        Graph(store=store).add(triple)
    return store


@pytest.mark.parametrize(
    ("url", "mapping"),
    [
        ("kgreason:", {}),
        ("kgreason:?rules=rdfs", {"rules": "rdfs"}),
        ("kgreason:a/b?rules=rdfs&rules=none", {"path": "a/b", "rules": ["rdfs", "none"]}),
        ("kgreason:///a%3Fb%20c?create=true&read_only=false", {"path": "/a?b c", "create": True, "read_only": False}),
        ("kgreason:/a?strict=true&schemes=plain&strategy=modular",
         {"path": "/a", "strict": True, "schemes": "plain", "strategy": "modular"}),
        ("kgreason:?access.hosts=a.org&access.hosts=b.org&access.folders=data&access.seconds=1.5",
         {"access": {"hosts": ["a.org", "b.org"], "folders": "data", "seconds": 1.5}}),
        ("kgreason:?budget.facts=10&budget.seconds=2&imports=folder", {"budget": {"facts": 10, "seconds": 2},
                                                                       "imports": "folder"}),
        ("kgreason:?imports=false", {"imports": False}),
    ],
)  # fmt: skip
def test_a_url_says_the_same_as_a_mapping(url: str, mapping: dict[str, Any]) -> None:
    assert Configuration.of(url) == Configuration.of(mapping)
    assert Configuration.of(json.loads(json.dumps(mapping))) == Configuration.of(mapping)


def test_parts_become_what_the_constructor_takes() -> None:
    found = Configuration.of({"access": {"hosts": ["a.org"], "folders": "data"}, "budget": {"facts": 3}})
    assert found.access == Access(hosts=("a.org",), folders=("data",))
    assert found.budget == Budget(facts=3)
    assert Configuration.of({"access": found.access, "budget": found.budget}) == found


@pytest.mark.parametrize("path", ["store", "rules=owl-rl;path=x", "./kgreason:x?rules=no", "/a b?c=d"])
def test_everything_else_is_a_path(path: str) -> None:
    assert Configuration.of(path) == Configuration(Path(path))
    assert Configuration.of(Path(path)) == Configuration(Path(path))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rule": "rdfs"}, r"a configuration has no 'rule' \(expected 'rules'\)"),
        ({"readonly": True}, r"no 'readonly' \(expected 'read_only'\)"),
        ({"zzz": 1}, r"no 'zzz' \(expected path, create, read_only, rules, "),
        ({"access": {"host": "a"}}, r"access has no 'host' \(expected 'hosts'\)"),
        ({"access": "a.org"}, r"access cannot be 'a.org' \(expected a mapping of hosts, folders"),
        ({"access": {"hosts": [1]}}, r"access.hosts cannot be"),
        ({"budget": {"facts": "many"}}, r"budget.facts cannot be 'many' \(expected a number\)"),
        ({"budget": {"facts": -1}}, r"a budget of -1 facts"),
        ({"create": "yes"}, r"create cannot be 'yes' \(expected true or false\)"),
        ({"rules": 7}, r"rules cannot be '7'"),
        ({"imports": 7}, r"imports cannot be '7'"),
        ({"path": ""}, r"path cannot be '' \(expected a path\)"),
        ("", r"path cannot be ''"),
        ({"schemes": 1}, r"schemes cannot be '1'"),
        ("kgreason://host/path", r"'host' is a host \(expected kgreason:///PATH"),
        ("kgreason:?rules", r"is not a URL"),
        ("kgreason:?access=a&access.hosts=b", r"access is said in two ways"),
        ("kgreason:?access.hosts=b&access=a", r"access is said in two ways"),
        ("kgreason:?rulez=rdfs", r"no 'rulez' \(expected 'rules'\)"),
    ],
)
def test_a_mistake_is_named(given: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ReasoningStore().open(given, create=True)


def test_a_store_in_memory_from_a_toml_file() -> None:
    settings = tomllib.loads('[store]\nrules = ["rdfs"]\naccess = {hosts = ["example.org"]}\nbudget = {facts = 100}\n')

    store = with_dogs(ReasoningStore(settings["store"]))

    assert holds(store)
    assert store.access == Access(hosts=("example.org",))
    assert store.budget == Budget(facts=100)
    assert not holds(with_dogs(ReasoningStore({"rules": "none"})))


def test_a_graph_is_opened_by_a_configuration() -> None:
    graph = Graph("kgreason")
    graph.open("kgreason:?rules=none")  # type: ignore[no-untyped-call, unused-ignore]
    assert not holds(with_dogs(graph.store))  # type: ignore[arg-type]  # the store is ours


def test_a_directory_keeps_its_rules_until_a_configuration_has_others(tmp_path: Path) -> None:
    place = str(tmp_path / "store")
    with with_dogs(ReasoningStore({"path": place, "create": True, "rules": "none", "schemes": "plain"})) as store:
        assert not holds(store)
    with ReasoningStore(place) as store:
        assert not holds(store)
    with ReasoningStore(f"kgreason://{place}?rules=rdfs&read_only=true") as store:
        assert holds(store)
    graph = Graph("kgreason")
    graph.open({"path": place, "rules": "rdfs"})  # type: ignore[arg-type]  # rdflib declares text alone
    assert holds(graph.store)  # type: ignore[arg-type]  # the store is ours
    graph.close()
    with ReasoningStore(place) as store:
        assert holds(store)
    ReasoningStore().destroy({"path": place})
    with pytest.raises(KGReasonError):
        ReasoningStore(place)


def test_what_cannot_be_opened_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    store = with_dogs(ReasoningStore(rules="rdfs"))
    for given, error in (
        ({"rules": "none"}, OptionError),
        ({"rules": "none", "access": {"hosts": "*"}, "path": tmp_path / "nowhere"}, LoadError),
        ({"rules": "no such set"}, KGReasonError),
    ):
        with pytest.raises(error):
            store.open(given)
        assert holds(store)
        assert store.access == Access()


def test_access_and_budget_may_be_given_to_a_store_that_has_begun() -> None:
    store = with_dogs(ReasoningStore(rules="rdfs"))
    assert holds(store)
    store.open({"access": {"hosts": "example.org"}, "budget": {"facts": 50}})
    assert (store.access.hosts, store.budget.facts) == (("example.org",), 50)
