"""Would catch a mapping in YARRRML that makes other triples than the same one in RML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgreason.errors import MappingError
from kgreason_mapping.documents import parse_mapping, read_mapping
from tests.mapping.engines import ArrowEngine, Quad
from tests.mapping.rml import PREFIXES, dataset

pytest.importorskip("yaml", reason="YARRRML needs the extra `mapping`")

PEOPLE: list[dict[str, Any]] = [
    {"id": 1, "name": "Ada {b}", "team": "x", "born": "1815-12-10", "lang": "en", "page": "http://e/a", "tags": [1, 2]},
    {"id": 2, "name": "Alan", "team": "y", "born": "1912-06-23", "lang": "de", "page": "http://e/b", "tags": []},
]
TEAMS = "key,title\nx,Ex\ny,Wye\n"

HEAD = """
prefixes: {ex: "http://example.com/"}
sources:
  people: ["people.json~jsonpath", "$[*]"]
"""
SOURCE = "rml:logicalSource [ rml:source 'people.json'; rml:referenceFormulation rml:JSONPath; rml:iterator '$[*]' ]"

CASES = {
    "constants, references and templates": (
        """
mappings:
  person:
    source: people
    s: ex:$(id)
    po:
      - [a, ex:Person]
      - [foaf:name, $(name)]
      - [ex:says, "I am {$(name)} \\\\"]
      - [ex:page, $(page)~iri]
      - [ex:self, ex:$(id)~iri]
      - [ex:kind, human]
""",
        f"""<#m> {SOURCE}; rml:subjectMap [ rml:template 'http://example.com/{{id}}'; rml:class ex:Person ];
  rml:predicateObjectMap [ rml:predicate foaf:name; rml:objectMap [ rml:reference 'name' ] ],
    [ rml:predicate ex:says; rml:objectMap [ rml:termType rml:Literal; rml:template
        'I am \\\\{{{{name}}\\\\}} \\\\\\\\' ] ],
    [ rml:predicate ex:page; rml:objectMap [ rml:reference 'page'; rml:termType rml:IRI ] ],
    [ rml:predicate ex:self; rml:objectMap [ rml:template 'http://example.com/{{id}}' ] ],
    [ rml:predicate ex:kind; rml:object 'human' ] .""",
    ),
    "languages and datatypes": (
        """
mappings:
  person:
    sources: people
    subject: ex:$(id)
    predicateobjects:
      - [ex:born, $(born), xsd:date]
      - [foaf:name, $(name), en~lang]
      - {p: ex:label, o: {value: $(name), language: $(lang)}}
      - predicates: [ex:a, ex:b]
        objects:
          - [$(name), fr~lang]
          - {value: $(id), datatype: xsd:string}
""",
        f"""<#m> {SOURCE}; rml:subjectMap [ rml:template 'http://example.com/{{id}}' ];
  rml:predicateObjectMap [ rml:predicate ex:born; rml:objectMap [ rml:reference 'born'; rml:datatype xsd:date ] ],
    [ rml:predicate foaf:name; rml:objectMap [ rml:reference 'name'; rml:language 'en' ] ],
    [ rml:predicate ex:label; rml:objectMap [ rml:reference 'name'; rml:languageMap [ rml:reference 'lang' ] ] ],
    [ rml:predicate ex:a, ex:b; rml:objectMap [ rml:reference 'name'; rml:language 'fr' ],
                                              [ rml:reference 'id'; rml:datatype xsd:string ] ] .""",
    ),
    "joins, several sources and subjects": (
        """
mappings:
  person:
    sources: [[people.json~jsonpath, "$[*]"]]
    s: [ex:$(id), ex:also/$(id)]
    po:
      - p: ex:team
        o:
          mapping: team
          condition:
            function: equal
            parameters: [[str1, $(team), s], [str2, $(key), o]]
  team:
    sources: [[teams.csv~csv]]
    s: ex:team/$(key)
    po: [[ex:title, $(title)]]
""",
        "".join(f"""<#{n}> {SOURCE}; rml:subjectMap [ rml:template 'http://example.com/{t}{{id}}' ];
    rml:predicateObjectMap [ rml:predicate ex:team; rml:objectMap [ rml:parentTriplesMap <#t>;
      rml:joinCondition [ rml:child 'team'; rml:parent 'key' ] ] ] .""" for n, t in (("a", ""), ("b", "also/")))
        + """<#t> rml:logicalSource [ rml:source 'teams.csv'; rml:referenceFormulation rml:CSV ];
    rml:subjectMap [ rml:template 'http://example.com/team/{key}' ];
    rml:predicateObjectMap [ rml:predicate ex:title; rml:objectMap [ rml:reference 'title' ] ] .""",
    ),
    "graphs and blank nodes": (
        """
