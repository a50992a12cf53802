"""``kgreason explain``: why a triple holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kgreason.cli.error_lines import UsageError
from kgreason.cli.inputs import Inputs, check_inputs, load
from kgreason.cli.options import Limits, OutputFile, RuleNames, Schemes, option_groups
from kgreason.cli.output import check_target, chosen_format, written
from kgreason.cli.progress_bar import progress_bar
from kgreason.cli.query import filled, store_of
from kgreason.cli.requests import PREFIX, check_query, place_of, text_of
from kgreason.errors import LoadError, OptionError, TermError
from kgreason.html_fragments import printable
from kgreason.rdf.model import BlankNode, Term
from kgreason.rdf.vocabulary import STANDARD_PREFIXES

if TYPE_CHECKING:
    from kgreason.dictionary.dictionary import Dictionary
    from kgreason.store.knowledge_base import KnowledgeBase

FORMATS: Final = ("text", "json", "markdown")
RDF_FORMATS: Final = ("nt", "nq", "ttl", "trig", "jsonld")
"""Those of `kgreason.proofs.proof_documents`."""
_ENDINGS: Final = {
    ".txt": "text",
    ".json": "json",
    ".md": "markdown",
    **{f".{format}": format for format in RDF_FORMATS},
}


@dataclass(frozen=True, slots=True)
class _Document:
    """A document in RDF: where it goes, its format, and how triples are reified."""

    path: Path | None
    format: str
    reification: str


@option_groups
def explain(
    rules: RuleNames,
    *,
    triple: Annotated[
        str | None,
        typer.Option(
            "--triple",
            "-t",
            metavar="TRIPLE",
            help="The triple, as in Turtle; with the prefixes of the files and those of rdf, rdfs, owl, xsd and skos.",
        ),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option(
            "--query", "-q", metavar="QUERY", help="Prove what a CONSTRUCT or DESCRIBE gives, in RDF; or a file of it."
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Prove all that is inferred, in RDF.")] = False,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"How to write: {', '.join((*FORMATS, *RDF_FORMATS))}. Without it text, or told by FILE.",
        ),
    ] = None,
    output: OutputFile = None,
    reification: Annotated[
        str | None,
        typer.Option(
            "--reification",
            metavar="triple-terms|statements",
            help="How RDF says which triple is proved: RDF 1.2's triple terms, or rdf:Statement for software without.",
        ),
    ] = None,
    schemes: Schemes = "auto",
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Prove triples down to asserted ones; exit code 1 when one neither is asserted nor follows.

    In a text, each line is a fact with the rule that gives it; below it is what the rule needs. In RDF a resource for
    each step reifies a fact, with sh:sourceRule and prov:wasDerivedFrom; kgreason verify checks it.
    """
    if sum((triple is not None, query is not None, everything)) != 1:
        raise UsageError("what is to be proved?", expected="one of --triple, --query and --all")
    chosen = chosen_format(format, output, (*FORMATS, *RDF_FORMATS), _ENDINGS) or "text"
    document = _document(chosen, output, reification, is_one=triple is not None)
    check_target(output)
    check_inputs(inputs)
    declared: dict[str, str] = {}
    if query is not None and document is not None:
        _write_answer(query, document, inputs, rules, limits)
        return
    if triple is not None:
        check_syntax(triple)
    knowledge = load(inputs, rules, schemes, declared, limits, PREFIX.findall(triple or ""))
    prefixes = STANDARD_PREFIXES | declared
    goal = None if triple is None else parsed(triple, prefixes, knowledge.dictionary)
    if document is not None:
        _write(knowledge, goal, document, prefixes)
    elif goal is not None:
        with written(output) as stream:
            stream.write(f"{_text(knowledge, goal, chosen, prefixes)}\n".encode())


def _document(format: str, output: Path | None, reification: str | None, *, is_one: bool) -> _Document | None:
    """The document in RDF that is wanted; None for a text.

    Raises:
        UsageError: a text where more than one triple is proved.
    """
    from kgreason.proofs.proof_documents import reification_for

    if format in RDF_FORMATS:
        try:
            return _Document(output, format, reification_for(format, reification))
        except OptionError as error:
            raise UsageError.like(error) from error
    if not is_one or reification is not None:
        raise UsageError("a text is of one triple", expected=f"--format with one of {', '.join(RDF_FORMATS)}")
    return None


def _write(
    knowledge: KnowledgeBase, goal: tuple[int, int, int] | None, document: _Document, prefixes: Mapping[str, str]
) -> None:
    from kgreason.proofs.proof_documents import write_document

    lines = knowledge.proof_lines(None if goal is None else [goal], document.reification)
    with progress_bar("proving"), written(document.path) as stream:
        write_document(lines, stream, document.format, prefixes)


def _write_answer(query: str, document: _Document, inputs: Inputs, rules: Sequence[str], limits: Limits) -> None:
    request, place = text_of(query), place_of(query, "query")
    asked = check_query(request, None, place)
    dataset = filled(inputs, rules, limits, asked)
    check_query(request, dict(dataset.namespaces()), place)
    answer = dataset.query(request)
    if answer.graph is None:
        raise UsageError("it gives no triples", path=place, expected="CONSTRUCT or DESCRIBE")
    with progress_bar("proving"), written(document.path) as stream:
        store_of(dataset).write_proofs(stream, answer.graph, format=document.format, reification=document.reification)


def _text(knowledge: KnowledgeBase, goal: tuple[int, int, int], format: str, prefixes: Mapping[str, str]) -> str:
    proof = knowledge.explain(*goal).with_prefixes(prefixes)
    if format == "json":
        return proof.to_json()
    from kgreason.lookup.readable_terms import ReadableTerms

    terms = ReadableTerms(knowledge, prefixes)

    def shown(term: Term) -> str:
        return terms.term(term) if isinstance(term, BlankNode) else printable(str(term))

    proof = replace(proof, show=shown)
    return proof.to_markdown() if format == "markdown" else str(proof)


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
    from kgreason.rdf.prefixes import declarations

    document = f"{declarations(prefixes)}{text.strip().removesuffix('.')} ."
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
