"""What runs a program, in a process of its own: python -m tests.benchmarks.rules.contestants CONTESTANT PROGRAM

Prints JSON: seconds from loaded facts to the closure (wall and processor), what the process grew by, the counts. A
contestant that has no such program leaves with `UNKNOWN`.

Another peer is a program that `KGREASON_DATAFROG` has the path of, such as that of the crate in ``datafrog/``. It is
called with the name of a program and a folder that has a file ``NAME.txt`` for each relation, two numbers a line; it
prints the same JSON, and leaves with 3 where it has no such program.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tests.benchmarks.rules.graphs import Edges
from tests.benchmarks.rules.programs import PROGRAMS, Program

if TYPE_CHECKING:
    from kgreason.store.knowledge_base import KnowledgeBase

Counts: TypeAlias = dict[str, int]
Run: TypeAlias = Callable[[], Counts]
Atom: TypeAlias = tuple[bool, str, tuple[str, ...]]
Rule: TypeAlias = tuple[Atom, tuple[Atom, ...]]

UNKNOWN = 3
"""How a contestant leaves that has no such program."""

_POPULATE_READ = 22
"""Advice of Linux' ``madvise``, from 5.14 on; before, it has no effect."""

_ATOM = re.compile(r"(not )?(\w+)\(([^)]*)\)")


def rules_of(text: str) -> list[Rule]:
    """Head and body of each rule: whether an atom is denied, its relation, its variables."""
    rules = []
    for rule in text.split("."):
        atoms = [(bool(n), name, tuple(a.split(","))) for n, name, a in _ATOM.findall(rule)]
        if atoms:
            rules.append((atoms[0], tuple(atoms[1:])))
    return rules


def knowledge_base(program: Program, facts: Mapping[str, Edges]) -> KnowledgeBase:
    """The relations of the graph as predicates of triples; nothing is derived yet."""
    import kgreason.algebra.summaries  # what is imported when a program needs it
    import kgreason.relations.transitive.closure_table
    import kgreason.store.statistics  # noqa: F401  what counts the facts is not what is measured
    from kgreason.dictionary.arrow_columns import text_column
    from kgreason.dictionary.decimal_texts import integer_keys
    from kgreason.io.quads import Quads
    from kgreason.rdf.keys import key_of
    from kgreason.rdf.model import IRI
    from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase

    def atom(each: Atom) -> str:
        denied, name, variables = each
        named = [f"?{v}" for v in variables]
        text = f"[{named[0]}, <http://e/{name}>, {named[1]}]" if name in facts else f"{name}({', '.join(named)})"
        return f"~{text}" if denied else text

    text = "\n".join(f"{atom(head)} :- {', '.join(map(atom, body))} ." for head, body in rules_of(program.text))
    if program.aggregate:
        text = f"made(?x, #{program.aggregate}(?v)) :- [?x, <http://e/value>, ?v] ."
    base = KnowledgeBase(text)
    count = 1 + max(int(edges.max()) for edges in facts.values())
    ends = ids = base.dictionary.encode_column(text_column([key_of(IRI(f"http://e/n{n}")) for n in range(count)]))
    if program.aggregate:
        ends = base.dictionary.encode_column(integer_keys(np.arange(count)))
    for name, edges in facts.items():
        subjects, objects = ids[edges[:, 0]], ends[edges[:, 1]]
        graphs = np.full(len(edges), DEFAULT_GRAPH, dtype=np.uint32)
        predicate = np.full(len(edges), base.dictionary.encode(IRI(f"http://e/{name}")), dtype=np.uint32)
        base.add_quads(Quads(graphs, subjects, predicate, objects))
    return base


def kgreason(program: Program, facts: Mapping[str, Edges]) -> Run:
    """This engine."""
    base = knowledge_base(program, facts)

    def run() -> Counts:
        base.flush()
        return {each.name: each.facts for each in base.statistics().relations if each.name in program.counted}

    return run


def duckdb(program: Program, facts: Mapping[str, Edges]) -> Run:
    """DuckDB on two threads: each rule a query, strata in the order of the text, recursion by a seminaive loop."""
    import duckdb as duck
    import pyarrow as pa

    connection = duck.connect()
    connection.execute("set threads=2")
    for name, edges in facts.items():
        table = pa.table({"c0": edges[:, 0].astype(np.int32), "c1": edges[:, 1].astype(np.int32)})
        connection.register("given", table)
        connection.execute(f"create table {name} as select * from given")
        connection.unregister("given")
    loop = _Loop(connection, rules_of(program.text))

    def run() -> Counts:
        if program.aggregate:
            connection.execute(f"create table made as select c0, {program.aggregate}(c1) c1 from value group by c0")
        else:
            loop.run()
        return {name: connection.execute(f"select count(*) from {name}").fetchone()[0] for name in program.counted}

    return run


