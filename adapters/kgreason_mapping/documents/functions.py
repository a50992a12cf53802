"""The functions that mappings may call: their names, parameters and outputs.

They are those of GREL (OpenRefine's expression language) and of IDLab that mappings use, whose results depend on their
arguments alone. Values are texts; truth values are ``true`` and ``false``.

Sources: http://users.ugent.be/~bjdmeest/function/grel.ttl, https://w3id.org/imec/idlab/function and
https://openrefine.org/docs/manual/grelfunctions; names differ between versions of these, so several are known for one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kgreason.rdf.vocabulary import XSD, XSD_BOOLEAN, XSD_INTEGER

_NAMESPACES: Final = (
    "http://users.ugent.be/~bjdmeest/function/grel.ttl#",
    "https://users.ugent.be/~bjdmeest/function/grel.ttl#",
    "https://w3id.org/imec/idlab/function#",
    "http://example.com/idlab/function/",
    "https://github.com/morph-kgc/morph-kgc/function/built-in.ttl#",
)
_OUTPUTS: Final = frozenset((
    "stringout", "_stringout", "stringoutput", "output_string", "boolout", "_boolout", "output_bool", "intout",
    "numberout", "output_number", "listout", "_listout", "output_array", "dateout", "_dateout", "output_date",
    "output_datetime", "output_object", "anyout", "output",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter by any of its names, in lower case; it must be given unless it has a default."""

    names: tuple[str, ...]
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """A function, and the datatype of its results; None for texts. A `repeats` function takes its parameter twice or
    more."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    datatype: str | None = None
    repeats: bool = False


def function_named(iri: str) -> Function | None:
    """The function that an IRI names."""
    name = local_name(iri)
    return None if name is None else _FUNCTIONS.get(name)


def datatype_of(name: str) -> str | None:
    """The datatype of the results of a function, by its own name."""
    return _DATATYPES[name]


def is_output(iri: str) -> bool:
    """Whether an IRI names an output of functions."""
    return local_name(iri) in _OUTPUTS


def local_name(iri: str) -> str | None:
    """The name in one of the vocabularies of functions, in lower case."""
    found = next((one for one in _NAMESPACES if iri.startswith(one)), None)
    return None if found is None else iri[len(found) :].lower()


_VALUE: Final = Parameter(("valueparam", "valueparameter", "valueparam1", "valueparameter1", "str", "_str", "p_any_e"))
_OTHER: Final = Parameter(("valueparam2", "valueparameter2", "otherstr", "_otherstr", "_otherstring"))
_PART: Final = Parameter(("string_sub", "p_string_sub", "valueparam2", "valueparameter2", "_otherstr", "otherstr"))
_TRUTH: Final = Parameter(("bool_b", "strboolean", "_strboolean", "valueparam", "valueparameter"))
_PATTERN: Final = Parameter(("pattern", "_pattern", "p_string_pattern"))
_DATE: Final = Parameter(("strdate", "_strdate", *_VALUE.names))

_DECLARED: Final = (
    (("toUpperCase",), Function("upper", (_VALUE,))),
    (("toLowerCase",), Function("lower", (_VALUE,))),
    (("toTitleCase",), Function("title", (_VALUE,))),
    (("trim", "string_trim", "strip", "string_strip"), Function("trim", (_VALUE,))),
    (("reverse", "string_reverse"), Function("reverse", (_VALUE,))),
    (("string_toString", "toString"), Function("text", (_VALUE,))),
    (("string_length", "length"), Function("length", (_VALUE,), XSD_INTEGER)),
    (("string_md5", "md5"), Function("md5", (_VALUE,))),
    (("string_sha1", "sha1"), Function("sha1", (_VALUE,))),
    (
        ("string_replace", "replace"),
        Function("replace", (_VALUE, Parameter(("param_find", "p_string_find")),
                             Parameter(("param_replace", "p_string_replace")))),
    ),
    (
        ("string_substring", "substring"),
        Function("substring", (_VALUE, Parameter(("p_int_i_from", "param_int_i_from")),
                               Parameter(("p_int_i_opt_to", "param_int_i_opt_to"), ""))),
    ),
    (("string_split", "split"), Function("split", (_VALUE, Parameter(("p_string_sep", "delimiter", "_delimiter"))))),
    (("string_chomp", "chomp"), Function("chomp", (_VALUE, Parameter(("p_string_sep", *_PART.names))))),
    (("string_contains", "contains", "stringContains"), Function("contains", (_VALUE, _PART), XSD_BOOLEAN)),
    (("string_startsWith", "startsWith"), Function("starts", (_VALUE, _PART), XSD_BOOLEAN)),
    (("string_endsWith", "endsWith"), Function("ends", (_VALUE, _PART), XSD_BOOLEAN)),
    (("string_indexOf", "indexOf"), Function("index", (_VALUE, _PART), XSD_INTEGER)),
    (("escape", "string_escape"), Function("escape", (_VALUE, Parameter(("modeparam", "modeparameter"))))),
    (
        ("concat", "string_concat"),
        Function("concat", (_VALUE, _OTHER, Parameter(("delimiter", "_delimiter", "p_string_sep"), ""))),
    ),
    (
        ("controls_if", "if"),
        Function("if", (_TRUTH, Parameter(("any_true",)), Parameter(("any_false",)))),
    ),
    (("boolean_not", "not"), Function("not", (_TRUTH,), XSD_BOOLEAN)),
    (("boolean_and", "and"), Function("and", (Parameter(("param_rep_b", *_TRUTH.names)),), XSD_BOOLEAN, repeats=True)),
    (("boolean_or", "or"), Function("or", (Parameter(("param_rep_b", *_TRUTH.names)),), XSD_BOOLEAN, repeats=True)),
    (("equal",), Function("equal", (_VALUE, _OTHER), XSD_BOOLEAN)),
    (("notEqual",), Function("unequal", (_VALUE, _OTHER), XSD_BOOLEAN)),
    (("trueCondition",), Function("when", (_TRUTH, _VALUE))),
    (
        ("decide",),
        Function("decide", (_VALUE, Parameter(("expectedstr", "_expectedstr")),
                            Parameter(("resultstr", "_resultstr", "_result")))),
    ),
    (("toUpperCaseURL",), Function("upper_url", (_VALUE,))),
    (("alwaysReturnsABC",), Function("abc")),
    (("normalizeDate",), Function("date", (_DATE, _PATTERN), XSD + "date")),
    (("normalizeDateTime",), Function("date_time", (_DATE, _PATTERN), XSD + "dateTime")),
    (("date_toDate", "toDate"), Function("date", (_DATE, _PATTERN), XSD + "date")),
)  # fmt: skip

_DATATYPES: Final = {function.name: function.datatype for _, function in _DECLARED}
_FUNCTIONS: Final = {name.lower(): function for names, function in _DECLARED for name in names}
