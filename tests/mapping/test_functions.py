"""Would catch a function that makes other values than its definition, or other ones on one engine than on another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kgreason.errors import MappingError
from kgreason_mapping.documents import parse_mapping
from kgreason_mapping.text_functions import directives
from tests.mapping.engines import Engine, Mapped
from tests.mapping.rml import PREFIXES, mapping_text, write_tables

FUNCTIONS = """
@prefix grel: <http://users.ugent.be/~bjdmeest/function/grel.ttl#> .
@prefix idlab-fn: <https://w3id.org/imec/idlab/function#> .
"""

ROW = {
    "id": "1", "name": " Ada b.\tLovelace ", "word": "straße", "csv": 'a,"b"', "html": "<a b='c'>&", "empty": "",
    "day": "10.12.1815", "at": "2001-02-03 04:05:06", "yes": "true", "no": "false", "list": "x;y;;z", "none": None,
}  # fmt: skip

CASES = {
    "grel:toUpperCase name": [" ADA B.\tLOVELACE "],
    "grel:toLowerCase name": [" ada b.\tlovelace "],
    "grel:toTitleCase list": ["X;y;;z"],
    "grel:string_trim name": ["Ada b.\tLovelace"],
    "grel:reverse list": ["z;;y;x"],
    "grel:string_length word": ["6^integer"],
    "grel:string_md5 empty": ["d41d8cd98f00b204e9800998ecf8427e"],
    "grel:string_sha1 empty": ["da39a3ee5e6b4b0d3255bfef95601890afd80709"],
    "grel:string_replace list p_string_find=; p_string_replace=--": ["x--y----z"],
    "grel:string_replace list p_string_find= p_string_replace=--": ["x;y;;z"],
    "grel:string_substring word p_int_i_from=3": ["aße"],
    "grel:string_substring word p_int_i_from=1 p_int_i_opt_to=3": ["tr"],
    "grel:string_substring word p_int_i_from=0 p_int_i_opt_to=-2": ["stra"],
    "grel:string_substring word p_int_i_from=6": [""],
    "grel:string_substring word p_int_i_from=7": [],
    "grel:string_split list p_string_sep=;": ["", "x", "y", "z"],
    "grel:string_split list p_string_sep=.": ["x;y;;z"],
    "grel:string_chomp word p_string_sep=ße": ["stra"],
    "grel:string_contains word string_sub=aß": ["true^boolean"],
    "grel:string_startsWith word string_sub=raß": ["false^boolean"],
    "grel:string_endsWith word string_sub=ße": ["true^boolean"],
    "grel:string_indexOf word string_sub=ß": ["4^integer"],
    "grel:string_indexOf word string_sub=X": ["-1^integer"],
    "grel:escape html modeParam=html": ["&lt;a b=&#39;c&#39;&gt;&amp;"],
    "grel:escape html modeParam=url": ["%3Ca%20b%3D%27c%27%3E%26"],
    "grel:escape csv modeParam=csv": ['"a,""b"""'],
    "grel:escape word modeParam=csv": ["straße"],
    "idlab-fn:concat word _otherStr=$list delimiter=-": ["straße-x;y;;z"],
    "idlab-fn:concat word _otherStr=$none delimiter=-": [],
    "grel:boolean_not yes": ["false^boolean"],
    "idlab-fn:equal word valueParameter2=straße": ["true^boolean"],
    "idlab-fn:notEqual word valueParameter2=$word": ["false^boolean"],
    "idlab-fn:trueCondition yes str=$word": ["straße"],
    "idlab-fn:trueCondition no str=$word": [],
    "grel:controls_if no any_true=$word any_false=otherwise": ["otherwise"],
    "idlab-fn:decide list _expectedStr=$list _resultStr=same": ["same"],
    "idlab-fn:decide list _expectedStr=$word _resultStr=same": [],
    "idlab-fn:normalizeDate day _pattern=dd.MM.yyyy": ["1815-12-10^date"],
    "idlab-fn:normalizeDateTime at _pattern=yyyy-MM-dd~HH:mm:ss": ["2001-02-03T04:05:06^dateTime"],
    "idlab-fn:toUpperCaseURL list": ["http://X;Y;;Z"],
    "idlab-fn:alwaysReturnsABC": ["ABC"],
    "grel:toUpperCase none": [],
}
"""A function, the column that its first parameter takes, and its others with a text or `$` and a column."""

