"""Who may open a directory, what is found in it, and what happens to files that are damaged."""

from __future__ import annotations

import logging
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from kgreason.durable.catalogue import FILE, FORMAT
from kgreason.errors import KGReasonError, LoadError, LockedError
from kgreason.knowledge.durability import DurableKnowledge, Wishes
from kgreason.knowledge.rulesets import resolve_rules
from kgreason.schemes.catalogue import UNION, Input
from kgreason.schemes.closures import UnionScheme, standard_catalogue
from kgreason.schemes.scheme import Table
from kgreason.schemes.union import UnionTable
from kgreason.terms.model import IRI
from kgreason.terms.vocabulary import RDF, RDFS
from tests.durable import small
from tests.facade import Triple, add, ex, remove, triples

TYPE = IRI(RDF + "type")
SCHEMA = (ex("Cat"), IRI(RDFS + "subClassOf"), ex("Animal"))
FACTS = [(ex(f"c{number}"), TYPE, ex("Cat")) for number in range(20)]
RULES = Wishes("rdfs-plus")
FLIPS = int(os.environ.get("KGREASON_EXAMPLES", "40"))


def held(store: DurableKnowledge) -> set[Triple]:
    return triples(store.knowledge, store.knowledge.all())


def filled(path: Path) -> set[Triple]:
    """Two commits with files, a snapshot after the first; what is there then."""
    store = DurableKnowledge(path, RULES, create=True)
    add(store.knowledge, SCHEMA, *FACTS[:10])
    store.commit({"a setting": "first"})
    store.write_snapshot()
    add(store.knowledge, *FACTS[10:])
    remove(store.knowledge, FACTS[0])
    store.commit({"a setting": "second"})
    found = held(store)
    store.directory.close()
    return found


def test_a_second_writer_is_refused_at_once_and_told_who_writes(tmp_path: Path) -> None:
    store = DurableKnowledge(tmp_path, RULES, create=True)
    program = (
        "import sys, pathlib; from kgreason.knowledge.durability import *;"
        "DurableKnowledge(pathlib.Path(sys.argv[1]), Wishes())"
    )
    other = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert "LockedError" in other.stderr
    assert f"process {os.getpid()}" in other.stderr
    with pytest.raises(LockedError, match=str(tmp_path)):
        DurableKnowledge(tmp_path, RULES)
    store.close()
    DurableKnowledge(tmp_path, RULES).close()


def test_readers_see_the_last_commit_while_somebody_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small.shrink(monkeypatch)
    writer = DurableKnowledge(tmp_path, RULES, create=True)
    add(writer.knowledge, SCHEMA, FACTS[0])
    writer.commit({})
    committed = held(writer)
    add(writer.knowledge, *FACTS)
    early = DurableKnowledge(tmp_path, Wishes(), read_only=True)
    assert held(early) == committed
    writer.commit({})
    writer.write_snapshot()
    writer.write_snapshot()
    late = DurableKnowledge(tmp_path, Wishes(), read_only=True)
    assert held(late) == held(writer) != committed
    assert held(early) == committed
    early.knowledge._check()
    add(late.knowledge, (ex("tom"), TYPE, ex("Cat")))
    with pytest.raises(KGReasonError, match="reading only"):
        late.commit({})
    for store in (late, early, writer):
        store.close()


def test_a_reader_changes_nothing_in_the_directory(tmp_path: Path) -> None:
    filled(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.suffix not in (".lock", ".sqlite")}
    reader = DurableKnowledge(tmp_path, Wishes(), read_only=True)
    held(reader)
    reader.close()
    after = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert {name: after[name] for name in before} == before


def test_a_directory_without_a_store(tmp_path: Path) -> None:
    for read_only in (False, True):
        with pytest.raises(KGReasonError, match="no store"):
            DurableKnowledge(tmp_path, RULES, read_only=read_only)
    (tmp_path / "file").write_text("")
    with pytest.raises(KGReasonError, match="file"):
        DurableKnowledge(tmp_path / "file", RULES, create=True)
    with pytest.raises(KGReasonError, match="file"):
        DurableKnowledge(tmp_path / "file" / "inside", RULES, create=True)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("pragma", [f"user_version = {FORMAT + 1}", "application_id = 17"])
