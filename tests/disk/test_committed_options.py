"""Settings, rules, schemes and strategies come back as they were committed; a snapshot of others is not used."""

from __future__ import annotations

import logging
import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rdflib import Graph, URIRef

from kgreason import ReasoningStore
from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.errors import KGReasonError
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDFS
from kgreason.relations.catalogue import UNION, Input
from kgreason.relations.schemes import UnionScheme, standard_catalogue
from kgreason.relations.table import Table
from kgreason.relations.union import UnionTable
from kgreason.store.rule_sets import resolve_rules
from tests.disk import small
from tests.disk.opening_cases import FACTS, RULES, SCHEMA, filled, held
from tests.facade import add, ex
from tests.profiles import examples
from tests.thresholds import Tuned

FLIPS = examples(40)


@pytest.mark.parametrize("rules", ["skos", "none", "<http://e/q>(?x) :- <http://e/p>(?x) ."])
def test_store_that_is_left_before_its_first_commit_has_the_rules_that_it_was_made_with(
    rules: str, tmp_path: Path
) -> None:
    made = ReasoningStore(rules=rules)
    made.open(str(tmp_path / "store"), create=True)
    Graph(store=made).add((URIRef("http://e/s"), URIRef("http://e/p"), URIRef("http://e/o")))
    expected = made.knowledge_base.rules
    del made

    found = ReasoningStore()
    found.open(str(tmp_path / "store"), read_only=True)

    assert found.knowledge_base.rules == expected
    assert len(found) == 0


def test_settings_come_back(tmp_path: Path) -> None:
    filled(tmp_path)
    store = DurableKnowledge(tmp_path, RULES)
    assert store.settings["a setting"] == "second"
    assert not store.commit({"a setting": "second"}), "a commit of nothing"
    store.close()


def test_rules_that_were_committed_count_unless_others_are_given(tmp_path: Path) -> None:
    found = filled(tmp_path)
    store = DurableKnowledge(tmp_path, OpenOptions(default="none"))
    assert held(store) == found
    store.close()
    store = DurableKnowledge(tmp_path, OpenOptions("none"))
    explicit = {SCHEMA, *FACTS[1:]}
    assert held(store) == explicit
    add(store.knowledge, FACTS[0])
    store.roll_back()
    assert held(store) == explicit, "a rollback took back the rules that the store was opened with"
    store.directory.close()
    store = DurableKnowledge(tmp_path, OpenOptions())
    assert held(store) == found, "rules that nobody committed were kept"
    store.close()
    store = DurableKnowledge(tmp_path, OpenOptions("none"))
    store.commit({})
    store.close()
    assert held(store) == explicit
    store = DurableKnowledge(tmp_path, OpenOptions())
    assert held(store) == explicit
    assert not store.knowledge.rules
    store.close()


def test_names_of_schemes_and_strategies_are_kept(tmp_path: Path) -> None:
    store = DurableKnowledge(tmp_path, OpenOptions("skos", schemes="plain", strategy="plain"), create=True)
    plain = store.knowledge.options
    store.commit({})
    store.close()
    for options in (OpenOptions(), OpenOptions(schemes="auto", strategy="modular"), OpenOptions()):
        store = DurableKnowledge(tmp_path, options)
        assert (store.knowledge.options == plain) == (options == OpenOptions())
        store.directory.close()
    store = DurableKnowledge(tmp_path, OpenOptions(schemes="auto"))
    store.commit({})
    store.close()
    store = DurableKnowledge(tmp_path, OpenOptions())
    assert '"auto"' in store.settings["options"]
    assert '"plain"' in store.settings["options"]
    store.close()


def test_names_and_numbers_of_rules_come_back(tmp_path: Path) -> None:
    store = DurableKnowledge(tmp_path, OpenOptions("owl-rl"), create=True)
    store.knowledge.add_rules("owl-rl")
    store.commit({})
    before = store.knowledge.rules
    store.close()
    for snapshot in tmp_path.glob("snapshot*"):
        snapshot.unlink()
    store = DurableKnowledge(tmp_path, OpenOptions())
    assert store.knowledge.rules == before
    assert set(before.values()) == {2}
    assert {rule.name for rule in store.knowledge.rules} == {rule.name for rule in resolve_rules("owl-rl").rules}
    store.close()


def test_a_relation_called_as_a_built_in_comes_back_without_the_rule_that_derives_it(tmp_path: Path) -> None:
    """The text of a rule does not depend on the rules beside it; else the store cannot be opened again."""
    deriving = "contains(?x, ?y) :- <http://e/p>(?x, ?y) . COUNT(?x) :- <http://e/p>(?x, ?y) ."
    using = "<http://e/q>(?x, ?y) :- contains(?x, ?y), ~COUNT(?y) ."
    store = DurableKnowledge(tmp_path, OpenOptions("none"), create=True)
    store.knowledge.add_rules(deriving + using)
    store.knowledge.remove_rules(deriving)
    store.commit({})
    before = store.knowledge.rules
    store.close()
    for snapshot in tmp_path.glob("snapshot*"):
        snapshot.unlink()
    store = DurableKnowledge(tmp_path, OpenOptions())
    assert store.knowledge.rules == before
    assert len(before) == 1
    store.close()


