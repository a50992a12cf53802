"""The cases of the RML-Core test suite (https://w3id.org/rml/core/test-cases) with tables and mappings of our own.

Names are those of the suite. Where the suite expects an error for a row, the row is in quarantine: test_rml_quarantine.
"""

from __future__ import annotations

from tests.spark.rml import Case

PEOPLE = [{"ID": 7, "Name": "Ada"}, {"ID": 8, "Name": "Alan"}]
COUNTRIES = [{"Country Code": 1, "Name": "Côte d'Ivoire, Republic (West)", "ISO 3166": "CI"}]
SPORTS = [{"ID": 100, "Title": "Chess"}, {"ID": 200, "Title": "Judo"}]
PLAYERS = [{"ID": 7, "Name": "Ada", "Sport": 100}, {"ID": 8, "Name": "Alan", "Sport": 300}]

NAME = "rml:predicateObjectMap [ rml:predicate foaf:name; rml:objectMap [ rml:reference 'Name' ] ]"
BY_ID = "rml:logicalSource %people; rml:subjectMap [ rml:template 'http://example.com/{ID}' ]"
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


def _values(name: str, rows: list[dict[str, object]], object_map: str, expected: str) -> Case:
    mapping = f"<#m> {BY_ID}; rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ {object_map} ] ] ."
    return Case(name, {"people": rows}, mapping, expected)


def _people(name: str, mapping: str, expected: str, rows: list[dict[str, object]] | None = None) -> Case:
    return Case(name, {"people": PEOPLE if rows is None else rows}, mapping, expected)


