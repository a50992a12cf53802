"""Would catch a query whose rows come out otherwise from one database than from another, or that reaches beyond it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgreason.errors import KGReasonError, LoadError, MappingError, OptionError
from kgreason_mapping.documents import parse_mapping
from kgreason_mapping.sources.databases import DatabaseKind, database
from tests.mapping.engines import Engine, Mapped
from tests.mapping.rml import PREFIXES
from tests.mapping.servers import postgresql, run_sql

duckdb = pytest.importorskip("duckdb", reason="databases need the extra `mapping`")
pytest.importorskip("adbc_driver_postgresql", reason="databases need the extra `mapping`")

TABLES = """
CREATE TABLE "Person" ("ID" INTEGER, "Name" VARCHAR(20), team INTEGER, born DATE, seen TIMESTAMP, paid BOOLEAN,
                       share DECIMAL(6, 3), weight DOUBLE PRECISION, photo BLOB);
CREATE TABLE team (id INTEGER, title VARCHAR(20));
INSERT INTO "Person" VALUES
  (1, 'Ada', 10, '1815-12-10', '2009-10-10 12:12:22', TRUE, 0.500, 80.25, :bytes),
  (2, 'Alan O''Hara', NULL, NULL, NULL, FALSE, 12.000, 1e9, NULL);
INSERT INTO team VALUES (10, 'Analysts'), (11, 'Readers');
"""

MAPPING = """
<#person> rr:logicalTable [ rr:tableName '"Person"' ];
  rr:subjectMap [ rr:template 'http://example.com/{"ID"}/{"Name"}'; rr:class ex:Person ];
  rr:predicateObjectMap
    [ rr:predicate ex:born; rr:objectMap [ rr:column 'born' ] ], [ rr:predicate ex:seen; rr:objectMap [ rr:column 'SEEN' ] ],
    [ rr:predicate ex:paid; rr:objectMap [ rr:column 'paid' ] ], [ rr:predicate ex:share; rr:objectMap [ rr:column 'share' ] ],
    [ rr:predicate ex:weight; rr:objectMap [ rr:column 'weight' ] ], [ rr:predicate ex:photo; rr:objectMap [ rr:column 'photo' ] ],
    [ rr:predicate ex:team; rr:objectMap [ rr:parentTriplesMap <#team>;
       rr:joinCondition [ rr:child 'team'; rr:parent '"id"' ] ] ] .
<#team> rr:logicalTable [ rr:tableName 'team' ]; rr:subjectMap [ rr:template 'http://example.com/team/{id}' ] .
<#count> rr:logicalTable [ rr:sqlQuery 'SELECT count(*) AS "N" FROM team;' ; rr:sqlVersion rr:SQL2008 ];
  rr:subjectMap [ rr:constant ex:teams ]; rr:predicateObjectMap [ rr:predicate ex:n; rr:objectMap [ rr:column '"N"' ] ] .
"""  # noqa: E501  # Turtle, a line for two properties

EX = "http://example.com/"
XSD = "http://www.w3.org/2001/XMLSchema#"
EXPECTED = {
    ("1/Ada", "paid", f'"true"^^{XSD}boolean'),
    ("1/Ada", "born", f'"1815-12-10"^^{XSD}date'),
    ("1/Ada", "seen", f'"2009-10-10T12:12:22"^^{XSD}dateTime'),
    ("1/Ada", "share", f'"0.5"^^{XSD}decimal'),
    ("1/Ada", "weight", f'"8.025E1"^^{XSD}double'),
    ("1/Ada", "photo", f'"0AFF"^^{XSD}hexBinary'),
    ("1/Ada", "team", "team/10"),
    ("1/Ada", "type", "Person"),
    ("2/Alan%20O%27Hara", "paid", f'"false"^^{XSD}boolean'),
    ("2/Alan%20O%27Hara", "share", f'"12"^^{XSD}decimal'),
    ("2/Alan%20O%27Hara", "weight", f'"1.0E9"^^{XSD}double'),
    ("2/Alan%20O%27Hara", "type", "Person"),
    ("teams", "n", f'"2"^^{XSD}integer'),
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A PostgreSQL with the tables."""
    with postgresql() as url:
        run_sql(url, TABLES.replace("BLOB", "BYTEA").replace(":bytes", r"'\x0aff'"))
        yield url


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind, with the tables."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("server"))
    path = tmp_path / f"a.{request.param}"
    if request.param == "sqlite":
        connection = sqlite3.connect(path)
        connection.executescript(TABLES.replace(":bytes", "x'0aff'"))
    else:
        connection = duckdb.connect(str(path))
        connection.execute(TABLES.replace(":bytes", r"'\x0A\xFF'"))
    connection.close()
    return str(path)


def _query(text: str) -> str:
    return (
        f'<#m> rr:logicalTable [ rr:sqlQuery """{text}""" ]; rr:subjectMap [ rr:constant ex:s ];'
        " rr:predicateObjectMap [ rr:predicate ex:p; rr:objectMap [ rr:column 'v' ] ] ."
    )


def _triples(made: Mapped) -> set[tuple[str, str, str]]:
    assert made.quarantined == []
    shown = {(s, p.rpartition("#")[2] if "#" in p else p, o) for s, p, o, _ in made.quads}
    return {(s.removeprefix(EX), p.removeprefix(EX), o.removeprefix(EX)) for s, p, o in shown}