FIRST = {"trueCondition": "strBoolean", "controls_if": "bool_b", "boolean_not": "bool_b"}


def _value(given: str) -> str:
    if given.startswith("$"):
        return f'rml:inputValueMap [ rml:reference "{given[1:]}" ]'
    return f'rml:inputValue "{given.replace("~", " ")}"'


def _execution(case: str) -> str:
    function, *given = case.split(" ")
    inputs = []
    if given:
        first = FIRST.get(function.partition(":")[2], "valueParameter")
        inputs.append(f"[ rml:parameter grel:{first}; {_value('$' + given[0])} ]")
    for one in given[1:]:
        name, _, value = one.partition("=")
        inputs.append(f"[ rml:parameter grel:{name}; {_value(value)} ]")
    return f"[ rml:function {function}{'; rml:input ' if inputs else ''}{', '.join(inputs)} ]"


def _object(case: str) -> str:
    return f"rml:objectMap [ rml:functionExecution {_execution(case)}; rml:return grel:stringOut ]"


def _mapped(engine: Engine, folder: Path, body: str, rows: Sequence[dict[str, Any]]) -> Mapped:
    write_tables({"rows": rows}, folder, "json")
    return engine(parse_mapping(FUNCTIONS + mapping_text(body, "json"), directory=folder), base="http://example.com/")


SUBJECT = "<#m> rml:logicalSource %rows; rml:subjectMap [ rml:template 'http://example.com/{id}' ]"


def test_each_function_makes_what_it_is_defined_to(engine: Engine, tmp_path: Path) -> None:
    objects = (f"rml:predicateObjectMap [ rml:predicate ex:p{n}; {_object(case)} ]" for n, case in enumerate(CASES))
    made = _mapped(engine, tmp_path, f"{SUBJECT}; {'; '.join(objects)} .", [ROW])

    found: dict[str, list[str]] = {case: [] for case in CASES}
    for _, predicate, object_, _ in made.quads:
        lexical, _, datatype = object_[1:].rpartition('"')
        case = list(CASES)[int(predicate.rpartition("/p")[2])]
        found[case].append(lexical + (f"^{datatype.rpartition('#')[2]}" if datatype else ""))
    assert {case: sorted(values) for case, values in found.items()} == CASES
    assert made.quarantined == []


def test_calls_are_nested_and_stand_in_every_position(engine: Engine, tmp_path: Path) -> None:
    nested = (
        "[ rml:function grel:toUpperCase; rml:input [ rml:parameter grel:valueParam; rml:inputValueMap ["
        " rml:functionExecution [ rml:function grel:string_replace;"
        " rml:input [ rml:parameter grel:valueParam; rml:inputValueMap [ rml:template '{a} {b}' ] ],"
        " [ rml:parameter grel:param_find; rml:inputValue ' ' ],"
        " [ rml:parameter grel:param_replace; rml:inputValue '-' ] ] ] ] ]"
    )
    iri = (
        "rml:functionExecution [ rml:function idlab-fn:concat; rml:input [ rml:parameter idlab-fn:str;"
        " rml:inputValue 'http://example.com/' ], [ rml:parameter idlab-fn:otherStr; rml:inputValueMap"
        " [ rml:reference '{}' ] ] ]"
    )
    body = f"""<#m> rml:logicalSource %rows; rml:subjectMap [ {iri.format("a")}; rml:graphMap [ {iri.format("b")} ] ];
        rml:predicateObjectMap [ rml:predicateMap [ {iri.format("b")} ]; rml:objectMap [ rml:functionExecution {nested};
          rml:languageMap [ rml:functionExecution [ rml:function grel:toLowerCase;
             rml:input [ rml:parameter grel:valueParam; rml:inputValueMap [ rml:reference 'l' ] ] ] ] ] ] ."""
    made = _mapped(engine, tmp_path, body, [{"a": "x", "b": "y z".replace(" ", ""), "l": "EN"}])
    assert made.quads == [("http://example.com/x", "http://example.com/yz", '"X-YZ"@en', "http://example.com/yz")]


