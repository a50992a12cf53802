"""Random data, queries and updates as text, of what is nested and compared: filters on variables from outside, OPTIONAL
in MINUS in EXISTS, subqueries with LIMIT, GRAPH of a variable, aggregates over errors, values of many kinds.

What Oxigraph answers otherwise than SPARQL 1.1 says is left out, so that any other difference is one of ours:

* an order of IRIs, booleans or strings in a language (17.3 has none for the first and the last);
* the truth value of a string in a language or of a numeral that is malformed (17.2.2);
* duplicates of ``:p|:q``, ``!:p`` and ``!(:p|^:q)`` (18.4), and a path of no step at a term that no triple has;
* ``MINUS`` inside of ``EXISTS``, where terms have taken the places of the variables from outside, so that two sides
  do not share them (18.6);
* ``MINUS`` inside of ``GRAPH ?g``, and ``?g`` in an OPTIONAL there: ``?g`` is only joined to it (18.6);
* a triple that is in two of the graphs of ``USING``, which is one triple of their merge;
* ``COUNT`` of an expression with an error for a row (18.5.1.2), and ``COUNT(DISTINCT *)``, which to it counts what is
  between the steps of a path;
* numerals that it writes in another way.
"""

from __future__ import annotations

from random import Random
from typing import Final

PROLOGUE: Final = "PREFIX : <urn:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
NAMES: Final = ["?x", "?y", "?z", "?v"]
NODES: Final = [":a", ":b", ":c", ":d"]
PREDICATES: Final = [":p", ":q", ":step"]
ORDERED: Final = [
    "1", "2", "-1", "2.5", '"1.5"^^xsd:double', '"1"', '"x"', '"y"', '"2020-01-01T00:00:00Z"^^xsd:dateTime',
    '"2020-01-01T01:00:00+01:00"^^xsd:dateTime', '"2021-01-01T00:00:00Z"^^xsd:dateTime',
]  # fmt: skip
LITERALS: Final = [
    *ORDERED, "true", "false", '"x"@en', '"x"@fr', '"y"@en-GB', '"v"^^:dt', '"w"^^:dt', '"bad"^^xsd:integer',
]  # fmt: skip
PATHS: Final = [
    ":p/:q", "^:p", ":step+", "!(:p|:q)", "!(:p|:step)", "(^:p|:q)+", ":p/^:p", "!(^:p|^:q)", "(:p|:step)+",
    ":step/:step+", "^(:p/:step)", "!(^:q|^:step)",
]  # fmt: skip
PATHS_OF_NO_STEP: Final = [":step*", ":step?", "(:p/:step)?", "(:p|:step)*", "(^:p/:q)*"]
AGGREGATES: Final = [
    "COUNT(*)", "COUNT(%s)", "COUNT(DISTINCT %s)", "SUM(%s)", "AVG(%s)", "MIN(STR(%s))", "MAX(STRLEN(STR(%s)))",
    "SUM(DISTINCT STRLEN(STR(%s)))", "SUM(IF(ISNUMERIC(%s), %s, 0))", "SUM(COALESCE(%s + 1, 0))",
    "AVG(IF(ISNUMERIC(%s), %s, 1/0))",
]  # fmt: skip
FUNCTIONS: Final = [
    "STR(%s)", "ISIRI(%s)", "BOUND(?x)", "COALESCE(%s, ?y, 1)", "IF(ISLITERAL(%s), 1, 2)", "STRLEN(STR(%s))",
    "LANG(%s)", "DATATYPE(%s)", "LANGMATCHES(LANG(%s), 'en')", "ISNUMERIC(%s)", "ABS(%s)", "YEAR(%s)", "UCASE(%s)",
    "CONCAT(%s, 'x')", "SUBSTR(%s, 1, 1)", "STRBEFORE(%s, 'x')", "xsd:integer(%s)", "xsd:boolean(%s)", "TZ(%s)",
    "STRLANG(STR(%s), 'en')", "STRDT(STR(%s), :dt)", "IRI(STR(%s))", "-(%s)", "(%s + ?y)", "(%s * 2)", "(?z / %s)",
]  # fmt: skip
TESTS: Final = [
    "BOUND(%s)", "ISLITERAL(%s)", "LANGMATCHES(LANG(%s), '*')", "REGEX(STR(%s), 'x|a')", "CONTAINS(%s, 'x')",
    "SAMETERM(%s, ?y)", "ISNUMERIC(%s)", "STR(%s)", "STRLEN(STR(%s)) - 1", "xsd:boolean(%s)", "COALESCE(%s = 1, true)",
    "IF(%s = ?z, false, true)", "YEAR(%s) - 2020",
]  # fmt: skip


