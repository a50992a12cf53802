"""Edits of snapshots, each with the part that the refusal must name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Document = dict[str, Any]


Edit = Callable[[Document, list[Any]], None]


def at(*path: Any, value: Any) -> Edit:
    """Puts a value somewhere into the document; a function of what was there gives it."""

    def edit(document: Document, columns: list[Any]) -> None:
        place: Any = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value(place[path[-1]]) if callable(value) else value

    return edit


def without(name: str) -> Edit:
    return lambda document, columns: document.pop(name)


def table(document: Document, word: str) -> list[Any]:
    """The first table of a kind."""
    return next(each for each in document["tables"] if each[0] == word)


def in_table(word: str, *path: Any, value: Any) -> Edit:
    return lambda document, columns: at(*path, value=value)({"table": table(document, word)}, columns)


def in_column(word: str, *path: Any, values: Callable[[np.ndarray], Any]) -> Edit:
    """Puts other values into the column that a table refers to, of the same length."""

    def edit(document: Document, columns: list[Any]) -> None:
        place: Any = table(document, word) if word in TABLES else document[word]
        for step in path:
            place = place[step]
        number, first, count = place
        assert count, "there is nothing to change"
        columns[number][first : first + count] = values(columns[number][first : first + count].copy())

    return edit


def group_of(part: int, value: Any, *, guarded: bool = False) -> Edit:
    def edit(document: Document, columns: list[Any]) -> None:
        found = next(each for each in document["groups"][0] if (each[2] is not None) == guarded)
        found[part] = value(found[part]) if callable(value) else value

    return edit


def grouping(*path: Any, value: Any) -> Edit:
    """Puts a value into the template of a grouping rule."""

    def edit(document: Document, columns: list[Any]) -> None:
        at(*path, value=value)(next(each for each in document["templates"] if each[8]), columns)

    return edit


def aggregate(*path: Any, value: Any) -> Edit:
    """Puts a value into the first aggregate of a rule."""

    def edit(document: Document, columns: list[Any]) -> None:
        at(*path, value=value)(next(each for each in document["rules"] if each[8])[8][0], columns)

    return edit


def deep(document: Document, columns: list[Any]) -> None:
    """Unions of unions of unions ..."""
    first = next(number for number, each in enumerate(document["tables"]) if each[0] == "pairs")
    count = len(document["tables"])
    document["tables"] += [["union", [first if not each else count + each - 1]] for each in range(5000)]


def wide(document: Document, columns: list[Any]) -> None:
    """Chains of chains of chains, each three times: 3 ** 30 of them."""
    first = next(number for number, each in enumerate(document["tables"]) if each[0] == "pairs")
    count = len(document["tables"])
    for each in range(30):
        of = first if not each else count + each - 1
        document["tables"].append(["chain", of, of, of, [of]])


def many_calls(value: list[Any]) -> list[Any]:
    found: Any = ["variable", "x"]
    for _ in range(400):
        found = ["call", "strlen", [found]]
    return [found]


def _swap_widths(old: np.ndarray) -> np.ndarray:
    """The counts of rows of groups as their widths."""
    sizes = old.reshape(-1, 5)
    sizes[:, [2, 3]] = sizes[:, [3, 2]]
    return sizes.reshape(-1)


TABLES = (
    *("bitmap", "pairs", "rows", "equivalence", "transitive", "inverse", "union", "union of sets", "chain"),
    *("equality", "represented", "represented set", "restricted"),
)


_OUT = 1 << 40


_FAR = np.uint64(1 << 31)


ATTACKS: dict[str, tuple[str, Edit]] = {
    "settings that are a list": ("settings", at("settings", value=[])),
    "setting that is a number": ("setting", at("settings", "rules", value=1)),
    "place of two parts": ("place", at("place", value=[1, 2])),
    "place of texts": ("place", at("place", value=["1", "2", "3"])),
    "no dictionary": ("dictionary", without("dictionary")),
    "dictionary that is an object": ("dictionary", at("dictionary", value={})),
    "runs of another kind": ("keys", at("dictionary", 0, 0, 0, value="os.system")),
    "keys in no column": ("column", at("dictionary", 0, 0, 1, value=[10_000, 0, 1])),
    "keys in a column below zero": ("column", at("dictionary", 0, 0, 1, value=[-1, 0, 1])),
    "keys in a column of another type": ("a column of", lambda d, c: at(*_KEYS, value=_wide_column(c))(d, c)),
    "reference that is no list": ("keys", at("dictionary", 0, 0, 1, value="x")),
    "reference of two parts": ("keys", at("dictionary", 0, 0, 1, value=[0, 0])),
    "reference that begins below zero": ("first", at("dictionary", 3, 1, value=-5)),
    "reference that is too long": ("length", at("dictionary", 3, 2, value=_OUT)),
    "reference with a fraction": ("number", at("dictionary", 3, 2, value=1.5)),
    "reference with a flag": ("number", at("dictionary", 3, 2, value=True)),
    "kinds that there are not": ("kinds", in_column("dictionary", 3, values=lambda old: old + 9)),
    "ordered keys of no run": ("order", at("dictionary", 2, value=10**9)),
    "ordered keys that are text": ("order", at("dictionary", 2, value="0")),
    "index of no terms": ("index", in_column("dictionary", 1, 0, 1, values=lambda old: old + 10**6)),
    "index that is out of order": ("index", in_column("dictionary", 1, 0, 0, values=lambda old: old[::-1])),
    "index of another length": ("index", at("dictionary", 1, 0, 1, 2, value=lambda old: old - 1)),
    "spellings of no row": ("spellings", in_column("dictionary", 0, 1, 2, 0, values=lambda old: old + 10**9)),
    "spellings out of order": ("spellings", in_column("dictionary", 0, 1, 2, 0, values=lambda old: old[::-1])),
    "spellings with no suffix": ("spellings", in_column("dictionary", 0, 1, 2, 1, values=lambda old: old + 9)),
    "spellings that are numbers": ("spellings", at("dictionary", 0, 1, 2, 2, value=[5])),
    "spellings that are no tags": ("spellings", at("dictionary", 0, 1, 2, 2, value=["^^"])),
    "auxiliary relation without arguments": ("arity", at("auxiliaries", 0, 1, value=0)),
    "auxiliary relation with the code of another": ("code", at("auxiliaries", 0, 2, value=8)),
    "auxiliary relation with the code of a class": ("code", at("auxiliaries", 0, 2, value=9)),
    "auxiliary relation with a name that is no text": ("name", at("auxiliaries", 0, 0, value=None)),
    "facts of no relation": ("relation", in_column("facts", 0, values=lambda old: old + _OUT)),
    "facts of a relation below zero": ("relation", in_column("facts", 0, values=lambda old: -old)),
    "facts of one relation twice": ("relation", in_column("facts", 0, values=lambda old: old * 0 + old[0])),
    "facts in no table": ("table", in_column("facts", 1, values=lambda old: old + 9999)),
    "facts in a table of another arity": ("table", in_column("facts", 1, values=lambda old: old * 0)),
    "external facts of a plain relation": ("external", lambda d, c: at("external", value=d["facts"])(d, c)),
    "graph with the name of no term": ("graph", at("graphs", 0, 0, value=10**7)),
    "graph below zero": ("graph", at("graphs", 0, 0, value=-1)),
    "lists that are no flag": ("lists", at("has lists", value=0)),
    "relations reached that no term names": ("reached", in_column("reached", 1, values=lambda old: old + 10**7)),
    "relations reached out of order": ("reached", in_column("reached", 1, values=lambda old: old[::-1])),
    "relations reached of one kind alone": ("reached", at("reached", value=lambda old: old[:1])),
    "tables that are an object": ("tables", at("tables", value={})),
    "table of no kind": ("table 0", at("tables", 0, 0, value="builtins.eval")),
    "table whose kind is a list": ("table 0", at("tables", 0, 0, value=["pairs"])),
    "table of too many parts": ("table 0", at("tables", 0, value=lambda old: [*old, 1])),
    "table that refers to itself": ("its mirror", in_table("pairs", "table", 2, value=0)),
    "table that refers to a later one": ("its edges", in_table("transitive", "table", 1, value=10**6)),
    "table that refers to one below zero": ("its edges", in_table("transitive", "table", 1, value=-1)),
    "tables nested deep": ("nested too deep", deep),
    "tables that unfold to 3 ** 30": ("too large", wide),
    "bitmap of other bytes": ("bitmap", in_column("bitmap", 1, values=lambda old: old * 0 + 255)),
    "bitmap of no bytes": ("bitmap", in_table("bitmap", "table", 1, 2, value=0)),
    "bitmap with a wrong cardinality": ("bitmap", in_column("bitmap", 1, values=lambda old: _with(old, 10, 200))),
    "bitmap of terms that there are not": ("bitmap", in_column("bitmap", 1, values=lambda old: _with(old, 9, 255))),
    "pairs out of order": ("order", in_column("pairs", 1, 0, values=lambda old: old[::-1])),
    "pairs twice": ("order", in_column("pairs", 1, 0, values=lambda old: old * 0 + old[0])),
    "pairs of no terms": ("no term", in_column("pairs", 1, 0, values=lambda old: old + np.uint64(1 << 60))),
    "pairs with objects of no terms": ("no term", in_column("pairs", 1, 0, values=lambda old: old + _FAR)),
    "pairs that came twice": ("was there", in_table("pairs", "table", 1, value=lambda old: [old[0], old[0], old[2]])),
    "pairs of two blocks": ("blocks", in_table("pairs", "table", 1, value=lambda old: old[:2])),
    "pairs with an end too many": ("end", in_table("pairs", "table", 3, value=[[2, 5]])),
    "pairs with ends below zero": ("ends", in_table("pairs", "table", 3, value=[[0, -5]])),
    "rows with two arguments": ("arity", in_table("rows", "table", 1, value=2)),
    "rows that are not whole": ("rows", in_table("rows", "table", 2, 2, value=lambda old: old - 1)),
    "rows out of order": ("order", in_column("rows", 2, values=lambda old: old.reshape(-1, 12)[::-1].reshape(-1))),
    "rows of no terms": ("no term", in_column("rows", 2, values=lambda old: _with(old, len(old) - 12, 200))),
    "components in no order": ("components", in_column("equivalence", 3, values=lambda old: old[::-1])),
    "component that begins outside": ("components", in_column("equivalence", 3, values=lambda old: old + 5)),
    "members twice": ("members", in_column("equivalence", 2, values=lambda old: old * 0 + old[0])),
    "members of no terms": ("members", in_column("equivalence", 2, values=lambda old: old + 10**8)),
    "edges that are no pairs": ("its edges", in_table("equivalence", "table", 1, value=lambda old: "x")),
    "members out of order": ("members", in_column("equivalence", 2, values=lambda old: old[::-1])),
    "equals without a class": ("pairs of equals", in_column("equality", 2, values=lambda old: old + 10**6)),
    "classes that are no classes": ("its classes", in_table("equality", "table", 1, value="x")),
    "facts over other pairs": ("its classes", in_table("represented", "table", 2, value=None)),
    "facts over a set": ("its inner pairs", in_table("represented", "table", 1, value=10**6)),
    "facts of inputs that there are not": ("an input", in_table("represented", "table", 3, value=[10**6])),
    "sets of classes that there are not": ("its classes", in_table("represented set", "table", 2, value=10**6)),
    "closure that is none": ("its closure", in_table("restricted", "table", 1, value=None)),
    "restriction to no terms": ("only edges lead to", in_column("restricted", 3, values=lambda old: old + 10**8)),
    "restriction out of order": ("only edges lead to", in_column("restricted", 3, values=lambda old: old[::-1])),
    "restriction that is no flag": ("pairs things with themselves", in_table("restricted", "table", 2, value=2)),
    "restriction of a definition": (
        "definition",
        lambda d, c: at(12, value=["restriction", True, [10**8]])(next(e for e in d["definitions"] if e[12]), c),
    ),
    "nodes of no terms": ("nodes", in_column("transitive", 2, 0, values=lambda old: old + 10**8)),
    "nodes twice": ("nodes", in_column("transitive", 2, 0, values=lambda old: old * 0 + old[0])),
    "components out of range": ("components", in_column("transitive", 2, 1, values=lambda old: old + 10**8)),
    "components below zero": ("components", in_column("transitive", 2, 1, values=lambda old: old - 10**8)),
    "components of others": ("components", in_column("transitive", 2, 1, values=lambda old: np.roll(old, 1))),
    "groups out of range": ("groups", in_column("transitive", 2, 2, values=lambda old: old + 10**8)),
    "groups that begin outside": ("groups", in_column("transitive", 2, 3, values=lambda old: old + 10**8)),
    "groups of labels out of range": ("groups", in_column("transitive", 2, 4, values=lambda old: old + 10**8)),
    "groups of the labels of others": ("groups", in_column("transitive", 2, 4, values=lambda old: old[::-1] * 0)),
    "sets outside of the columns": ("sets", in_column("transitive", 2, 5, 3, values=lambda old: old + 10**8)),
    "small sets outside of the columns": ("sets", in_column("transitive", 2, 5, 2, values=lambda old: old - 10**8)),
    "small sets of no labels": ("small sets", in_column("transitive", 2, 5, 1, values=lambda old: old + 10**8)),
    "sets for some labels": ("sets", in_table("transitive", "table", 2, 5, 2, 2, value=lambda old: old - 1)),
    "changed sets of no set": ("changed", in_table("transitive", "table", 2, 5, 4, value=lambda old: [old[0], 0, 3])),
    "count of pairs below zero": ("pairs", in_table("transitive", "table", 2, 6, 0, value=-1)),
    "order that is no flag": ("ordered", in_table("transitive", "table", 2, 6, 2, value="yes")),
    "closure of five parts": ("closure", in_table("transitive", "table", 2, value=lambda old: old[:5])),
    "template of no word": ("template 0", at("templates", 0, 0, value="subprocess.Popen")),
    "template whose atom has no relation": ("template", at("templates", 0, 2, 0, 1, value=99)),
    "template whose atom has no arguments": ("template", at("templates", 0, 2, 0, 2, value=[])),
    "template with a parameter that it has not": ("template", at("templates", 0, 2, 0, 2, 0, value=-99)),
    "template with a head that nothing binds": ("template", at("templates", 0, 1, 2, 0, value=77)),
    "template with a filter that nothing binds": ("template", at("templates", 0, 4, value=[["call", "=", [55, 55]]])),
    "template with a filter of no function": ("template", at("templates", 0, 4, value=[["call", "system", [0]]])),
    "template with a filter of a query's function": ("template", at("templates", 0, 4, value=[["call", "rand", []]])),
    "template with a filter of too few arguments": ("template", at("templates", 0, 4, value=[["call", "=", [0]]])),
    "template with a slot that is text": ("template", at("templates", 0, 2, 0, 2, 0, value="0")),
    "template with parameters below zero": ("template", at("templates", 0, 6, value=-1)),
    "grouping rule of no aggregate": ("template", grouping(8, 0, 1, value="system")),
    "grouping rule with an argument that it has not": ("template", grouping(8, 0, 2, value=9)),
    "grouping rule of the values of nothing": ("template", grouping(8, 0, value=["summary", "min", -1, [], ""])),
    "grouping rule of distinct arguments that it has not": ("template", grouping(8, 0, 3, value=[5])),
    "grouping rule with a filter": ("template", grouping(4, value=[["call", "=", [0, 0]]])),
    "grouping rule of two atoms": ("template", grouping(2, value=lambda old: old * 2)),
    "grouping rule without a head": ("template", grouping(1, value=None)),
    "grouping rule of another group": ("template", grouping(1, 2, 0, value=1)),
    "grouping rule with more aggregates than arguments": ("template", grouping(8, value=lambda old: old * 3)),
    "grouping rule with a value that it groups": ("template", grouping(1, 2, -1, value=0)),
    "group of no template": ("template", group_of(1, 999)),
    "group with a name that is no text": ("name", group_of(0, 5)),
    "group with a guard of no relation": ("guard", group_of(2, _OUT, guarded=True)),
    "group that is not that of its guard": ("group", group_of(2, lambda old: 4, guarded=True)),
    "group with a source of no row": ("column", group_of(3, lambda old: [["column", 9, 1], *old[1:]], guarded=True)),
    "group with a source of no class": ("damaged", group_of(3, lambda old: [["iri", "x"], *old[1:]], guarded=True)),
    "group with columns of no kind": ("columns", group_of(4, [3])),
    "group with rows of another width": ("rows", in_column("groups", 1, values=_swap_widths)),
    "group with rows that are not there": ("rows", in_column("groups", 1, values=lambda old: old + (old > 0))),
    "group with rows below zero": ("size", in_column("groups", 1, values=lambda old: -old)),
    "group with too many rows": ("size", in_column("groups", 1, values=lambda old: old + (1 << 62))),
    "groups with a size too few": ("sizes", at("groups", 1, value=lambda old: [*old[:2], old[2] - 1])),
    "group with parameters of no relation": ("damaged", lambda d, c: _shift_parameters(d, c, _OUT)),
    "group with parameters below zero": ("damaged", lambda d, c: _shift_parameters(d, c, -_OUT)),
    "group with too few flags": ("rows", at("groups", 2, 6, value=lambda old: [*old[:2], 0])),
    "group with flags of 7": ("flag", lambda d, c: _set_flags(d, c)),
    "guards of no groups": ("group", at("guarded", 0, 1, value=[999])),
    "plain group that has a guard": ("plain", lambda d, c: at("plain", value=[*range(len(d["groups"][0]))])(d, c)),
    "retired group that is there twice": ("retired", at("retired", value=[0, 0])),
    "retired group that there is not": ("group", at("retired", value=[-1])),
    "sequences of lists of no relation": ("lists", at("sequences", value=[[1, 4]])),
    "rule of another kind": ("rule 0", at("rules", 0, value=["iri", "x"])),
    "rule of no word": ("rule 0", at("rules", 0, 0, value="__import__")),
    "rule with a body of text": ("rule 0", at("rules", 0, 2, value="body")),
    "rule with a variable that is a number": ("rule 0", at("rules", 0, 1, 0, 1, value=["variable", 5])),
    "rule with an aggregate of no word": ("rule", aggregate(0, value="system")),
    "rule with an aggregate of no function": ("rule", aggregate(3, 0, 2, value="system")),
    "rule with an aggregate of a text": ("rule", aggregate(3, 0, 3, value="y")),
    "rule with an aggregate of too few parts": ("rule", aggregate(3, 0, value=["value"])),
    "rule nested deep": ("rule 0", at("rules", 0, 4, value=many_calls)),
    "program that is a list": ("program", at("program", value=[])),
    "program without counts": ("counts", at("program", "counts", value=None)),
    "program that counts no rule": ("number of a rule", at("program", "counts", 0, 0, value=9999)),
    "program that counts below one": ("count", at("program", "counts", 0, 1, value=0)),
    "program of which nothing became": ("program", at("program", "records", value=[])),
    "program with other plain rules": ("plain rules", at("program", "plain", value=lambda old: old[1:])),
    "plain rule with too few parameters": ("plain rule", at("program", "parameters", 2, value=lambda old: old - 1)),
    "plain rule of no relation": ("plain rule", in_column("program", "parameters", values=lambda old: old + _OUT)),
    "plain rule that there is not": ("plain rule", at("program", "records", 0, 1, value=[9999])),
    "owner of no group": ("group", at("program", "owners", 0, 0, value=9999)),
    "template of four parts": ("template", at("program", "owners", 0, 2, value=lambda old: old[:4])),
    "template of a rule that there is not": ("rule", at("program", "owners", 0, 2, 0, value=-1)),
    "guards below zero": ("guards", at("program", "guards", value=-1)),
    "definition of no scheme": ("definition 0", at("definitions", 0, 1, value="os")),
    "definition of nothing": ("definition 0", at("definitions", 0, 3, value=[])),
    "definition of no relation": ("definition 0", at("definitions", 0, 3, 0, 1, value=_OUT)),
    "definition of another arity": ("definition 0", at("definitions", 0, 2, value=1)),
    "relation with the definition of another": ("definition", at("defined", 0, 0, value=5)),
    "relation with no definition": ("definition", at("defined", 0, 1, value=77)),
}


_KEYS = ("dictionary", 0, 0, 1, 0)


def _wide_column(columns: list[Any]) -> int:
    return next(number for number, column in enumerate(columns) if getattr(column, "dtype", None) == np.uint64)


def _with(column: np.ndarray, at: int, value: int) -> np.ndarray:
    column[at] = value
    return column


def _shift_parameters(document: Document, columns: list[Any], by: int) -> None:
    number, first, count = document["groups"][2][2]
    columns[number][first : first + count] += by


def _set_flags(document: Document, columns: list[Any]) -> None:
    number, first, count = document["groups"][2][4]
    columns[number][first : first + count] = 7
