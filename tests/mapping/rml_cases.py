"""The cases of the RML-Core test suite (https://w3id.org/rml/core/test-cases) with tables and mappings of our own.

Names are those of the suite. Where the suite expects an error for a row, the row is in quarantine: test_rml_quarantine.
"""

from __future__ import annotations

from tests.mapping.rml import Case
from tests.mapping.rml_term_cases import BY_ID, NAME, PEOPLE, TERMS, _people, _values

SPORTS = [{"ID": 100, "Title": "Chess"}, {"ID": 200, "Title": "Judo"}]


PLAYERS = [{"ID": 7, "Name": "Ada", "Sport": 100}, {"ID": 8, "Name": "Alan", "Sport": 300}]


PLAYS = """
  <#player> rml:logicalSource %players; rml:subjectMap [ rml:template 'http://example.com/player/{ID}' ];
    rml:predicateObjectMap [ rml:predicate ex:plays; rml:objectMap [
      rml:parentTriplesMap <#sport>; rml:joinCondition [ @CONDITION ] ] ].
  <#sport> rml:logicalSource %sports; rml:subjectMap [ rml:template 'http://example.com/sport/{ID}' ];
    rml:predicateObjectMap [ rml:predicate rdfs:label; rml:objectMap [ rml:reference 'Title' ] ] ."""


GRAPH_BY_NAME = "; rml:graphMap [ rml:template 'http://example.com/graph/{Name}' ] ]"


LABELS = """ <http://example.com/sport/100> rdfs:label "Chess" . <http://example.com/sport/200> rdfs:label "Judo" ."""


TABLES = {"players": PLAYERS, "sports": SPORTS}


ADA, ALAN = "<http://example.com/player/7>", "<http://example.com/player/8>"


CHESS, JUDO = "<http://example.com/sport/100>", "<http://example.com/sport/200>"


def _join(name: str, condition: str, expected: str) -> Case:
    return Case(name, TABLES, PLAYS.replace("@CONDITION", condition), expected + LABELS)


GRAPHS = (
    _people(
        "0007b",
        f"<#m> {BY_ID}; {NAME.replace('foaf:name;', 'foaf:name; rml:graph ex:g;')} .",
        'ex:g { ex:7 foaf:name "Ada" . ex:8 foaf:name "Alan" }',
    ),
    _people(
        "0007e",
        f"<#m> {BY_ID.replace(' ]', '; rml:class foaf:Person; rml:graph ex:g ]')}; {NAME} .",
        'ex:g { ex:7 a foaf:Person; foaf:name "Ada" }',
        PEOPLE[:1],
    ),
    _people(
        "0007g",
        f"<#m> {BY_ID.replace(' ]', '; rml:graph rml:defaultGraph ]')}; {NAME} .",
        'ex:7 foaf:name "Ada" .',
        PEOPLE[:1],
    ),
    _people(
        "0008a",
        f"<#m> {BY_ID.replace(' ]', GRAPH_BY_NAME)}; {NAME} .",
        'GRAPH <http://example.com/graph/Ada> { ex:7 foaf:name "Ada" } '
        'GRAPH <http://example.com/graph/Alan> { ex:8 foaf:name "Alan" }',
    ),
    _people(
        "0028b",
        f"""<#m> {BY_ID.replace(" ]", "; rml:class ex:C; rml:graph ex:g ]")};
          {NAME.replace("foaf:name;", "foaf:name; rml:graph rml:defaultGraph;")} .""",
        'ex:7 foaf:name "Ada" . ex:g { ex:7 a ex:C; foaf:name "Ada" }',
        PEOPLE[:1],
    ),
    _people(
        "graph of a blank node",
        f"""<#m> rml:logicalSource %people; {NAME.replace("foaf:name;", "foaf:name; rml:graph ex:h;")};
          rml:subjectMap [ rml:reference 'Name'; rml:termType rml:BlankNode; rml:graph ex:g ] .""",
        'ex:g { _:a foaf:name "Ada" } ex:h { _:b foaf:name "Ada" }',
        PEOPLE[:1],
    ),
    _people(
        "graph that is missing",
        f"""<#m> {BY_ID}; {NAME.replace("foaf:name;", "foaf:name; rml:graphMap [ rml:reference 'G' ];")} .""",
        'ex:g { ex:7 foaf:name "Ada" }',
        [{"ID": 7, "Name": "Ada", "G": "g"}, {"ID": 8, "Name": "Alan", "G": None}],
    ),
)


