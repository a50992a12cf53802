"""The lines of `gtfs_tables` as expressions of SQL, which concatenate strings and check nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

_PLACE: Final = "http://transport.linkeddata.es/madrid/metro/"
_GTFS: Final = "<http://vocab.gtfs.org/terms#{}>"
_TYPE: Final = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_GEO: Final = "<http://www.w3.org/2003/01/geo/wgs84_pos#{}>"
_STOP_TIME: Final = "stoptimes/' || t.trip_id || '-' || t.stop_id || '-' || replace(t.arrival_time, ':', '%3A') || '"


def joined(name: str, parents: Iterable[str], table_of: Callable[[str], str]) -> str:
    """A table with parents, in SQL; `t` is the table, and a parent is called by its name."""
    joins = (f" JOIN {table_of(one)} {one} ON {one}.{_KEYS[one]} = t.{_KEYS[one]}" for one in parents)
    return f"{table_of(name)} t{''.join(joins)}"


def statements_by_table() -> Iterator[str]:
    """A statement for each table that gives all its lines in one scan."""
    for name, lines in LINES.items():
        parents = dict.fromkeys(parent for _, some in lines for parent in some)
        made = ", ".join(line for line, _ in lines)
        yield f"SELECT explode(array({made})) AS value FROM {joined(name, parents, str)}"


def _literal(column: str, datatype: str = "") -> str:
    return f"'\"' || {column} || '\"" + (f"^^<{_XSD}{datatype}>" if datatype else "") + "'"


_KEYS: Final = {"ROUTES": "route_id", "STOPS": "stop_id", "TRIPS": "trip_id"}
_SUBJECTS: Final = {
    "ROUTES": ("routes/' || t.route_id || '", "Route"),
    "STOPS": ("stops/' || t.stop_id || '", "Stop"),
    "TRIPS": ("trips/' || t.trip_id || '", "Trip"),
    "STOP_TIMES": (_STOP_TIME, "StopTime"),
}
_OBJECTS: Final = {
    "ROUTES": [
        (_GTFS.format("shortName"), _literal("t.route_short_name")),
        (_GTFS.format("longName"), _literal("t.route_long_name")),
        (_GTFS.format("routeUrl"), "'<' || t.route_url || '>'"),
    ],
    "STOPS": [
        ("<http://xmlns.com/foaf/0.1/name>", _literal("t.stop_name")),
        (_GEO.format("lat"), _literal("t.stop_lat", "double")),
        (_GEO.format("long"), _literal("t.stop_lon", "double")),
    ],
    "TRIPS": [(_GTFS.format("headsign"), _literal("t.trip_headsign"))],
    "STOP_TIMES": [
        (_GTFS.format("arrivalTime"), _literal("t.arrival_time")),
        (_GTFS.format("departureTime"), _literal("t.departure_time")),
        (_GTFS.format("stopSequence"), _literal("t.stop_sequence", "integer")),
    ],
}
_PARENTS: Final = {
    "TRIPS": [(_GTFS.format("route"), "ROUTES")],
    "STOP_TIMES": [(_GTFS.format("trip"), "TRIPS"), (_GTFS.format("stop"), "STOPS")],
}


def _lines_of(name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """An expression of SQL for each line that a row makes, and the parents that it needs."""
    subject, kind = _SUBJECTS[name]
    yield f"'<{_PLACE}{subject}> {_TYPE} {_GTFS.format(kind)} .'", ()
    for predicate, made in _OBJECTS[name]:
        yield f"'<{_PLACE}{subject}> {predicate} ' || {made} || ' .'", ()
    for predicate, other in _PARENTS.get(name, ()):
        parent = f"'<{_PLACE}{other.lower()}/' || {other}.{_KEYS[other]} || '> .'"
        yield f"'<{_PLACE}{subject}> {predicate} ' || {parent}", (other,)


LINES: Final = {name: tuple(_lines_of(name)) for name in _SUBJECTS}
