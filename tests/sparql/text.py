"""Algebra as SPARQL text, for engines that are asked in text. Every node becomes a group of its own."""

from __future__ import annotations

from kgreason.algebra.expressions.tree import Call
from kgreason.sparql import algebra as a


def query(node: a.Node, variables: list[str], *, modifiers: str = "") -> str:
    names = " ".join(f"?{name}" for name in variables) or "*"
    return f"SELECT {names} {{ {group(node)} }}{modifiers}"


def group(node: a.Node) -> str:
    match node:
        case a.Basic(atoms):
            return " . ".join(f"{t.subject} {t.predicate} {t.object}" for t in atoms)
        case a.Join(parts):
            return " ".join(f"{{ {group(part)} }}" for part in parts)
        case a.Union(parts):
            return " UNION ".join(f"{{ {group(part)} }}" for part in parts)
        case a.LeftJoin(left, right, condition):
            extra = "" if condition is None else f" FILTER ({expression(condition)})"
            return f"{{ {group(left)} }} OPTIONAL {{ {{ {group(right)} }}{extra} }}"
        case a.Minus(left, right):
            return f"{{ {group(left)} }} MINUS {{ {group(right)} }}"
        case a.Filter(condition, inner):
            return f"{{ {group(inner)} }} FILTER ({expression(condition)})"
        case a.Extend(inner, variable, value):
            return f"{{ {group(inner)} }} BIND ({expression(value)} AS ?{variable})"
        case a.Values(variables, rows):
            names = " ".join(f"?{name}" for name in variables)
            lines = " ".join(f"({' '.join('UNDEF' if t is None else str(t) for t in row)})" for row in rows)
            return f"VALUES ({names}) {{ {lines} }}"
        case a.Graph(name, inner):
            return f"GRAPH {name} {{ {group(inner)} }}"
        case a.Project(inner, variables):
            return f"{{ {query(inner, list(variables))} }}"
        case a.Distinct(inner):
            return f"{{ SELECT DISTINCT * {{ {group(inner)} }} }}"
    raise AssertionError(node)


def expression(value: a.Expression) -> str:
    match value:
        case a.Exists(node, negated):
            return f"{'NOT ' if negated else ''}EXISTS {{ {group(node)} }}"
        case Call(function, arguments):
            texts = [expression(argument) for argument in arguments]
            if function in ("=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "&&", "||"):
                return f"({texts[0]} {function} {texts[1]})"
            return f"!({texts[0]})" if function == "!" else f"{function.upper()}({', '.join(texts)})"
    return str(value)
