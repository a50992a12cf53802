"""Tables in the shape of GTFS-Madrid-Bench (https://github.com/oeg-upm/gtfs-bench), and a mapping with its joins."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

STOPS: Final = 1_300
ROUTES: Final = 13

_PLACE: Final = "http://transport.linkeddata.es/madrid/metro/"
_PREFIXES: Final = """
@prefix rml: <http://w3id.org/rml/> . @prefix gtfs: <http://vocab.gtfs.org/terms#> .
@prefix map: <http://example.org/map/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix geo: <http://www.w3.org/2003/01/geo/wgs84_pos#> .
"""


def write_tables(folder: Path, rows: int) -> None:
    """Write ``STOP_TIMES.csv`` of so many rows, and TRIPS, STOPS and ROUTES, which it refers to."""
    trips = -(-rows // 40)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "ROUTES.csv", "route_id,route_short_name,route_long_name,route_url", (
        f'R{n},{n},"Line {n}, there and back",http://www.crtm.es/lineas/{n}' for n in range(ROUTES)
    ))  # fmt: skip
    _write(folder / "STOPS.csv", "stop_id,stop_name,stop_lat,stop_lon", (
        f"par_4_{n},Parada {n},{40 + n / 10000:.4f},{-3 - n / 10000:.4f}" for n in range(STOPS)
    ))  # fmt: skip
    _write(folder / "TRIPS.csv", "trip_id,route_id,trip_headsign", (
        f"4_I12-{n},R{n % ROUTES},Sentido {n % 7}" for n in range(trips)
    ))  # fmt: skip
    _write(folder / "STOP_TIMES.csv", "trip_id,arrival_time,departure_time,stop_id,stop_sequence", (
        f"4_I12-{n // 40},{n % 24:02}:{n % 60:02}:00,{n % 24:02}:{n % 60:02}:30,par_4_{n % STOPS},{n % 40}"
        for n in range(rows)
    ))  # fmt: skip


def _write(path: Path, header: str, rows: Iterable[str]) -> None:
    with path.open("w") as out:
        out.write(f"{header}\n")
        out.writelines(f"{row}\n" for row in rows)


def mapping_text(joins: bool = True) -> str:
    """The mapping; without `joins`, stop times name trips and stops by templates, which gives the same triples."""
    return "".join((
        _PREFIXES,
        _triples_map("ROUTES", "routes/{route_id}", "gtfs:Route", [
            ("gtfs:shortName", _value("route_short_name")), ("gtfs:longName", _value("route_long_name")),
            ("gtfs:routeUrl", '[ rml:reference "route_url" ; rml:termType rml:IRI ]'),
        ]),
        _triples_map("STOPS", "stops/{stop_id}", "gtfs:Stop", [
            ("foaf:name", _value("stop_name")),
            ("geo:lat", _value("stop_lat", "xsd:double")), ("geo:long", _value("stop_lon", "xsd:double")),
        ]),
        _triples_map("TRIPS", "trips/{trip_id}", "gtfs:Trip", [
            ("gtfs:headsign", _value("trip_headsign")), ("gtfs:route", _parent("ROUTES", "route_id", joins)),
        ]),
        _triples_map("STOP_TIMES", "stoptimes/{trip_id}-{stop_id}-{arrival_time}", "gtfs:StopTime", [
            ("gtfs:arrivalTime", _value("arrival_time")), ("gtfs:departureTime", _value("departure_time")),
            ("gtfs:stopSequence", _value("stop_sequence", "xsd:integer")),
            ("gtfs:trip", _parent("TRIPS", "trip_id", joins)), ("gtfs:stop", _parent("STOPS", "stop_id", joins)),
        ]),
    ))  # fmt: skip


def _triples_map(table: str, subject: str, kind: str, properties: list[tuple[str, str]]) -> str:
    objects = "".join(f" ;\n    rml:predicateObjectMap [ rml:predicate {name} ; rml:objectMap {made} ]"
                      for name, made in properties)  # fmt: skip
    return f"""
map:{table} a rml:TriplesMap ;
    rml:logicalSource [ rml:source [ a rml:FilePath ; rml:path "{table}.csv" ] ; rml:referenceFormulation rml:CSV ] ;
    rml:subjectMap [ rml:template "{_PLACE}{subject}" ; rml:class {kind} ]{objects} .
"""


def _value(column: str, datatype: str = "") -> str:
    typed = f" ; rml:datatype {datatype}" if datatype else ""
    return f'[ rml:reference "{column}"{typed} ]'


def _parent(table: str, column: str, joins: bool) -> str:
    if joins:
        condition = f'rml:joinCondition [ rml:child "{column}" ; rml:parent "{column}" ]'
        return f"[ rml:parentTriplesMap map:{table} ; {condition} ]"
    place = f"{table.lower()}/{{{column}}}"
    return f'[ rml:template "{_PLACE}{place}" ]'
