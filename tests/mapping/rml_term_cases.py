"""The cases of terms of the RML-Core test suite."""

from __future__ import annotations

from tests.mapping.rml import Case

PEOPLE = [{"ID": 7, "Name": "Ada"}, {"ID": 8, "Name": "Alan"}]


COUNTRIES = [{"Country Code": 1, "Name": "Côte d'Ivoire, Republic (West)", "ISO 3166": "CI"}]


NAME = "rml:predicateObjectMap [ rml:predicate foaf:name; rml:objectMap [ rml:reference 'Name' ] ]"


BY_ID = "rml:logicalSource %people; rml:subjectMap [ rml:template 'http://example.com/{ID}' ]"


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
    _values(
        "constant with a language",
        PEOPLE[:1],
        """rml:constant 'a\\\\{b}'; rml:language 'de' ], [ rml:constant 'x'; rml:languageMap [ rml:constant 'en' ] ],
           [ rml:constant '1'; rml:datatype xsd:byte""",
        "ex:7 ex:p 'a\\\\{b}'@de, 'x'@en, '1'^^xsd:byte .",
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