def test_another_format_is_refused(tmp_path: Path, pragma: str) -> None:
    filled(tmp_path)
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute(f"PRAGMA {pragma}")
    connection.close()
    for read_only in (False, True):
        with pytest.raises(LoadError, match=FILE.replace(".", r"\.")):
            DurableKnowledge(tmp_path, RULES, read_only=read_only)


@pytest.mark.parametrize(
    "damage", ["number = number + 1", "number = number - 1", "chain = chain + 1", "number = number + 1, chain = 0"]
)
def test_a_snapshot_of_another_commit_is_noticed(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = DurableKnowledge(tmp_path, RULES, create=True)
    for fact in FACTS[:2]:
        add(store.knowledge, SCHEMA, fact)
        store.commit({})
    store.write_snapshot()
    add(store.knowledge, FACTS[2])
    store.commit({})
    found = held(store)
    store.directory.close()
    change(tmp_path, f"UPDATE snapshot SET {damage}")
    store = DurableKnowledge(tmp_path, RULES)
    assert held(store) == found
    assert "of no use" in caplog.text
    store.close()


def test_a_last_commit_that_was_damaged_is_noticed(tmp_path: Path) -> None:
    store = DurableKnowledge(tmp_path, RULES, create=True)
    add(store.knowledge, SCHEMA)
    store.commit({})
    store.write_snapshot()
    store.directory.close()
    change(tmp_path, "UPDATE log SET terms_count = terms_count + 1")
    with pytest.raises(LoadError, match="commit 1 is damaged"):
        DurableKnowledge(tmp_path, RULES)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE log SET quads = (SELECT quads FROM log WHERE number = 3) WHERE number = 2",
        "UPDATE log SET settings = replace(settings, 'rdfs', 'rfds') WHERE number = 1",
        "UPDATE log SET settings = '{}' WHERE number = 2",
        "UPDATE log SET first = first + 1 WHERE number = 3",
        "UPDATE log SET number = 5 WHERE number = 4",
        "DELETE FROM log WHERE number = 2",
        "DELETE FROM log WHERE number = 1",
    ],
)
def test_a_commit_that_was_damaged_is_noticed(tmp_path: Path, damage: str) -> None:
    store = DurableKnowledge(tmp_path, RULES, create=True)
    for fact in (SCHEMA, *FACTS[:3]):
        add(store.knowledge, fact)
        store.commit({})
    store.directory.close()
    change(tmp_path, damage)
    with pytest.raises(LoadError, match="is damaged"):
        DurableKnowledge(tmp_path, RULES)


def change(path: Path, statement: str) -> None:
    """Change the catalogue behind the back of kgreason."""
    connection = sqlite3.connect(path / FILE)
    with connection:
        connection.execute(statement)
    connection.close()


def test_settings_come_back(tmp_path: Path) -> None:
    filled(tmp_path)
    store = DurableKnowledge(tmp_path, RULES)
    assert store.settings["a setting"] == "second"
    assert not store.commit({"a setting": "second"}), "a commit of nothing"
    store.close()


def test_rules_that_were_committed_count_unless_others_are_given(tmp_path: Path) -> None:
    found = filled(tmp_path)
    store = DurableKnowledge(tmp_path, Wishes(default="none"))
    assert held(store) == found
    store.close()
    store = DurableKnowledge(tmp_path, Wishes("none"))
    explicit = {SCHEMA, *FACTS[1:]}
    assert held(store) == explicit
    add(store.knowledge, FACTS[0])
    store.roll_back()
    assert held(store) == explicit, "a rollback took the rules back that were wished for"
    store.directory.close()
    store = DurableKnowledge(tmp_path, Wishes())
    assert held(store) == found, "rules that nobody committed were kept"
    store.close()
    store = DurableKnowledge(tmp_path, Wishes("none"))
    store.commit({})
    store.close()
    assert held(store) == explicit
    store = DurableKnowledge(tmp_path, Wishes())
    assert held(store) == explicit
    assert not store.knowledge.rules
    store.close()


