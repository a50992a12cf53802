"""Rule texts: one RuleError in one line; or rules whose text reads back as the same rules, as stores on disk need."""

from __future__ import annotations

from kgreason.errors import RuleError
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program
from kgreason.program.stratification import check_stratification
from tests.fuzz.target import Target, expect_one_line


def check(data: bytes) -> None:
    """The text of a program; bytes that are no text are replaced, and lone surrogates are tried."""
    text = data.decode("utf-8", "surrogatepass" if b"\xed" in data and _is_text(data) else "replace")
    try:
        program = parse_program(text)
    except RuleError as error:
        expect_one_line(error)
        return
    again = parse_program(str(Program(program.rules)))
    assert again.rules == program.rules, "other rules come out of the text of rules"
    try:
        check_stratification(program)
    except RuleError as error:
        expect_one_line(error)


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


TARGET = Target(
    "rules",
    [
        b"@prefix ex: <http://e/> .\nex:gp(?x,?z) :- ex:parent(?x,?y), ex:parent(?y,?z), ~ex:step(?x,?y) .\n",
        b'#[name("a")]\n[?x, ex:p, ?y] :- [?x, ex:q, ?y], ?y > 3, ?z = ?y + 1.5, contains(?x, "a\\n") .\n',
        b"@base <http://b/> .\nq(?x, ?y, ?z) :- member(?x, ?l, ?y), path(?x, ?l, ?z), [?x, a, <rel>] .\n",
        b"false :- q(?x, ?x, 1) .\nex:C(ex:a) .\n",
        b'q(?x) :- r(?x, "text"@en, """long\n""", "1"^^xsd:int, true, _:b, -1e3), !s(?x) . % comment\n',
        b"rdf0:TE(A,B,C) :- TE(A,<http://e/p>,B),TE(B,C,D)\n",
        b"q(?x) :- r(?x), FILTER(STRLEN(?x) * 2 >= ABS(3 - 1) && !(?x = 'a') || REGEX(?x, '^a', 'i')) .\n",
        b"q(?x, #sum(?y * 2, ?z), #group_concat(?y; SEPARATOR = ', ')) :- s(?x, ?y, ?z), ~t(?y) .\n",
        b"q(?x) :- r(?x), AGGREGATE(s(?x, ?y), ?y > 1 ON ?x BIND COUNT(*) AS ?n BIND AVG(DISTINCT ?y) AS ?a) .\n",
        b"q(?x), r(?y) :- s(?x, ?y), BIND(CONCAT(?x, 'b') AS ?z), NOT t(?z), ?x IN (1, 2) .\n",
    ],
    [
        *b"?x :- ~ ( ) [ ] ex: <http://e/ > \" \"\"\" ^^ @en @prefix #[name( member( path( BIND( AS FILTER(".split(),
        *b"AGGREGATE( ON DISTINCT #count( #group_concat(?y; SEPARATOR= COUNT(*)".split(),
        *b"false ! * 1e400 \\u \xed\xa0\x80 (((((((( -------- \xe2\x80\xa8 % _ _:b NaN \\".split(),
        *(b" .", b"\r"),
    ],
    check,
)