class NestedTexts:
    """Makes data and queries; one seed makes one of each."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.pick = chance.choice
        self.fresh = 0

    def data(self) -> str:
        """TriG of up to 24 triples, in the default graph and in two others."""
        return PROLOGUE + "\n".join(self.fact() for _ in range(self.chance.randint(8, 30)))

    def fact(self) -> str:
        """One triple, perhaps in a graph."""
        object = self.pick([*NODES, *NODES, self.pick(LITERALS)])
        fact = f"{self.pick(NODES)} {self.pick([*PREDICATES, ':step'])} {object} ."
        name = self.pick(["", "", ":g", ":h"])
        return f"{name} {{ {fact} }}" if name else fact

    def query(self) -> str:
        """A SELECT with its prologue."""
        return PROLOGUE + self.select(3)

    def construction(self) -> str:
        """A CONSTRUCT with its prologue; its template may have blank nodes."""
        end = self.pick(["", " LIMIT 0"])
        return f"{PROLOGUE}CONSTRUCT {{ {self.template(True)} }} WHERE {self.group(2)}{end}"

    def update(self) -> str:
        """One or two changes by a pattern."""
        return PROLOGUE + " ;\n".join(self.change() for _ in range(self.pick([1, 1, 2])))

    def change(self) -> str:
        """DELETE and INSERT, in a graph and using graphs."""
        deleted, inserted = f"DELETE {{ {self.template(False)} }}", f"INSERT {{ {self.template(True)} }}"
        change = self.pick([f"{deleted} {inserted}", f"{deleted} {inserted}", deleted, inserted])
        used = self.pick(["", "", "USING :g", "USING :h USING NAMED :g", "USING NAMED :h"])
        return f"{self.pick(['', 'WITH :g '])}{change} {used} WHERE {self.group(2)}"

    def template(self, has_blank_nodes: bool) -> str:
        """Two triples, which may be about a blank node that each solution makes anew."""
        blank = ["_:n", "_:n"] if has_blank_nodes else []
        return " ".join(
            f"{self.pick([*NAMES, *NODES, *blank])} {self.pick([*PREDICATES, '?w', '?z'])} "
            f"{self.pick([*NAMES, *NAMES, self.pick(LITERALS), *blank])} ."
            for _ in range(2)
        )  # fmt: skip

    def select(self, depth: int) -> str:
        """A SELECT. One with a LIMIT is ordered by all that it shows."""
        where = f"WHERE {self.group(depth)}"
        if self.chance.random() < 0.3:
            return self.grouped(where)
        names = sorted(self.chance.sample(NAMES, self.chance.randint(1, 3)))
        shown = " ".join(names)
        if self.chance.random() < 0.3:
            keys = " ".join(f"{self.pick(['', 'DESC'])}(STR({n})) STR(DATATYPE({n})) LANG({n})" for n in names)
            part = self.pick(["", " LIMIT 1", " LIMIT 3", " LIMIT 2 OFFSET 1", " OFFSET 1", " LIMIT 0"])
            where += f" ORDER BY {keys}{part}"
        elif self.chance.random() < 0.3:
            shown += f" ({self.expression(2)} AS {self.new()})"
        values = self.values() if self.chance.random() < 0.1 else ""
        return f"SELECT {self.pick(['', '', 'DISTINCT '])}{shown} {where}{values}"

    def grouped(self, where: str) -> str:
        """A SELECT of aggregates."""
        first, second = self.chance.sample(NAMES, 2)
        shown = f"({self.aggregate()} AS {self.new()})"
        if self.chance.random() < 0.3:
            shown += f" ({self.aggregate()} {self.pick('+*-')} 1 AS {self.new()})"
        end = where
        match self.pick(["all", "one", "two", "expression"]):
            case "one":
                shown, end = f"{first} {shown}", f"{where} GROUP BY {first}"
            case "two":
                shown, end = f"{first} {second} {shown}", f"{where} GROUP BY {first} {second}"
            case "expression":
                name = self.new()
                shown, end = f"{name} {shown}", f"{where} GROUP BY (STR({self.expression(1)}) AS {name})"
        if self.chance.random() < 0.4:
            aggregate = self.pick(["COUNT(*)", f"COUNT({first})", f"SUM({first})", f"MAX(STRLEN(STR({second})))"])
            end += f" HAVING ({aggregate} {self.pick(['>', '=', '<', '!='])} {self.pick('012')})"
        return f"SELECT {shown} {end}"

    def aggregate(self) -> str:
        """An aggregate."""
        return self.pick(AGGREGATES).replace("%s", self.pick(NAMES))

    def group(self, depth: int) -> str:
        """A group."""
        parts = [self.triple() for _ in range(self.pick([1, 1, 2]))]
        parts += [self.part(depth - 1) for _ in range(self.pick([0, 1, 1, 2, 3]) if depth else 0)]
        if self.chance.random() < 0.3:
            self.chance.shuffle(parts)
        return "{ " + " ".join(parts) + " }"

    def part(self, depth: int) -> str:
        """What may be in a group beside triples."""
        group, other, negated = self.group(depth), self.group(depth), self.pick(["", "NOT "])
        within = f"{group[:-1]} FILTER({self.condition(2)}) }}"
        asked = f"{{ {self.triple()} }}" if "MINUS" in group else self.pick([group, within])
        return self.pick([
            f"OPTIONAL {group}",
            f"OPTIONAL {within}",
            f"OPTIONAL {other[:-1]} FILTER {negated}EXISTS {asked} }}",
            f"{group} UNION {other}",
            f"MINUS {group}",
            f"MINUS {within}",
            group,
            f"FILTER({self.condition(2)})",
            f"FILTER({self.condition(2)})",
            f"FILTER({self.condition(1)} || {negated}EXISTS {asked})",
            f"FILTER {negated}EXISTS {asked}",
            f"FILTER {negated}EXISTS {asked}",
            self.binds(),
            f"{{ {self.select(depth)} }}" if depth else group,
            self.values(),
            f"GRAPH {self.graph_for(group)} {group}",
        ])  # fmt: skip

    def graph_for(self, group: str) -> str:
        """What GRAPH may be in front of a group."""
        names = [":g", ":h"] if "MINUS" in group else [":g", "?g", "?g"]
        return self.pick([*names, "?x"] if group.count("{") == 1 else names)

    def binds(self) -> str:
        """One BIND, or two of which the second uses the first."""
        first, second = self.new(), self.new()
        chain = f"BIND({self.expression(2)} AS {first})"
        if self.chance.random() < 0.5:
            chain += f" BIND({self.pick(FUNCTIONS).replace('%s', first)} AS {second})"
            chain += f" FILTER({second} {self.pick(['=', '!='])} {self.expression(0)})"
        return chain

    def triple(self) -> str:
        """A pattern with a predicate, a variable or a path. A path of no step begins and ends in variables."""
        subject, object = self.pick([*NAMES, *NAMES, *NODES]), self.pick([*NAMES, *NAMES, *NODES, self.pick(LITERALS)])
        if self.chance.random() < 0.15:
            return f"?x :p ?y . ?x {self.pick(PATHS_OF_NO_STEP)} {self.pick(NAMES)} ."
        verb = self.pick([*PREDICATES, *PREDICATES, "?w", self.pick(PATHS), self.pick(PATHS)])
        return f"{subject} {verb} {object} ."

    def condition(self, depth: int) -> str:
        """What has a truth value or none, to each engine alike."""
        name, other = self.pick(NAMES), self.pick(NAMES)
        if depth and self.chance.random() < 0.4:
            left, right = self.condition(depth - 1), self.condition(depth - 1)
            return self.pick([f"({left} && {right})", f"({left} || {right})", f"(!({left}))"])
        ordered, terms = self.pick(ORDERED), [self.pick(LITERALS), self.pick(NODES), other]
        operator, equal = self.pick(["<", ">", "<=", ">="]), self.pick(["=", "!="])
        return self.pick([
            f"({name} {operator} {ordered})",
            f"({ordered} {operator} {name})",
            f"(STRLEN(STR({name})) {operator} STRLEN(STR({other})))",
            f"({name} {equal} {self.pick(terms)})",
            f"({name} {equal} {self.pick(terms)})",
            f"({name} {self.pick(['', 'NOT '])}IN ({', '.join(terms)}))",
            self.pick(TESTS).replace("%s", name),
            self.pick(TESTS).replace("%s", name),
        ])  # fmt: skip

    def expression(self, depth: int) -> str:
        """An expression."""
        if not depth or self.chance.random() < 0.1:
            return self.pick([*NAMES, *NAMES, *NAMES, self.pick(NODES), self.pick(LITERALS)])
        if self.chance.random() < 0.3:
            return self.condition(1)
        return self.pick(FUNCTIONS).replace("%s", self.expression(depth - 1))

    def values(self) -> str:
        """VALUES for two variables, some of them UNDEF."""
        names = self.chance.sample(NAMES, 2)
        terms = [*NODES, "UNDEF", "UNDEF"]
        rows = [[self.pick([*terms, self.pick(LITERALS)]) for _ in names] for _ in range(self.pick([1, 2, 3]))]
        return f" VALUES ({' '.join(names)}) {{ {' '.join(f'({first} {second})' for first, second in rows)} }}"

    def new(self) -> str:
        """A variable that is nowhere else."""
        self.fresh += 1
        return f"?n{self.fresh}"
