"""``kgreason explain``: why a triple holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kgreason.cli.error_lines import UsageError
from kgreason.cli.inputs import Inputs, check_inputs, load
from kgreason.cli.options import Limits, RuleNames, Schemes, option_groups
from kgreason.cli.requests import PREFIX
from kgreason.errors import LoadError, TermError
from kgreason.rdf.model import BlankNode
from kgreason.rdf.vocabulary import STANDARD_PREFIXES

if TYPE_CHECKING:
    from kgreason.dictionary.dictionary import Dictionary

FORMATS: Final = ("text", "json", "markdown")


@option_groups
def explain(
    rules: RuleNames,
    *,
    triple: Annotated[
        str,
        typer.Option(
            "--triple",
            "-t",
            metavar="TRIPLE",
            help="The triple, as in Turtle; with the prefixes of the files and those of rdf, rdfs, owl, xsd and skos.",
        ),
    ],
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help=f"How to print: {', '.join(FORMATS)}.")
    ] = "text",
    schemes: Schemes = "auto",
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Prove a triple down to asserted ones; exit code 1 when it neither is asserted nor follows.

    Each line is a fact with the rule that gives it; below it is what the rule needs.
    """
    if format not in FORMATS:
        raise UsageError(f"unknown format {format}; there are {', '.join(FORMATS)}")
    check_inputs(inputs)
    check_syntax(triple)
    declared: dict[str, str] = {}
    knowledge = load(inputs, rules, schemes, declared, limits)
    prefixes = STANDARD_PREFIXES | declared
    proof = knowledge.explain(*parsed(triple, prefixes, knowledge.dictionary)).with_prefixes(prefixes)
    if format != "json":
        from kgreason.lookup.readable_terms import ReadableTerms

        terms = ReadableTerms(knowledge, prefixes)
        proof = replace(proof, show=lambda term: terms.term(term) if isinstance(term, BlankNode) else str(term))
    match format:
        case "json":
            print(proof.to_json())
        case "markdown":
            print(proof.to_markdown())
        case _:
            print(proof)


def check_syntax(text: str) -> None:
    """Refuse a text that cannot be a triple under any prefixes.

    Raises:
        UsageError: it is not one.
    """
    from kgreason.dictionary.dictionary import Dictionary

    parsed(text, dict.fromkeys(PREFIX.findall(text), "urn:x-kgreason:any"), Dictionary())


def parsed(text: str, prefixes: Mapping[str, str], dictionary: Dictionary) -> tuple[int, int, int]:
    """The ids of a triple in Turtle.

    Raises:
        UsageError: it is not one, or has a blank node, whose name in a file says nothing outside of it.
    """
    from kgreason.io.readers import read_stream

    declarations = "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in prefixes.items())
    document = f"{declarations}{text.strip().removesuffix('.')} ."
    try:
        quads = read_stream(document.encode(), dictionary, format="ttl", source="triple")
    except (LoadError, TermError) as error:
        raise UsageError(error.reason, path=f"the triple {text}") from error
    if len(quads) != 1:
        raise UsageError(f"the triple {text}: this is {len(quads)} triples; give one")
    found = int(quads.subject[0]), int(quads.predicate[0]), int(quads.object[0])
    if any(isinstance(dictionary.decode(term), BlankNode) for term in found):
        raise UsageError(f"the triple {text}: a blank node has no name outside of its file")
    return found
