"""JSONPath over variant columns: names, indices and wildcards; what is beyond has no meaning for one row.

A path without a wildcard gives one value; the elements of an array are `$.array[*]`. JSON's null and what does not
exist give no value. Numbers without a fraction are integers, as JSON-LD has it.
Sources: RFC 9535, and the JSONPath reference formulation of RML's I/O registry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from kgreason.errors import MappingError
from kgreason.rdf.vocabulary import XSD_BOOLEAN, XSD_DOUBLE, XSD_INTEGER
from kgreason_mapping.quarantine_reasons import NOT_SCALAR
from kgreason_mapping.sources.json_paths import Step, Wildcard, parse_steps
from kgreason_spark.ingestion.natural import xsd_real
from kgreason_spark.ingestion.reference_values import Value, Values, many_values


def parse_path(text: str) -> tuple[str, ...]:
    """The path as stretches in Spark's syntax (``$.a['b c'][0]``), with a wildcard between each two.

    A path may leave out its ``$``, as users do: ``a.b``.

    Raises:
        MappingError: it is not a JSONPath, or one with filters, slices, descendants or very many wildcards.
    """
    stretches = ["$"]
    for step in parse_steps(text):
        if step is Wildcard.ALL:
            stretches.append("$")
        else:
            stretches[-1] += _written(step, text)
    return tuple(stretches)


def nodes(variant: Column, stretches: Sequence[str]) -> Column:
    """All nodes that a path with wildcards leads to, as an array of variants: null where the way ends."""
    found = F.array(F.try_variant_get(variant, stretches[0], "variant"))
    for stretch in stretches[1:]:
        members = F.transform(found, _members)
        found = F.flatten(F.filter(members, lambda one: one.isNotNull()))
        if stretch != "$":
            found = F.transform(found, _follow(stretch))
    return found


def json_values(variant: Column, text: str) -> Values:
    """The values that a reference gives in a row: an array or an object is not a value, and has a reason instead."""
    stretches = parse_path(text)
    if len(stretches) > 1:
        return (many_values(F.transform(nodes(variant, stretches), lambda one: _scalar(one).packed())),)
    return (_scalar(F.try_variant_get(variant, stretches[0], "variant")),)


def _follow(stretch: str) -> Callable[[Column], Column]:
    return lambda one: F.try_variant_get(one, stretch, "variant")


def _members(node: Column) -> Column:
    return F.coalesce(
        F.try_variant_get(node, "$", "array<variant>"),
        F.map_values(F.try_variant_get(node, "$", "map<string,variant>")),
    )


def _scalar(node: Column) -> Value:
    kind = F.schema_of_variant(node)
    datatype = (
        F.when((kind == "BIGINT") | kind.endswith(",0)"), XSD_INTEGER)
        .when(kind.startswith("DECIMAL") | (kind == "DOUBLE"), XSD_DOUBLE)
        .when(kind == "BOOLEAN", XSD_BOOLEAN)
    )
    reason = F.when(kind.startswith("OBJECT") | kind.startswith("ARRAY"), NOT_SCALAR)
    text = F.try_variant_get(node, "$", "string")
    # A number that is too large for a double is infinite.
    return Value(F.when(kind == "DOUBLE", xsd_real(text)).otherwise(text), datatype, reason)


def _written(step: Step, text: str) -> str:
    if not isinstance(step, str):
        return f"[{step}]"
    if "'" not in step:
        return f"['{step}']"
    if '"' in step:
        raise MappingError(f"{text!r} has a name with both kinds of quotation marks")
    return f'["{step}"]'