JOINS = (
    _people(
        "0008b",
        f"""<#m> {BY_ID}; rml:predicateObjectMap [ rml:predicate ex:knows;
          rml:objectMap [ rml:parentTriplesMap <#n> ] ] .
            <#n> rml:logicalSource %people; rml:subjectMap [ rml:template 'http://example.com/{{Name}}';
              rml:class ex:C ] .""",
        "ex:7 ex:knows ex:Ada . ex:Ada a ex:C .",
        PEOPLE[:1],
    ),
    _join("0009a", "rml:child 'Sport'; rml:parent 'ID'", f"{ADA} ex:plays {CHESS} ."),
    Case(
        "0009b",
        TABLES,
        PLAYS.replace("@CONDITION", "rml:child 'Sport'; rml:parent 'ID'")
        .replace("player/{ID}' ]", "player/{ID}'; rml:graph ex:g ]")
        .replace("ex:plays;", "ex:plays; rml:graph ex:h;"),
        f"ex:g {{ {ADA} ex:plays {CHESS} }} ex:h {{ {ADA} ex:plays {CHESS} }} {LABELS}",
    ),
    Case(
        "0021a",
        {"people": [{"ID": 1, "Sport": "Chess"}, {"ID": 2, "Sport": "Chess"}, {"ID": 3, "Sport": None}]},
        f"""<#m> {BY_ID}; rml:predicateObjectMap [ rml:predicate ex:with; rml:objectMap [
              rml:parentTriplesMap <#m>; rml:joinCondition [ rml:child 'Sport'; rml:parent 'Sport' ] ] ] .""",
        "ex:1 ex:with ex:1, ex:2 . ex:2 ex:with ex:1, ex:2 .",
    ),
    _join(
        "0030a",
        "rml:childMap [ rml:reference 'Sport' ]; rml:parentMap [ rml:reference 'ID' ]",
        f"{ADA} ex:plays {CHESS} .",
    ),
    _join(
        "0030b",
        "rml:childMap [ rml:template 's {Sport}' ]; rml:parentMap [ rml:template 's {ID}' ]",
        f"{ADA} ex:plays {CHESS} .",
    ),
    _join("0030c", "rml:child 'Sport'; rml:parentMap [ rml:constant '100' ]", f"{ADA} ex:plays {CHESS}, {JUDO} ."),
    _join(
        "0030e",
        "rml:childMap [ rml:constant '100' ]; rml:parent 'ID'",
        f"{ADA} ex:plays {CHESS} . {ALAN} ex:plays {CHESS} .",
    ),
    Case(
        "two conditions",
        {"a": [{"I": 1, "X": "p", "Y": "q"}, {"I": 2, "X": "p", "Y": "r"}], "b": [{"I": 3, "X": "p", "Y": "q"}]},
        """<#a> rml:logicalSource %a; rml:subjectMap [ rml:template 'http://example.com/{I}' ];
             rml:predicateObjectMap [ rml:predicate ex:j; rml:objectMap [ rml:parentTriplesMap <#b>;
               rml:joinCondition [ rml:child 'X'; rml:parent 'X' ], [ rml:child 'Y'; rml:parent 'Y' ] ] ] .
           <#b> rml:logicalSource %b; rml:subjectMap [ rml:template 'http://example.com/{I}' ] .""",
        "ex:1 ex:j ex:3 .",
    ),
    Case(
        "join to blank nodes",
        TABLES,
        PLAYS.replace("@CONDITION", "rml:child 'Sport'; rml:parent 'ID'").replace(
            "rml:template 'http://example.com/sport/{ID}'", "rml:termType rml:BlankNode"
        ),
        f"{ADA} ex:plays _:c . _:c rdfs:label 'Chess' . _:j rdfs:label 'Judo' .",
    ),
)


JSON_ONLY = tuple(
    Case(case.name, case.tables, case.mapping, case.expected, formats=("json",))
    for case in (
        _people("0023f", r"""<#m> rml:logicalSource %people;
                rml:subjectMap [ rml:template "http://example.com/{$['\\{Name\\}']}"; rml:class ex:C ] .""",
                "ex:Ada a ex:C .", [{"{Name}": "Ada"}]),
        _values("0025a", [{"ID": 1, "Amounts": [30, 40]}], "rml:reference '$.Amounts[*]'", "ex:1 ex:p 30, 40 ."),
        _people("0025c", """<#m> rml:logicalSource %people;
          rml:subjectMap [ rml:template 'http://example.com/{$.N[*]}' ];
                rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:reference '$.A[*]' ] ] .""",
                "ex:a ex:p 1, 2 . ex:b ex:p 1, 2 .", [{"N": ["a", "b"], "A": [1, 2]}]),
        _values("nested", [{"ID": 1, "a": {"b": [{"c": "x"}, {"c": "y"}, {}], "d e": {"f": 1}}}],
                "rml:template '{a.b[*].c}-{$.a[\"d e\"].f}-{$.a.b[1].c}'; rml:termType rml:Literal",
                "ex:1 ex:p 'x-1-y', 'y-1-y' ."),
        _values(
            "natural datatypes",
            [{"ID": 1, "V": [1, -2.5, 1e21, 0.00012, True, "x", None, 1.0]}], "rml:reference 'V[*]'",
                "ex:1 ex:p 1, true, 'x', '-2.5E0'^^xsd:double, '1.0E21'^^xsd:double, '1.2E-4'^^xsd:double ."),
        _values("declared datatype of a number", [{"ID": 1, "V": 2.5}], "rml:reference 'V'; rml:datatype xsd:decimal",
                "ex:1 ex:p 2.5 ."),
        Case("join over an array", {"a": [{"I": 1, "Of": [3, 4]}], "b": [{"I": 3}, {"I": 4}, {"I": 5}]},
             """<#a> rml:logicalSource %a; rml:subjectMap [ rml:template 'http://example.com/{I}' ];
                  rml:predicateObjectMap [ rml:predicate ex:of; rml:objectMap [ rml:parentTriplesMap <#b>;
                    rml:joinCondition [ rml:child 'Of[*]'; rml:parent 'I' ] ] ] .
                <#b> rml:logicalSource %b; rml:subjectMap [ rml:template 'http://example.com/{I}' ] .""",
             "ex:1 ex:of ex:3, ex:4 ."),
    )
)  # fmt: skip


CASES = TERMS + GRAPHS + JOINS + JSON_ONLY