def test_names_of_schemes_and_strategies_are_kept(tmp_path: Path) -> None:
    store = DurableKnowledge(tmp_path, Wishes("skos", schemes="plain", strategy="plain"), create=True)
    plain = store.knowledge.options
    store.commit({})
    store.close()
    for wishes in (Wishes(), Wishes(schemes="auto", strategy="modular"), Wishes()):
        store = DurableKnowledge(tmp_path, wishes)
        assert (store.knowledge.options == plain) == (wishes == Wishes())
        store.directory.close()
    store = DurableKnowledge(tmp_path, Wishes(schemes="auto"))
    store.commit({})
    store.close()
    store = DurableKnowledge(tmp_path, Wishes())
    assert '"auto"' in store.settings["options"]
    assert '"plain"' in store.settings["options"]
    store.close()


def test_names_and_numbers_of_rules_come_back(tmp_path: Path) -> None:
    store = DurableKnowledge(tmp_path, Wishes("owl-rl"), create=True)
    store.knowledge.add_rules("owl-rl")
    store.commit({})
    before = store.knowledge.rules
    store.close()
    for snapshot in tmp_path.glob("snapshot*"):
        snapshot.unlink()
    store = DurableKnowledge(tmp_path, Wishes())
    assert store.knowledge.rules == before
    assert set(before.values()) == {2}
    assert {rule.name for rule in store.knowledge.rules} == {rule.name for rule in resolve_rules("owl-rl").rules}
    store.close()


def test_a_snapshot_of_other_code_or_options_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    found = filled(tmp_path)
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr("kgreason.knowledge.durability.FORMAT", 1)
        store = DurableKnowledge(tmp_path, Wishes())
        assert held(store) == found
        store.directory.close()
    assert "another version" in caplog.text
    caplog.clear()
    store = DurableKnowledge(tmp_path, Wishes(schemes="plain"))
    assert held(store) == found
    assert "other schemes" in caplog.text
    store.close()
    caplog.clear()
    store = DurableKnowledge(tmp_path, Wishes(schemes="plain"))
    assert held(store) == found
    assert not caplog.text, "closing did not write another snapshot"
    store.close()


def test_a_damaged_snapshot_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    small.shrink(monkeypatch)
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
        store = DurableKnowledge(path, Wishes())
        assert held(store) == found
        store.knowledge._check()
        assert "is of no use" in caplog.text
        store.close()


@pytest.mark.parametrize("is_compacted", [False, True])
def test_a_damaged_file_is_an_error_or_no_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_compacted: bool
) -> None:
    small.shrink(monkeypatch)
    later = filled(tmp_path / "whole")
    if is_compacted:
        store = DurableKnowledge(tmp_path / "whole", Wishes())
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
            store = DurableKnowledge(path, Wishes())
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
    """A table that nobody can keep: its class is not among those that a snapshot may hold."""


class UnkeptScheme(UnionScheme):
    """Somebody else's scheme."""

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        made = super().derive(before, inputs)
        return Unkept(made.sources) if isinstance(made, UnionTable) else made


def test_tables_that_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    small.shrink(monkeypatch)
    schemes = standard_catalogue()
    schemes = replace(schemes, schemes={**schemes.schemes, UNION: UnkeptScheme()})
    wishes = Wishes("rdfs", schemes=schemes)
    store = DurableKnowledge(tmp_path, wishes, create=True)
    p, q = ex("p"), ex("q")
    add(store.knowledge, (p, IRI(RDFS + "subPropertyOf"), q))
    for number in range(30):
        add(store.knowledge, (ex("a"), p, ex(f"b{number}")))
        store.commit({})
    found = held(store)
    assert "Unkept" in caplog.text
    with pytest.raises(KGReasonError, match="cannot be kept"):
        store.write_snapshot()
    store.close()
    again = DurableKnowledge(tmp_path, wishes)
    assert held(again) == found
    again.close()


def test_interrupted_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = DurableKnowledge(tmp_path, RULES, create=True)
    add(store.knowledge, SCHEMA)
    store.commit({})
    append = store.directory._catalogue.append

    def interrupted(*arguments: object) -> None:
        append(*arguments)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    add(store.knowledge, FACTS[0])
    with monkeypatch.context() as patch:
        patch.setattr(store.directory._catalogue, "append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.commit({})
    assert not store.knowledge.journal, "what is on disk is still waiting"
    add(store.knowledge, FACTS[1])
    store.commit({})
    found = held(store)
    store.directory.close()
    store = DurableKnowledge(tmp_path, Wishes())
    assert held(store) == found
    store.close()