def test_a_function_of_many_values_makes_one_of_each(engine: Engine, tmp_path: Path) -> None:
    body = f"""{SUBJECT}; rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:functionExecution
        [ rml:function grel:toUpperCase; rml:input [ rml:parameter grel:valueParam;
          rml:inputValueMap [ rml:reference 'tags[*]' ] ] ] ] ] ."""
    made = _mapped(engine, tmp_path, body, [{"id": "1", "tags": ["a", "b"]}, {"id": "2", "tags": []}])
    assert sorted(made.quads) == [("http://example.com/1", "http://example.com/p", f'"{one}"', None) for one in "AB"]


CONDITION = """rml:condition [ rml:functionExecution [ rml:function idlab-fn:notEqual;
    rml:input [ rml:parameter grel:valueParam; rml:inputValueMap [ rml:reference 'name' ] ],
      [ rml:parameter grel:valueParam2; rml:inputValue '' ] ] ]"""


@pytest.mark.parametrize("place", ["subject", "object", "pair"])
def test_a_condition_leaves_out_what_it_stands_at(engine: Engine, tmp_path: Path, place: str) -> None:
    at = {one: f"; {CONDITION}" if one == place else "" for one in ("subject", "object", "pair")}
    body = f"""<#m> rml:logicalSource %rows;
        rml:subjectMap [ rml:template 'http://example.com/{{id}}'; rml:class ex:C{at["subject"]} ];
        rml:predicateObjectMap [ rml:predicate ex:p{at["pair"]};
          rml:objectMap [ rml:reference 'name'{at["object"]} ] ] ."""
    made = _mapped(engine, tmp_path, body, [{"id": "1", "name": "Ada"}, {"id": "2", "name": ""}])
    whole = {("1", "type"), ("1", "p")} | (set() if place == "subject" else {("2", "type")})
    assert {(s[-1], p.replace("#", "/").rpartition("/")[2]) for s, p, _, _ in made.quads} == whole
    assert made.quarantined == []
    assert made.without_subject.get("#m", 0) == (1 if place == "subject" else 0)


def test_a_join_finds_the_blank_nodes_of_rows_whose_subject_has_a_condition(engine: Engine, tmp_path: Path) -> None:
    write_tables({"teams": [{"id": "1", "name": "Ada"}, {"id": "2", "name": ""}]}, tmp_path, "json")
    body = f"""<#m> rml:logicalSource %rows; rml:subjectMap [ rml:template 'http://example.com/{{id}}' ];
        rml:predicateObjectMap [ rml:predicate ex:team; rml:objectMap [ rml:parentTriplesMap <#team>;
          rml:joinCondition [ rml:child 'team'; rml:parent 'id' ] ] ] .
      <#team> rml:logicalSource %teams; rml:subjectMap [ rml:termType rml:BlankNode; {CONDITION} ];
        rml:predicateObjectMap [ rml:predicate ex:name; rml:objectMap [ rml:reference 'name' ] ] ."""
    made = _mapped(engine, tmp_path, body, [{"id": str(one), "team": str(one)} for one in (1, 2)])
    (name,) = ((s, o) for s, p, o, _ in made.quads if p.endswith("name"))
    assert name[1] == '"Ada"'
    assert [(s, o) for s, p, o, _ in made.quads if p.endswith("team")] == [("http://example.com/1", name[0])]


def test_a_join_gives_blank_nodes_with_a_condition_the_label_of_their_graph(engine: Engine, tmp_path: Path) -> None:
    write_tables({"teams": [{"id": "1", "name": "Ada"}]}, tmp_path, "json")
    graph = "rml:graph ex:g"
    body = f"""<#m> rml:logicalSource %rows; rml:subjectMap [ rml:template 'http://example.com/{{id}}'; {graph} ];
        rml:predicateObjectMap [ rml:predicate ex:team; rml:objectMap [ rml:parentTriplesMap <#team>;
          rml:joinCondition [ rml:child 'team'; rml:parent 'id' ] ] ] .
      <#team> rml:logicalSource %teams;
        rml:subjectMap [ rml:template 't{{id}}'; rml:termType rml:BlankNode; {graph}; {CONDITION} ];
        rml:predicateObjectMap [ rml:predicate ex:name; rml:objectMap [ rml:reference 'name' ] ] ."""
    made = _mapped(engine, tmp_path, body, [{"id": "1", "team": "1"}])
    (team,) = (o for _, p, o, _ in made.quads if p.endswith("team"))
    assert [s for s, p, _, _ in made.quads if p.endswith("name")] == [team]