mappings:
  person:
    source: people
    graphs: ex:g/$(id)
    po:
      - [foaf:name, $(name)]
      - {p: ex:tag, o: {value: "$(tags[*])", type: literal}, graph: ex:tags}
""",
        f"""<#m> {SOURCE};
  rml:subjectMap [ rml:termType rml:BlankNode; rml:graphMap [ rml:template 'http://example.com/g/{{id}}' ] ];
  rml:predicateObjectMap [ rml:predicate foaf:name; rml:objectMap [ rml:reference 'name' ] ],
    [ rml:predicate ex:tag; rml:graph ex:tags; rml:objectMap [ rml:reference 'tags[*]' ] ] .""",
    ),
    "functions and conditions": (
        """
mappings:
  person:
    source: people
    s: ex:$(id)
    condition:
      function: idlab-fn:notEqual
      parameters: [[grel:valueParameter, $(team)], [grel:valueParameter2, y]]
    po:
      - p: ex:upper
        o:
          function: grel:toUpperCase
          parameters:
            - parameter: grel:valueParameter
              value:
                function: grel:string_replace
                parameters: [[valueParameter, $(name)], [p_string_find, " "], [p_string_replace, "-"]]
""",
        f"""@prefix grel: <http://users.ugent.be/~bjdmeest/function/grel.ttl#> .
  @prefix idlab-fn: <https://w3id.org/imec/idlab/function#> .
  <#m> {SOURCE}; rml:subjectMap [ rml:template 'http://example.com/{{id}}'; rml:condition [ rml:functionExecution
      [ rml:function idlab-fn:notEqual; rml:input [ rml:parameter grel:valueParameter; rml:inputValueMap
          [ rml:reference 'team' ] ], [ rml:parameter grel:valueParameter2; rml:inputValue 'y' ] ] ] ];
    rml:predicateObjectMap [ rml:predicate ex:upper; rml:object "ADA-{{B}}" ] .""",
    ),
}


def _quads(text: str, folder: Path, source: str) -> list[Quad]:
    (folder / "people.json").write_text(json.dumps(PEOPLE))
    (folder / "teams.csv").write_text(TEAMS)
    made = ArrowEngine()(parse_mapping(text, directory=folder, source=source))
    assert made.quarantined == []
    return made.quads


@pytest.mark.parametrize("name", CASES)
def test_a_mapping_makes_what_the_same_one_in_rml_makes(name: str, tmp_path: Path) -> None:
    yarrrml, rml = CASES[name]
    made = _quads(HEAD + yarrrml, tmp_path, "m.yml")
    assert made
    assert dataset(made) == dataset(_quads(PREFIXES + rml, tmp_path, "m.ttl"))


BAD = {
    "no YAML": ("mappings: [", "while parsing|expected"),
    "no map": ("- a", "it is not YARRRML: its top level is not a map"),
    "no mappings": ("prefixes: {}", "has no mappings"),
    "no source": ("mappings: {m: {s: foaf:a, po: [[a, foaf:b]]}}", "mapping m: it has no source|m: it has no source"),
    "no pair": ("mappings: {m: {source: [a.csv~csv], s: foaf:a, po: [[a]]}}", "is not a list of a predicate"),
    "formulation": ("mappings: {m: {source: [a.xls~excel], s: foaf:a, po: [[a, foaf:b]]}}", "formulation that is not"),
    "join": (
        "mappings: {m: {source: [a.csv~csv], s: foaf:a, po: [{p: foaf:p, o: {mapping: m, condition: {f: less}}}]}}",
        "is not equal with str1",
    ),
    "function": (
        "mappings: {m: {source: [a.csv~csv], s: foaf:a, po: [{p: foaf:p, o: {function: 'http://e/unknown'}}]}}",
        "http://e/unknown is unknown",
    ),
    "prefix": (
        "prefixes: {po: 'http://e/'}\nmappings: {m: {source: [a.csv~csv], s: 'po:$(id)', po: [['poo:name', $(x)]]}}",
        "m: the prefix poo: of poo:name is not declared; did you mean po:\\?",
    ),
    "empty prefix": ("mappings: {m: {source: [a.csv~csv], s: ':b'}}", "the prefix : of :b is not declared"),
    "prefix of a datatype": (
        "mappings: {m: {source: [a.csv~csv], s: foaf:a, po: [[foaf:b, $(x), 'xs:int']]}}",
        "the prefix xs: of xs:int is not declared; did you mean xsd:",
    ),
    "prefix of a function": (
        "mappings: {m: {source: [a.csv~csv], s: foaf:a, po: [{p: foaf:p, o: {function: 'ex:f'}}]}}",
        "the prefix ex: of ex:f is not declared",
    ),
    "key": (
        "mappings: {m: {source: [a.csv~csv], s: foaf:a, poo: [[a, foaf:b]]}}",
        "m: unknown key poo; did you mean po\\? \\(expected one of sources, ",
    ),
    "key of a pair": (
        "mappings: {m: {source: [a.csv~csv], s: foaf:a, po: [{predicat: foaf:p, o: x}]}}",
        "m: unknown key predicat; did you mean predicate\\?",
    ),
    "anchors": (
        "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
            f"{y}: &{y} [{', '.join([f'*{x}'] * 9)}]\n" for x, y in zip("abcdefgh", "bcdefghi", strict=True)
        ) + "mappings: {m: *i}",
        "anchors make more than",
    ),
    "endless": ("mappings: &a {m: *a}", "anchors make more than"),
    "deep": ("[" * 5000, "nested too deep"),
    "deep maps": ("".join(f"{' ' * depth}a:\n" for depth in range(2000)), "nested too deep"),
    "key twice": (
        "mappings:\n  m: {source: [a.csv~csv], s: foaf:a,\n      po: [[a, foaf:b]], po: [[a, foaf:c]]}",
        "m.yml:3: the key po stands twice in a map",
    ),
    "surrogate": ('mappings:\n  m: {source: ["\\ud800~csv"]}', "m.yml:2: a text has a lone surrogate"),
    "an IRI with a space": ("mappings: {m: {source: [a.csv~csv], s: 'http://e/a b'}}", "m: http://e/a b is not an IRI"),
    "a relative IRI": ("mappings: {m: {source: [a.csv~csv], s: foaf:a, g: b}}", "m: b is not an IRI"),
    "base": ("base: '['\nmappings: {m: {source: [a.csv~csv], s: foaf:a}}", "m: . is not an IRI"),
    "sources": ("sources: 5\nmappings: {m: {source: [a.csv~csv], s: foaf:a}}", "its sources are not a map"),
    "an empty source": ("mappings: {m: {source: [[]], s: foaf:a}}", "has no access"),
    "an empty object": ("mappings: {m: {source: [a.csv~csv], s: foaf:a, po: [[a, []]]}}", "has no object"),
    "an empty object of several": (
        "mappings: {m: {source: [a.csv~csv], s: foaf:a, po: [[a, [[], b]]]}}", "an object is an empty list",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_mapping_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    text, reason = BAD[name]
    (tmp_path / "m.yml").write_text(text)
    with pytest.raises(MappingError, match=reason) as refused:
        read_mapping(tmp_path / "m.yml")
    assert "\n" not in str(refused.value)
    assert "m.yml" in str(refused.value)


@pytest.mark.parametrize("iri", ["urn:x:$(id)", "mailto:$(id)@example.org", "http://e/$(id)", "tag:e.org,2026:$(id)"])
def test_an_iri_needs_no_prefix(iri: str, tmp_path: Path) -> None:
    made = _quads(f"{HEAD}mappings: {{m: {{source: people, s: '{iri}', po: [[a, 'urn:x:C']]}}}}", tmp_path, "m.yml")

    assert str(made[0][0]).strip("<>") == iri.replace("$(id)", "1")


def test_scalars_are_the_texts_that_are_written(tmp_path: Path) -> None:
    values = ["no", "on", "1.10", "0123", "1:30", "1_000", "2001-02-30", ".inf", "=", "!!int x", "!!timestamp x"]
    pairs = "".join(f"\n      - [ex:{number}, {value}]" for number, value in enumerate(values))
    document = f"{HEAD}mappings:\n  no:\n    source: people\n    s: ex:a\n    po:{pairs}\n      - [ex:l, x, no~lang]"
    document += "\n      - {p: ex:m, o: {value: y, language: no}}"

    made = {quad[2] for quad in _quads(document, tmp_path, "m.yml")}

    plain = {f'"{value.removeprefix("!!int ").removeprefix("!!timestamp ")}"' for value in values}
    assert made == plain | {'"x"@no', '"y"@no'}
