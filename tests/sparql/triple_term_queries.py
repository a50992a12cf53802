"""Random quads and queries of SPARQL 1.2 that ask for them: triple terms in data, patterns, templates, paths,
expressions and VALUES; reifiers and annotations; base directions; and the forms of a query that SPARQL 1.1 has.

A pattern is made from triples of the data, with variables in the place of some of their parts, so that most queries
have answers: what is drawn freely has none in 99 of 100 cases.
"""

from __future__ import annotations

import re
from random import Random
from typing import Union

REIFIES = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>"
XSD = "http://www.w3.org/2001/XMLSchema#"
IRIS = ["<urn:a>", "<urn:b>", "<urn:c>", "<urn:r>"]
PREDICATES = ["<urn:p>", "<urn:q>"]
LITERALS = ['"x"', '"x"@en', '"x"@en--ltr', '"x"@en--rtl', f'"1"^^<{XSD}integer>', f'"1.5"^^<{XSD}decimal>',
            f'"true"^^<{XSD}boolean>']  # fmt: skip
"""Of numbers the canonical forms alone: Oxigraph keeps no others."""
VARIABLES = ["?s", "?t", "?u", "?v", "?w"]
PATHS = ["<urn:p>/<urn:q>", "^<urn:p>", "<urn:p>+", "<urn:q>*", "(<urn:p>|<urn:q>)?", "!<urn:p>",
         f"{REIFIES}/^{REIFIES}", f"(<urn:p>|{REIFIES})+"]  # fmt: skip

_PLACES = re.compile(r"<<\(? (\S+) (\S+) ")
"""Subjects and predicates of triple terms."""

Term = Union[str, "Triple"]
Triple = tuple[Term, Term, Term]


def text_of(term: Term) -> str:
    """A term as N-Triples and SPARQL write it."""
    return term if isinstance(term, str) else f"<<( {' '.join(map(text_of, term))} )>>"