def _mapped(engine: Engine, mapping: str, database: str, inputs: dict[str, str] | None = None) -> Mapped:
    return engine(parse_mapping(PREFIXES + mapping), inputs=inputs, database=database)


def test_tables_and_queries_of_each_database_make_the_same_triples(engine: Engine, place: str) -> None:
    assert _triples(_mapped(engine, MAPPING, place)) == EXPECTED


def test_rows_come_in_batches_in_all_of_them(engine: Engine, place: str) -> None:
    digits = "SELECT {} AS d UNION ALL SELECT {}"
    ten = " UNION ALL ".join(digits.format(n, n + 5) for n in range(5))
    many = "SELECT " + " + ".join(f"{10**n} * t{n}.d" for n in range(5)) + " AS v FROM "
    query = many + ", ".join(f"({ten}) AS t{n}" for n in range(5))
    made = _mapped(engine, _query(query), place)
    assert {o for _, _, o, _ in made.quads} == {f'"{n}"^^{XSD}integer' for n in range(100_000)}


def test_a_database_is_opened_only_where_the_owner_names_it(engine: Engine, tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "a.db").execute("CREATE TABLE t (v)").connection.close()
    mapping = f"""
      @prefix d2rq: <http://www.wiwiss.fu-berlin.de/suhl/bizer/D2RQ/0.1#> .
      <#db> a d2rq:Database; d2rq:jdbcDSN "jdbc:sqlite:{tmp_path}/a.db" .
      <#m> rml:logicalSource [ rml:source <#db>; rml:referenceFormulation rml:SQL2008Table; rml:iterator "t" ];
        rml:subjectMap [ rml:template "http://example.com/{{v}}"; rml:class ex:T ] ."""
    with pytest.raises(MappingError, match="no database is given"):
        engine(parse_mapping(PREFIXES + mapping), directory=tmp_path)
    assert engine(parse_mapping(PREFIXES + mapping), inputs={"#db": str(tmp_path / "a.db")}).quads == []


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM team", "SELECT 1 AS v; DROP TABLE team", "SELECT nothing AS v", "SELECT v FROM missing", "", "x",
        "ATTACH 'b.db' AS b", "SELECT 1 AS v, 2 AS other, 3 AS",
    ],
)  # fmt: skip
def test_a_query_that_is_none_is_refused_with_the_triples_map(engine: Engine, place: str, query: str) -> None:
    with pytest.raises(KGReasonError, match="#m") as refused:
        _mapped(engine, _query(query), place)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("function", ["read_text('{}')", "read_csv('{}')", "'{}'"])
def test_a_query_of_duckdb_reads_no_file(engine: Engine, function: str, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("v\nsecret\n")
    duckdb.connect(str(tmp_path / "a.duckdb")).close()
    query = _query(f"SELECT * FROM {function.format(tmp_path / 'secret.csv')}")
    with pytest.raises(KGReasonError):
        _mapped(engine, query, str(tmp_path / "a.duckdb"))


def test_a_query_of_postgresql_changes_nothing(engine: Engine, server: str) -> None:
    query = "WITH gone AS (DELETE FROM team RETURNING id) SELECT id AS v FROM gone"
    with pytest.raises(KGReasonError):
        _mapped(engine, _query(query), server)
    assert _triples(_mapped(engine, MAPPING, server)) == EXPECTED


def test_a_value_outside_the_declared_type_of_its_column_is_in_quarantine(engine: Engine, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.executescript("CREATE TABLE t (v DATE); INSERT INTO t VALUES ('2020-02-30'), ('2020-02-29'), (NULL)")
    connection.close()
    made = _mapped(engine, _query("SELECT v FROM t"), str(tmp_path / "a.db"))
    assert [o for _, _, o, _ in made.quads] == [f'"2020-02-29"^^{XSD}date']
    assert [(one.reason, one.row) for one in made.quarantined] == [("value outside its datatype", '{"v":"2020-02-30"}')]


def test_two_columns_of_one_name_are_refused(engine: Engine, server: str) -> None:
    with pytest.raises(MappingError, match="two columns 'v'"):
        _mapped(engine, _query("SELECT 1 AS v, 2 AS v"), server)


@pytest.mark.parametrize(
    ("given", "kind", "place"),
    [
        ("sqlite:///a.db", DatabaseKind.SQLITE, "a.db"),
        ("sqlite:////data/a%20b.db", DatabaseKind.SQLITE, "/data/a b.db"),
        ("duckdb:///x.duckdb", DatabaseKind.DUCKDB, "x.duckdb"),
        ("postgresql://me@host/db", DatabaseKind.POSTGRESQL, "postgresql://me@host/db"),
    ],
)
def test_a_url_names_a_database(given: str, kind: DatabaseKind, place: str) -> None:
    assert (database(given).kind, database(given).place) == (kind, place)


def test_what_names_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("v\n1\n")
    for given in ("mysql://host/db", str(tmp_path / "a.csv"), str(tmp_path / "missing.db")):
        with pytest.raises(OptionError, match="is not a database"):
            database(given)


def test_an_error_shows_no_password(engine: Engine) -> None:
    with pytest.raises(LoadError) as refused:
        _mapped(engine, _query("SELECT 1 AS v"), "postgresql://me:secret@127.0.0.1:1/none")
    assert "secret" not in str(refused.value)