def test_a_snapshot_of_other_code_or_options_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    found = filled(tmp_path)
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr("kgreason.disk.opened_knowledge.FORMAT", 1)
        store = DurableKnowledge(tmp_path, OpenOptions())
        assert held(store) == found
        store.directory.close()
    assert "another version" in caplog.text
    caplog.clear()
    store = DurableKnowledge(tmp_path, OpenOptions(schemes="plain"))
    assert held(store) == found
    assert "other schemes" in caplog.text
    store.close()
    caplog.clear()
    store = DurableKnowledge(tmp_path, OpenOptions(schemes="plain"))
    assert held(store) == found
    assert not caplog.text, "closing did not write another snapshot"
    store.close()


@pytest.mark.slow
def test_a_damaged_snapshot_is_noticed(
    tmp_path: Path, tuned: Tuned, caplog: pytest.LogCaptureFixture
) -> None:
    small.shrink(tuned)
    found = filled(tmp_path / "whole")
    [snapshot] = [file.name for file in (tmp_path / "whole").glob("snapshot-*")]
    size = (tmp_path / "whole" / snapshot).stat().st_size
    chance = random.Random(7)
    for number in range(30):
        path = tmp_path / str(number)
        shutil.copytree(tmp_path / "whole", path)
        data = bytearray((path / snapshot).read_bytes())
        at = chance.randrange(size)
        damage = number % 4
        if damage == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif damage == 1:
            data[at:] = b""
        elif damage == 2:
            data[at:] = bytes(size - at) if any(data[at:]) else b"\1" * (size - at)
        if damage == 3:
            (path / snapshot).unlink()
        else:
            (path / snapshot).write_bytes(data)
        caplog.clear()
        store = DurableKnowledge(path, OpenOptions())
        assert held(store) == found
        store.knowledge._check()
        assert "is of no use" in caplog.text
        store.close()


@pytest.mark.parametrize("is_compacted", [False, True])
def test_a_damaged_file_is_an_error_or_no_matter(
    tmp_path: Path, tuned: Tuned, is_compacted: bool
) -> None:
    small.shrink(tuned)
    later = filled(tmp_path / "whole")
    if is_compacted:
        store = DurableKnowledge(tmp_path / "whole", OpenOptions())
        store.compact()
        store.directory.close()
    chance = random.Random(11)
    outcomes: dict[str, int] = {}
    files = sorted(file.name for file in (tmp_path / "whole").iterdir() if not file.name.startswith(("writer", "snap")))
    for number in range(FLIPS * len(files)):
        name = files[number % len(files)]
        path = tmp_path / str(number)
        shutil.copytree(tmp_path / "whole", path)
        for snapshot in path.glob("snapshot-*"):
            snapshot.unlink()
        data = bytearray((path / name).read_bytes())
        at = chance.randrange(len(data) + 1)
        match chance.randrange(4):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                data[at:] = b""
            case 2:
                data[at:] = bytes(len(data) - at)
            case _:
                data[at : at + 100] = chance.randbytes(min(100, len(data) - at))
        (path / name).write_bytes(data)
        try:
            store = DurableKnowledge(path, OpenOptions())
        except KGReasonError:
            outcomes["error"] = outcomes.get("error", 0) + 1
        else:
            assert held(store) == later
            store.knowledge._check()
            outcomes["the same"] = outcomes.get("the same", 0) + 1
            store.directory.close()
        shutil.rmtree(path)
    assert outcomes.keys() == {"error", "the same"}


class Unkept(UnionTable):
    """A table without a stored form of its own: it must not come back as the table that it is derived from."""


class UnkeptScheme(UnionScheme):
    """A third party's scheme."""

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        made = super().derive(before, inputs)
        return Unkept(made.sources) if isinstance(made, UnionTable) else made


def test_tables_that_cannot_be_kept(
    tmp_path: Path, tuned: Tuned, caplog: pytest.LogCaptureFixture
) -> None:
    small.shrink(tuned)
    schemes = standard_catalogue()
    schemes = replace(schemes, schemes={**schemes.schemes, UNION: UnkeptScheme()})
    options = OpenOptions("rdfs", schemes=schemes)
    store = DurableKnowledge(tmp_path, options, create=True)
    p, q = ex("p"), ex("q")
    add(store.knowledge, (p, IRI(RDFS + "subPropertyOf"), q))
    for number in range(30):
        add(store.knowledge, (ex("a"), p, ex(f"b{number}")))
        store.commit({})
    found = held(store)
    assert "Unkept" in caplog.text
    with pytest.raises(KGReasonError, match="cannot be written"):
        store.write_snapshot()
    store.close()
    again = DurableKnowledge(tmp_path, options)
    assert held(again) == found
    again.close()


def test_interrupted_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = DurableKnowledge(tmp_path, RULES, create=True)
    add(store.knowledge, SCHEMA)
    store.commit({})
    append = store.directory._log.append

    def interrupted(*arguments: object) -> None:
        append(*arguments)
        raise KeyboardInterrupt

    add(store.knowledge, FACTS[0])
    with monkeypatch.context() as patch:
        patch.setattr(store.directory._log, "append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.commit({})
    assert not store.knowledge.history.uncommitted, "what is on disk is still waiting"
    add(store.knowledge, FACTS[1])
    store.commit({})
    found = held(store)
    store.directory.close()
    store = DurableKnowledge(tmp_path, OpenOptions())
    assert held(store) == found
    store.close()