TERMS = (
    _people("0000", f"<#m> {BY_ID.replace('ID', 'Name')}; {NAME} .", "", []),
    _people("subject alone", "<#m> rml:logicalSource %people; rml:subject ex:s .", ""),
    _people("0001a", f"<#m> {BY_ID}; {NAME} .", 'ex:7 foaf:name "Ada" . ex:8 foaf:name "Alan" .'),
    _people(
        "0001b",
        f"<#m> rml:logicalSource %people; rml:subjectMap [ rml:template '{{Name}}'; "
        f"rml:termType rml:BlankNode ]; {NAME} .",
        '_:Ada foaf:name "Ada" . _:Alan foaf:name "Alan" .',
    ),
    _people(
        "0002a",
        """<#m> rml:logicalSource %people;
             rml:subjectMap [ rml:class foaf:Person; rml:template 'http://example.com/{ID}/{Name}' ];
             rml:predicateObjectMap [ rml:predicate ex:id; rml:objectMap [ rml:reference 'ID' ] ] .""",
        "<http://example.com/7/Ada> a foaf:Person; ex:id '7'^^INT . <http://example.com/8/Alan> a foaf:Person; "
        "ex:id '8'^^INT .",
    ),
    _people(
        "0002b",
        f"""<#m> rml:logicalSource %people; {NAME};
              rml:subjectMap [ rml:template 'person {{ID}}_{{Name}}.'; rml:termType rml:BlankNode ] .""",
        '_:a foaf:name "Ada" . _:b foaf:name "Alan" .',
    ),
    _values(
        "0003c",
        PEOPLE,
        "rml:template 'No. {ID}: {Name}'; rml:termType rml:Literal",
        'ex:7 ex:p "No. 7: Ada" . ex:8 ex:p "No. 8: Alan" .',
    ),
    Case(
        "0004a",
        {"players": [{"Player": "Ada", "Sport": "Chess"}]},
        """<#p> rml:logicalSource %players; rml:subjectMap [ rml:class ex:Player;
          rml:template 'http://example.com/{Player}' ] .
           <#s> rml:logicalSource %players; rml:subjectMap [ rml:class ex:Sport;
             rml:template 'http://example.com/{Sport}' ] .""",
        "ex:Ada a ex:Player . ex:Chess a ex:Sport .",
    ),
    _people(
        "0006a",
        """<#m> rml:logicalSource %people; rml:subjectMap [ rml:constant ex:all; rml:graphMap [ rml:constant ex:g ] ];
             rml:predicateObjectMap [ rml:predicateMap [ rml:constant ex:p ];
               rml:objectMap [ rml:constant "bad" ] ] .""",
        'ex:g { ex:all ex:p "bad" }',
    ),
    _people(
        "0007c",
        f"<#m> {BY_ID.replace(' ]', '; rml:class ex:Person, foaf:Person ]')} .",
        "ex:7 a ex:Person, foaf:Person . ex:8 a ex:Person, foaf:Person .",
    ),
    _people(
        "0007d",
        f"<#m> {BY_ID}; rml:predicateObjectMap [ rml:predicate rdf:type; rml:object ex:Person, foaf:Person ] .",
        "ex:7 a ex:Person, foaf:Person . ex:8 a ex:Person, foaf:Person .",
    ),
    _people(
        "0008c",
        f"<#m> {BY_ID}; {NAME.replace('foaf:name', 'foaf:name, rdfs:label')} .",
        'ex:7 foaf:name "Ada"; rdfs:label "Ada" . ex:8 foaf:name "Alan"; rdfs:label "Alan" .',
    ),
    Case(
        "0010b",
        {"countries": COUNTRIES},
        f"<#m> rml:logicalSource %countries; "
        f"rml:subjectMap [ rml:template \"http://example.com/{{['Country Code']}}/{{Name}}\" ]; {NAME} .",
        "<http://example.com/1/Côte%20d%27Ivoire%2C%20Republic%20%28West%29> foaf:name \"Côte d'Ivoire, "
        'Republic (West)" .',
        formats=("json",),
    ),
    Case(
        "0010b",
        {"countries": COUNTRIES},
        f"<#m> rml:logicalSource %countries; "
        f"rml:subjectMap [ rml:template 'http://example.com/{{Country Code}}/{{Name}}' ]; {NAME} .",
        "<http://example.com/1/Côte%20d%27Ivoire%2C%20Republic%20%28West%29> foaf:name \"Côte d'Ivoire, "
        'Republic (West)" .',
        formats=("csv",),
    ),
    _values(
        "0010c",
        PEOPLE[:1],
        r"rml:template '\\{\\{\\{ \\\\o/ {Name} \\}\\}\\}'; rml:termType rml:Literal",
        r"ex:7 ex:p '{{{ \\o/ Ada }}}' .",
    ),
    _people(
        "0012a",
        """<#m> rml:logicalSource %people; rml:subjectMap [ rml:template '{Name}{ID}'; rml:termType rml:BlankNode ];
             rml:predicateObjectMap [ rml:predicate ex:id; rml:objectMap [ rml:reference 'ID' ] ] .""",
        "_:x ex:id '7'^^INT . _:y ex:id '8'^^INT .",
        [*PEOPLE, PEOPLE[0]],
    ),
    Case(
        "0012b",
        {"people": PEOPLE, "towns": [{"Who": "Ada", "Town": "London"}]},
        f"""<#m> rml:logicalSource %people; rml:subjectMap [ rml:template '{{Name}}';
          rml:termType rml:BlankNode ]; {NAME} .
            <#t> rml:logicalSource %towns; rml:subjectMap [ rml:template '{{Who}}'; rml:termType rml:BlankNode ];
              rml:predicateObjectMap [ rml:predicate ex:town; rml:objectMap [ rml:reference 'Town' ] ] .""",
        '_:a foaf:name "Ada"; ex:town "London" . _:b foaf:name "Alan" .',
    ),
    _people(
        "0012e",
        f"""<#m> rml:logicalSource %people; rml:subjectMap [ rml:termType rml:BlankNode ]; {NAME};
              rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:termType rml:BlankNode ] ] .""",
        '_:a foaf:name "Ada"; ex:p _:b . _:c foaf:name "Ada"; ex:p _:d .',
        [PEOPLE[0], PEOPLE[0]],
    ),
    _people(
        "0013a",
        f"<#m> {BY_ID.replace('{ID}', '{ID}/{Born}')}; {NAME} .",
        '<http://example.com/8/June%201912> foaf:name "Alan" .',
        [{"ID": 7, "Name": "Ada", "Born": None}, {"ID": 8, "Name": "Alan", "Born": "June 1912"}],
    ),
    _values("0015a", PEOPLE, "rml:reference 'Name'; rml:language 'en'", 'ex:7 ex:p "Ada"@en . ex:8 ex:p "Alan"@en .'),
    _people(
        "0019a",
        f"<#m> rml:logicalSource %people; rml:subjectMap [ rml:reference 'Name' ]; {NAME} .",
        '<http://ex.org/ns#Ada> foaf:name "http://ex.org/ns#Ada" . ex:Alan foaf:name "Alan" .',
        [{"Name": "http://ex.org/ns#Ada"}, {"Name": "Alan"}],
    ),
    _people(
        "0020a",
        "<#m> rml:logicalSource %people; rml:subjectMap [ rml:template '{Name}'; rml:class ex:C ] .",
        "<http://example.com/http%3A%2F%2Fex.org%2FAda> a ex:C . <http://example.com/a%2F..%2Fb%20c> a ex:C .",
        [{"Name": "http://ex.org/Ada"}, {"Name": "a/../b c"}],
    ),
    _values("0022a", PEOPLE[:1], "rml:reference 'ID'; rml:datatype xsd:int", "ex:7 ex:p '7'^^xsd:int ."),
    _values("0022a string", PEOPLE[:1], "rml:reference 'ID'; rml:datatype xsd:string", "ex:7 ex:p '7' ."),
    _values(
        "0022b",
        [{"ID": 1, "Type": "string"}, {"ID": 2, "Type": "int"}],
        "rml:reference 'ID'; rml:datatypeMap [ rml:template 'http://www.w3.org/2001/XMLSchema#{Type}' ]",
        "ex:1 ex:p '1' . ex:2 ex:p '2'^^xsd:int .",
    ),
    _values(
        "0022c",
        [{"ID": 1, "Type": "a"}],
        "rml:reference 'ID'; rml:datatypeMap [ rml:template 'type#{Type}' ]",
        "ex:1 ex:p '1'^^<http://example.com/type#a> .",
    ),
    _values("0022d", PEOPLE[:1], "rml:reference 'ID'; rml:datatypeMap [ rml:constant xsd:integer ]", "ex:7 ex:p 7 ."),
    _values(
        "0022e",
        [{"ID": 1, "Type": "http://www.w3.org/2001/XMLSchema#short"}],
        "rml:reference 'ID'; rml:datatypeMap [ rml:reference 'Type'; rml:termType rml:IRI ]",
        "ex:1 ex:p '1'^^xsd:short .",
    ),
    _people(
        "0026a",
        f"""<#m> rml:baseIRI <http://other.org/>; rml:logicalSource %people;
          rml:subjectMap [ rml:template '{{ID}}' ]; {NAME} .
            <#n> rml:logicalSource %people; rml:subjectMap [ rml:template '{{ID}}' ]; {NAME} .""",
        '<http://other.org/7> foaf:name "Ada" . ex:7 foaf:name "Ada" .',
        PEOPLE[:1],
    ),
    _people(
        "0027a",
        "<#m> rml:logicalSource %people; rml:subjectMap [ rml:template 'http://example.com/{Name}'; "
        "rml:termType rml:URI; rml:class ex:C ] .",
        "<http://example.com/Zo%C3%AB%2F%F0%9D%84%9E~_.-> a ex:C .",
        [{"Name": "Zoë/𝄞~_.-"}],
    ),
    _people(
        "0027b",
        "<#m> rml:logicalSource %people; rml:subjectMap [ rml:template 'http://example.com/{Name}'; "
        "rml:termType rml:UnsafeIRI; rml:class ex:C ] .",
        "<http://example.com/Zoë/Ada> a ex:C .",
        [{"Name": "Zoë/Ada"}],
    ),
    _people(
        "0027c",
        "<#m> rml:logicalSource %people; rml:subjectMap [ rml:template 'http://example.com/{Name}'; rml:class ex:C ] .",
        "<http://example.com/Zoë%20%2B%2A%25%20𝄞> a ex:C .",
        [{"Name": "Zoë +*% 𝄞"}],
    ),
    _people(
        "0028ac",
        f"<#m> {BY_ID}; rml:predicateObjectMap [ rml:predicate ex:p; rml:object true, 'train'@en ] .",
        "ex:7 ex:p true, 'train'@en .",
        PEOPLE[:1],
    ),
    _people(
        "0029a",
        f"<#m> rml:logicalSource %people; rml:subject ex:all; {NAME} .",
        'ex:all foaf:name "Ada", "Alan" .',
    ),
    _values("0031a", PEOPLE[:1], "rml:reference 'Name'; rml:languageMap [ rml:constant 'en' ]", 'ex:7 ex:p "Ada"@en .'),
    _values(
        "0031b",
        [{"ID": 1, "N": "apple", "L": "en"}, {"ID": 2, "N": "pomme", "L": "fr"}, {"ID": 3, "N": "x", "L": None}],
        "rml:reference 'N'; rml:languageMap [ rml:reference 'L' ]",
        'ex:1 ex:p "apple"@en . ex:2 ex:p "pomme"@fr .',
    ),
    _values(
        "0031c",
        [{"ID": 1, "N": "aubergine", "R": "GB"}],
        "rml:reference 'N'; rml:languageMap [ rml:template 'en-{R}' ]",
        'ex:1 ex:p "aubergine"@en-GB .',
    ),
)

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