class QueryMaker:
    """Makes a document of quads, and queries over it."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.pick = chance.choice
        said = [self.statement() for _ in range(chance.randint(2, 6))]
        for _ in range(chance.randint(1, 4)):
            reifier = self.pick(IRIS)
            said.append((reifier, REIFIES, self.pick(said) if self.maybe(0.7) else self.statement()))
            if self.maybe(0.7):
                said.append((reifier, self.pick(PREDICATES), self.constant()))
        self.triples: list[Triple] = said
        self.quads = [(triple, self.pick(["", "", "", "", "<urn:g>", "<urn:h>"])) for triple in said]
        self.stands_for: dict[Term, str] = {}

    def document(self) -> str:
        """The data as N-Quads."""
        return "".join(f"{' '.join(map(text_of, triple))} {graph} .\n" for triple, graph in self.quads)

    # -- data --------------------------------------------------------------------------------------------------

    def statement(self) -> Triple:
        """A triple of constants."""
        return self.pick(IRIS), self.pick(PREDICATES), self.constant()

    def constant(self, depth: int = 2) -> Term:
        """An IRI, a literal or a triple term."""
        if depth and self.maybe(0.3):
            return self.pick(IRIS), self.pick(PREDICATES), self.constant(depth - 1)
        return self.pick(IRIS if self.maybe(0.5) else LITERALS)

    # -- triples of patterns and templates ---------------------------------------------------------------------

    def part(self, term: Term) -> str:
        """A term, or a variable for it or for some of its parts."""
        if self.maybe(0.02):
            return self.pick([*VARIABLES, text_of(self.constant())])
        if not isinstance(term, str) and self.maybe(0.65):
            return f"<<( {self.end(term[0])} {self.end(term[1])} {self.part(term[2])} )>>"
        return self.variable_for(term) if self.maybe(0.7) else text_of(term)

    def end(self, term: Term) -> str:
        """A term as a subject or predicate."""
        assert isinstance(term, str)
        return self.variable_for(term) if self.maybe(0.6) else term

    def variable_for(self, term: Term) -> str:
        """Mostly the same variable for the same term, so that triples join."""
        name = self.pick(VARIABLES)
        return self.stands_for.setdefault(term, self.unused() or name) if self.maybe(0.95) else name

    def unused(self) -> str | None:
        """A variable that stands for nothing yet."""
        return next((name for name in VARIABLES if name not in self.stands_for.values()), None)

    def triple(self, triple: Triple) -> str:
        """A triple of a pattern, as triples or by the syntax for reifiers."""
        subject, verb, value = triple
        if verb == REIFIES and not isinstance(value, str) and self.maybe(0.7):
            return self.reified(subject, value)
        plain = f"{self.end(subject)} {self.end(verb)} {self.part(value)}"
        reifiers = [s for (s, p, o), graph in self.quads if p == REIFIES and o == triple and not graph]
        if reifiers and self.maybe(0.7):
            return plain + self.annotation(self.pick(reifiers)) + " ."
        return self.pick([f"{plain} .", f"{plain} .", f"{plain} , {self.part(value)} ."])

    def reified(self, reifier: Term, said: Triple) -> str:
        """A triple that a resource reifies, perhaps with something said of that."""
        name = self.pick([f" ~ {self.end(reifier)}", ""])
        inner = f"<< {self.end(said[0])} {self.end(said[1])} {self.part(said[2])}{name} >>"
        more = [(p, o) for s, p, o in self.triples if s == reifier and p != REIFIES]
        if more and self.maybe(0.6):
            verb, value = self.pick(more)
            return f"{inner} {self.end(verb)} {self.part(value)} ."
        subjects = [(s, p) for s, p, o in self.triples if o == reifier]
        if subjects and self.maybe(0.5):
            subject, verb = self.pick(subjects)
            return f"{self.end(subject)} {self.end(verb)} {inner} ."
        return f"{inner} ."

    def annotation(self, reifier: Term) -> str:
        """Of a triple a reifier, and what is said of it."""
        blocks = [
            f"{{| {self.end(p)} {self.part(o)} |}}" for s, p, o in self.triples if s == reifier and p != REIFIES
        ]
        chosen = " ".join(self.chance.sample(blocks, self.chance.randint(0, min(2, len(blocks)))))
        return self.pick([f" ~ {self.end(reifier)} {chosen}", f" {chosen}" if chosen else " ~", " ~"])

    def basic(self, graph: str = "") -> str:
        """One to three triples, mostly with terms in common."""
        here = [triple for triple, where in self.quads if where == graph] or self.triples
        chosen = [self.pick(here)]
        for _ in range(self.pick([0, 0, 1, 1, 2])):
            near = [triple for triple in here if {*triple} & {*chosen[-1]}]
            chosen.append(self.pick(near if self.maybe(0.9) else here))
        return " ".join(map(self.triple, chosen))

    def template(self) -> str:
        """Triples to be made of solutions."""
        return " ".join(self.triple(self.pick(self.triples)) for _ in range(self.pick([1, 1, 2])))

    # -- expressions -------------------------------------------------------------------------------------------

    def variable(self) -> str:
        """One that a pattern has, if there is any."""
        return self.pick([*self.stands_for.values(), *VARIABLES[:1]])

    def operand(self) -> str:
        """A variable, a term of the data, or another one."""
        if self.maybe(0.5):
            return self.variable()
        return text_of(self.pick(self.pick(self.triples)) if self.maybe(0.7) else self.constant())

    def value(self) -> str:
        """An expression with a term for its value."""
        one, two, three = self.variable(), self.variable(), self.operand()
        end = self.pick([one, *IRIS])
        verb = self.pick([two, *PREDICATES])
        return self.pick([
            *(f"{name}({one})" for name in ("SUBJECT", "PREDICATE", "OBJECT", "LANGDIR", "LANG", "STR", "DATATYPE")),
            f"TRIPLE({end}, {verb}, {three})", f"<<( {end} {verb} {two} )>>", f"OBJECT(TRIPLE({end}, {verb}, {three}))",
            f'STRLANGDIR(STR({one}), "en", "rtl")', f'STRLANG(STR({one}), "en")',
            f"COALESCE(OBJECT({one}), {three})", f"IF(isTRIPLE({one}), SUBJECT({one}), {three})",
        ])  # fmt: skip

    def condition(self) -> str:
        """An expression with a truth value."""
        one, two = self.variable(), self.operand()
        return self.pick([
            *(f"{name}({one})" for name in ("isTRIPLE", "hasLANG", "hasLANGDIR", "isLITERAL", "isIRI", "BOUND")),
            f"{one} = {two}", f"{one} != {two}", f"sameTerm({one}, {two})", f"{one} IN ({two}, {self.operand()})",
            f"{one} NOT IN ({two}, {self.operand()})", f"{self.value()} = {two}", f"!({self.value()} = {self.value()})",
            f"BOUND({one}) || isTRIPLE({self.variable()})", f"{one} = {two} && !isIRI({one})",
        ])  # fmt: skip

    # -- patterns and queries ----------------------------------------------------------------------------------

    def more(self) -> str:
        """What may be in a group beside triples."""
        one, graph = self.variable(), self.pick(["<urn:g>", "<urn:h>"])
        cells = [self.pick(["UNDEF", text_of(self.pick(self.triples)[2]), self.operand()]) for _ in range(4)]
        rows = [cell if not cell.startswith("?") else "UNDEF" for cell in cells]
        return self.pick([
            self.basic(),
            self.path(),
            f"OPTIONAL {{ {self.basic()} }}", f"OPTIONAL {{ {self.basic()} FILTER({self.condition()}) }}",
            f"MINUS {{ {self.basic()} }}", f"{{ {self.basic()} }} UNION {{ {self.basic()} }}",
            f"GRAPH {self.pick([graph, '?g'])} {{ {self.basic(graph)} }}",
            f"FILTER({self.condition()})", f"FILTER({self.condition()})", f"FILTER({self.condition()})",
            self.existence(self.basic()),
            f"VALUES (?s ?t) {{ ({rows[0]} {rows[1]}) ({rows[2]} {rows[3]}) }}",
            f"{{ SELECT DISTINCT {one} {{ {self.basic()} }} }}",
            f"{{ SELECT {one} (COUNT(*) AS ?count) {{ {self.basic()} }} GROUP BY {one} }}",
        ])  # fmt: skip

    def path(self) -> str:
        """A path between a subject and an object. One of no step connects each term with itself: where that is a
        constant that the graph does not have, Oxigraph has no solution."""
        path, ends = self.pick(PATHS), self.pick(self.triples)
        first, last = self.end(ends[0]), self.part(ends[2])
        if path[-1] in "*?":
            nodes = {text_of(term) for (s, _, o), graph in self.quads if not graph for term in (s, o)}
            first, last = (end if end in nodes else self.pick(VARIABLES) for end in (first, last))
        return f"{first} {path} {last} ."

    def existence(self, pattern: str) -> str:
        """EXISTS or NOT EXISTS, where variables in the places of a triple term that only IRIs have are IRIs or unbound:
        for others Oxigraph takes the variable to be free, while what they are substituted for matches nothing."""
        names = {name for places in _PLACES.findall(pattern) for name in places if name.startswith("?")}
        odd = " || ".join(f"BOUND({name}) && !isIRI({name})" for name in sorted(names)) or "false"
        return self.pick([
            f"FILTER(!({odd}) && EXISTS {{ {pattern} }})",
            f"FILTER(({odd}) || NOT EXISTS {{ {pattern} }})",
        ])  # fmt: skip

    def pattern(self) -> str:
        """What is between the braces of WHERE."""
        parts = [self.basic(), *(self.more() for _ in range(self.pick([0, 1, 1, 2])))]
        if self.maybe(0.4):
            parts.append(f"BIND({self.value()} AS ?bound)")
        return " ".join(parts)

    def select(self) -> str:
        """A SELECT whose answers have no order."""
        where = f"{{ {self.pattern()} }}"
        one = self.variable()
        total = self.pick(["COUNT(*)", f"COUNT(DISTINCT {self.variable()})", f"MIN(STR({self.value()}))"])
        return self.pick([
            f"SELECT * {where}", f"SELECT * {where}", f"SELECT DISTINCT {one} ({self.value()} AS ?value) {where}",
            f"SELECT {one} ({total} AS ?total) {where} GROUP BY {one}",
            f"SELECT ?key ({total} AS ?total) {where} GROUP BY ({self.value()} AS ?key)",
        ])  # fmt: skip

    def maybe(self, share: float) -> bool:
        """True in a share of cases."""
        return self.chance.random() < share