class _Loop:
    """Seminaive evaluation in SQL: tables `r`, `d_r` (the last round) and `n_r` (this one) for each relation."""

    def __init__(self, connection: Any, rules: list[Rule]) -> None:
        self._sql = connection.execute
        self._rules = rules
        self._heads = {head[1]: len(head[2]) for head, _ in rules}

    def run(self) -> None:
        for name, width in self._heads.items():
            for table in (name, f"d_{name}"):
                self._sql(f"create table {table} ({', '.join(f'c{n} integer' for n in range(width))})")
        for group in self._groups():
            self._fixpoint(group)

    def _groups(self) -> list[list[str]]:
        """Relations in the order of the text, together where they depend on each other."""
        needs: dict[str, set[str]] = {name: set() for name in self._heads}
        for head, body in self._rules:
            needs[head[1]] |= {atom[1] for atom in body} & needs.keys()
        for _ in self._heads:
            needs = {name: found.union(*(needs[each] for each in found)) for name, found in needs.items()}
        groups: list[list[str]] = []
        for name in sorted(self._heads, key=lambda each: len(needs[each] - {each})):
            for group in groups:
                if name in needs[group[0]] and group[0] in needs[name]:
                    group.append(name)
                    break
            else:
                groups.append([name])
        return groups

    def _fixpoint(self, group: list[str]) -> None:
        rules = [rule for rule in self._rules if rule[0][1] in group]
        found = [self._query(rule, None) for rule in rules]
        while self._round(group, [(rule[0][1], query) for rule, query in zip(rules, found, strict=True)]):
            pairs = [(r, n) for r in rules for n, atom in enumerate(r[1]) if atom[1] in group]
            if not pairs:
                return
            rules, found = [r for r, _ in pairs], [self._query(r, n) for r, n in pairs]

    def _round(self, group: list[str], queries: list[tuple[str, str]]) -> bool:
        some = False
        for name in group:
            mine = [query for head, query in queries if head == name]
            whole = " union ".join(mine) if mine else f"select * from {name} where false"
            self._sql(f"create or replace table n_{name} as ({whole}) except select * from {name}")
        for name in group:
            self._sql(f"insert into {name} select * from n_{name}")
            self._sql(f"create or replace table d_{name} as select * from n_{name}")
            some |= bool(self._sql(f"select count(*) from n_{name}").fetchone()[0])
        return some

    def _query(self, rule: Rule, delta: int | None) -> str:
        (_, _, wanted), body = rule
        places: dict[str, str] = {}
        conditions, tables = [], []
        for number, (denied, name, variables) in enumerate(body):
            if denied:
                continue
            tables.append(f"{'d_' if number == delta else ''}{name} t{number}")
            for position, variable in enumerate(variables):
                place = f"t{number}.c{position}"
                if variable in places:
                    conditions.append(f"{places[variable]} = {place}")
                places.setdefault(variable, place)
        for denied, name, variables in body:
            if denied:
                same = " and ".join(f"o.c{n} = {places[v]}" for n, v in enumerate(variables))
                conditions.append(f"not exists (select 1 from {name} o where {same})")
        columns = ", ".join(f"{places[v]} as c{n}" for n, v in enumerate(wanted))
        where = f" where {' and '.join(conditions)}" if conditions else ""
        return f"(select distinct {columns} from {', '.join(tables)}{where})"


def clingo(program: Program, facts: Mapping[str, Edges]) -> Run:
    """clingo's grounder, which has no average."""
    import clingo as asp

    aggregate = program.aggregate
    if aggregate == "avg":
        raise SystemExit(UNKNOWN)
    text = program.text
    if aggregate:
        element = "V" if aggregate != "sum" else "V,V"
        text = f"made(X,N) :- value(X,_), N = #{aggregate} {{ {element} : value(X,V) }}."
    heads = {head[1]: len(head[2]) for head, _ in rules_of(program.text)} or {"made": 2}

    def run() -> Counts:
        control = asp.Control()
        for name, edges in facts.items():
            control.add("base", [], "".join(f"{name}({a},{b})." for a, b in edges.tolist()))
        control.add("base", [], text)
        control.ground([("base", [])])
        atoms = control.symbolic_atoms
        return {name: sum(1 for _ in atoms.by_signature(name, heads[name])) for name in program.counted}

    return run


CONTESTANTS: Mapping[str, Callable[[Program, Mapping[str, Edges]], Run]] = {
    "kgreason": kgreason, "duckdb": duckdb, "clingo": clingo
}


def peak() -> int:
    """The largest resident memory since the last `forget_peak`, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def map_files() -> None:
    """Have all pages of libraries resident: other processes share them, so that they are no memory of the run which is
    the first to call them."""
    madvise = ctypes.CDLL(None).madvise
    for line in Path("/proc/self/maps").read_text().splitlines():
        ends, access, _, _, _, *file = line.split(maxsplit=5)
        if file and file[0].startswith("/") and access.startswith("r"):
            begin, end = (int(each, 16) for each in ends.split("-"))
            madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _POPULATE_READ)


def forget_peak() -> None:
    """Have `peak` begin with what is resident now: making the facts took more than is left of it."""
    Path("/proc/self/clear_refs").write_text("5")


def main() -> None:
    """Run one contestant on one program."""
    name, which = sys.argv[1:]
    program = PROGRAMS[which]
    run = CONTESTANTS[name](program, program.graphs())
    map_files()
    forget_peak()
    before, wall, processor = peak(), time.perf_counter(), time.process_time()
    counts = run()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(json.dumps({"seconds": wall, "processor": processor, "bytes": peak() - before, "counts": counts}))


if __name__ == "__main__":
    main()