def test_blank_nodes_of_many_values_with_a_condition_are_those_of_their_graph(engine: Engine, tmp_path: Path) -> None:
    def mapped(condition: str) -> list[str]:
        body = f"""<#m> rml:logicalSource %rows; rml:subjectMap [ rml:template 'http://example.com/{{id}}';
            rml:graphMap [ rml:template 'http://example.com/g{{id}}' ] ]; rml:predicateObjectMap [ rml:predicate ex:p;
            rml:objectMap [ rml:template '{{tags[*]}}'; rml:termType rml:BlankNode{condition} ] ] ."""
        rows = [{"id": str(one), "name": "Ada", "tags": ["a", "b"]} for one in (1, 2)]
        return sorted(o for _, _, o, _ in _mapped(engine, tmp_path, body, rows).quads)

    assert mapped(f"; {CONDITION}") == mapped("")
    assert len(set(mapped(""))) == 4


def test_what_a_function_does_not_take_is_in_quarantine(engine: Engine, tmp_path: Path) -> None:
    case = "idlab-fn:normalizeDate day _pattern=dd.MM.yyyy"
    body = f"{SUBJECT}; rml:predicateObjectMap [ rml:predicate ex:p; {_object(case)} ] ."
    made = _mapped(engine, tmp_path, body, [{"id": "1", "day": "31.02.2000"}, {"id": "2", "day": "29.02.2000"}])
    assert [one for _, _, one, _ in made.quads] == ['"2000-02-29"^^http://www.w3.org/2001/XMLSchema#date']
    assert [(one.reason, (one.detail or "").partition(": ")[0]) for one in made.quarantined] == [
        ("value that a function does not take", "object of <http://example.com/p>")
    ]


BAD = {
    "unknown function": ("[ rml:function grel:unknown ]", "grel.ttl#unknown is unknown"),
    "unknown parameter": (
        "[ rml:function grel:toUpperCase; rml:input [ rml:parameter grel:nothing; rml:inputValue 'a' ] ]",
        "has no parameter .*nothing",
    ),
    "missing parameter": ("[ rml:function grel:toUpperCase ]", "lacks its parameter"),
    "parameter twice": (
        "[ rml:function grel:toUpperCase; rml:input [ rml:parameter grel:valueParam; rml:inputValue 'a' ],"
        " [ rml:parameter grel:valueParameter; rml:inputValue 'b' ] ]",
        "given twice",
    ),
    "no value": (
        "[ rml:function grel:toUpperCase; rml:input [ rml:parameter grel:valueParam ] ]",
        "needs one value, and has none",
    ),
    "no function": ("[ rml:input [] ]", "needs one constant rml:function"),
    "unknown output": ("[ rml:function idlab-fn:alwaysReturnsABC ]; rml:return grel:nothing", "output .* is unknown"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_call_is_refused_with_its_triples_map(name: str) -> None:
    call, reason = BAD[name]
    pair = f"[ rml:predicate ex:p; rml:objectMap [ rml:functionExecution {call} ] ]"
    body = f"<#m> rml:logicalSource [ rml:source 'a.csv' ]; rml:subject ex:s; rml:predicateObjectMap {pair} ."
    with pytest.raises(MappingError, match=reason) as refused:
        parse_mapping(FUNCTIONS + PREFIXES + body)
    assert refused.value.triples_map == "#m"


@pytest.mark.parametrize(
    ("pattern", "made"),
    [
        ("dd/MM/yy", "%d/%m/%y"), ("yyyy-MM-dd'T'HH:mm:ss", "%Y-%m-%dT%H:%M:%S"), ("MMM d, yyyy", "%b %d, %Y"),
        ("%d.%m", "%d.%m"), ("h 'of' a", "%I of %p"), ("H''mm", "%H'%M"),
    ],
)  # fmt: skip
def test_patterns_of_java_are_those_of_c(pattern: str, made: str) -> None:
    assert directives(pattern) == made
