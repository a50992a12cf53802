"""Random queries as text, as people write them: all of the grammar that rdflib's own parser reads without a fault."""

from __future__ import annotations

from random import Random

PROLOGUE = "PREFIX : <urn:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
NAMES = ["?x", "?y", "?z", "?w"]
NODES = [":a", ":b", "<urn:c>", ":d"]
PREDICATES = [":p", ":q", "a", ":step"]
LITERALS = ['"1"', "'x'@en", "1", "2.5", '"3"^^xsd:integer', "true", '"""long"""']
PATHS = [":p/:q", "^:p", ":step+", ":step*", ":p|:q", "(:p/:step)?", "!(:p|:q)", "!:p", "(^:p|:q)+", ":p/^:p"]
FUNCTIONS = [
    "STR(%s)", "ISIRI(%s)", "BOUND(?x)", "COALESCE(%s, 1)", "IF(ISLITERAL(%s), 1, 2)", "STRLEN(STR(%s))",
    "xsd:string(%s)",
]  # fmt: skip
AGGREGATES = ["COUNT(*)", "COUNT(DISTINCT %s)", "MIN(STR(%s))", "SAMPLE(1)", "SUM(STRLEN(STR(%s)))"]


class TextMaker:
    """Makes queries."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.fresh = 0

    def query(self) -> str:
        """A SELECT with its prologue."""
        return PROLOGUE + self.select(3)

    def select(self, depth: int) -> str:
        """A SELECT."""
        pick = self.chance.random()
        where = f"WHERE {self.group(depth)}"
        if pick < 0.25:
            key = self.chance.choice(NAMES)
            having = self.maybe(0.2, "\nHAVING (COUNT(*) > 0)")
            value = self.chance.choice(AGGREGATES).replace("%s", self.chance.choice(NAMES))
            return f"SELECT {key} ({value} AS {self.new()}) {where}\nGROUP BY {key}{having}"
        if pick < 0.35:
            value = self.chance.choice(AGGREGATES).replace("%s", self.chance.choice(NAMES))
            return f"SELECT ({value} AS {self.new()}) {where}"
        items = " ".join(sorted(self.chance.sample(NAMES, self.chance.randint(1, 3))))
        extra = self.maybe(0.2, f" ({self.expression(1)} AS {self.new()})")
        distinct = self.maybe(0.3, "DISTINCT ")
        selected = self.chance.choice(["*", items + extra, items])
        order = self.maybe(0.2, f"\nORDER BY DESC({self.chance.choice(NAMES)}) {self.chance.choice(NAMES)}")
        # To rdflib's parser a * has nothing of VALUES.
        values = "" if selected == "*" else self.values(0.1)
        return f"SELECT {distinct}{selected} {where}{order}{values}"

    def group(self, depth: int) -> str:
        """A group."""
        parts = [self.triples()]
        for _ in range(self.chance.randint(0, 2) if depth else 0):
            parts.append(self.part(depth - 1))
        if self.chance.random() < 0.3:
            self.chance.shuffle(parts)
        return "{ " + "\n  ".join(parts) + " }"

    def part(self, depth: int) -> str:
        """What may be in a group beside triples."""
        group, other = self.group(depth), self.group(depth)
        return self.chance.choice([
            f"OPTIONAL {group}",
            f"OPTIONAL {group[:-1]} FILTER({self.expression(1)}) }}",
            f"{group} UNION {other}",
            f"MINUS {group}",
            group,
            f"FILTER({self.expression(2)})",
            f"FILTER({self.expression(2)})",
            f"FILTER {self.maybe(0.5, 'NOT ')}EXISTS {group}",
            f"BIND({self.expression(1)} AS {self.new()})",
            f"{{ {self.select(depth)} }}" if depth else group,
            self.values(1),
            f"FILTER({self.chance.choice(NAMES)} {self.maybe(0.5, 'NOT ')}IN (:a, 1, :b))",
        ])  # fmt: skip

    def triples(self) -> str:
        """Triples of one subject, with a dot."""
        subject = self.chance.choice([*NAMES, *NAMES, *NODES, "[]", "_:b" + str(self.number())])
        pairs = [f"{self.verb()} {self.objects()}" for _ in range(self.chance.choice((1, 1, 2)))]
        return f"{subject} {' ; '.join(pairs)} ."

    def verb(self) -> str:
        """A predicate, a variable or a path."""
        return self.chance.choice([*PREDICATES, *PREDICATES, *NAMES, self.chance.choice(PATHS)])

    def objects(self) -> str:
        """One object or two."""
        choices = [*NAMES, *NAMES, *NODES, self.chance.choice(LITERALS), "[ :p ?x ]", "[]"]
        return ", ".join(self.chance.sample(choices, self.chance.choice((1, 1, 1, 2))))

    def expression(self, depth: int) -> str:
        """An expression."""
        leaf = self.chance.choice([*NAMES, *NODES, *LITERALS])
        if not depth or self.chance.random() < 0.2:
            return leaf
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        operator = self.chance.choice(["=", "!=", "<", ">=", "&&", "||", "+", "-", "*"])
        return self.chance.choice([
            f"({left}) {operator} ({right})",
            f"!({left})",
            self.chance.choice(FUNCTIONS).replace("%s", left),
        ])  # fmt: skip

    def values(self, chance: float) -> str:
        """VALUES, perhaps."""
        if self.chance.random() > chance:
            return ""
        names = self.chance.sample(NAMES, 2)
        choice = self.chance.choice
        rows = " ".join(f"({choice([*NODES, 'UNDEF'])} {choice([*NODES, '1'])})" for _ in range(2))
        return f" VALUES ({' '.join(names)}) {{ {rows} }}"

    def maybe(self, chance: float, text: str) -> str:
        """A text, or none."""
        return text if self.chance.random() < chance else ""

    def new(self) -> str:
        """A variable that is nowhere else."""
        return f"?n{self.number()}"

    def number(self) -> int:
        """The next number."""
        self.fresh += 1
        return self.fresh
