"""Programs that are stratified pattern by pattern, made to be stratified relation by relation, as engines need it.

``RULE { ?x :status :safe } WHERE { ?x a :Part NOT { ?x :status :exposed } }`` does not deny its own conclusions, and
yet the relation of :status depends on its own negation. So each pattern of such a relation becomes one of its own: of
the asserted triples that it matches, and of what each rule derives that it can match.

    derived(?x) :- [?x, rdf:type, :Part], ~matched(?x) .       [?x, :status, :safe] :- derived(?x) .
    matched(?x) :- asserted-triple(?x, :status, :exposed) .

These patterns see what the rules of their own rule set derive, and not what other rule sets do.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.errors import StratificationError
from kgreason.program.dependency_graph import component_numbers
from kgreason.program.negation import is_anonymous
from kgreason.program.rule_variables import any_variables
from kgreason.program.rules import Argument, Atom, BodyAtom, FactAtom, Program, Rule, TripleAtom
from kgreason.program.safety import ASSERTED, ordinary_atoms
from kgreason.program.stratification import check_stratification, relation_of
from kgreason.rdf.model import Literal
from kgreason.sparql_rl.negations import digest


def stratified(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules, or the same ones with relations of their patterns: O(rules times patterns of these relations).

    Raises:
        StratificationError: a pattern with a variable as predicate matches what it must not depend on.
    """
    try:
        check_stratification(Program(tuple(rules)))
    except StratificationError:
        changed = _Splitting(rules, _unstratified(rules)).rules()
        check_stratification(Program(changed))
        return changed
    return tuple(rules)


def _unstratified(rules: Sequence[Rule]) -> set[Hashable]:
    """The relations of triples that depend on the negation of something that depends on them."""
    numbers: dict[Hashable, int] = {}
    edges: set[tuple[int, int, bool]] = set()
    for rule in rules:
        heads = _numbers(rule.heads, numbers)
        for sources, is_denied in ((ordinary_atoms(rule), False), (rule.negated, True)):
            edges |= {(source, head, is_denied) for source in _numbers(sources, numbers) for head in heads}
    successors: list[list[int]] = [[] for _ in numbers]
    for source, head, _ in edges:
        successors[source].append(head)
    components = component_numbers(successors)
    circles = {components[s] for s, h, is_denied in edges if is_denied and components[s] == components[h]}
    return {key for key, number in numbers.items() if components[number] in circles}


def _numbers(atoms: Iterator[Atom] | Sequence[Atom], numbers: dict[Hashable, int]) -> list[int]:
    keys = [named[0] for atom in atoms if (named := relation_of(atom)) is not None]
    return [numbers.setdefault(key, len(numbers)) for key in keys]


@dataclass(slots=True)
class _Splitting:
    """Gives each pattern of some relations a relation of its own."""

    given: Sequence[Rule]
    relations: Collection[Hashable]
    _key: str = ""
    _derived: list[tuple[FactAtom, TripleAtom, frozenset[Variable]]] = field(default_factory=list)
    _patterns: dict[TripleAtom, FactAtom] = field(default_factory=dict)

    def rules(self) -> tuple[Rule, ...]:
        """All rules."""
        self._key = digest("\n".join(sorted(map(str, self.given))))
        found: list[Rule] = []
        for rule in self.given:
            body = tuple(self._matched(atom) for atom in rule.body)
            changed = replace(rule, body=body, negated=tuple(self._matched_atom(atom) for atom in rule.negated))
            ours = [head for head in rule.heads if isinstance(head, TripleAtom) and self._concerns(head)]
            if others := tuple(head for head in rule.heads if head not in ours):
                found.append(replace(changed, heads=others))
            for head in ours:
                derived = FactAtom(f"derived-{digest(self._key + str(rule) + str(head))}", _arguments(head))
                self._derived.append((derived, head, _new_nodes(rule)))
                found.append(replace(changed, heads=(derived,)))
                found.append(Rule((head,), (derived,), name=rule.name, position=rule.position))
        return tuple(dict.fromkeys((*found, *self._matches())))

    def _concerns(self, atom: TripleAtom) -> bool:
        named = relation_of(atom)
        return named is None or named[0] in self.relations

    def _matched(self, atom: BodyAtom) -> BodyAtom:
        return self._matched_atom(atom) if isinstance(atom, TripleAtom | FactAtom) else atom

    def _matched_atom(self, atom: Atom) -> Atom:
        """The relation of a pattern in its place."""
        if isinstance(atom, FactAtom) or relation_of(atom) is None or not self._concerns(atom):
            return atom
        variables = tuple(dict.fromkeys(any_variables(atom)))
        names = {variable: Variable(f"m{number}") for number, variable in enumerate(variables)}
        pattern = TripleAtom(*(names[part] if isinstance(part, Variable) else part for part in atom.arguments))
        if pattern not in self._patterns:
            name = f"matched-{digest(self._key + str(pattern))}"
            self._patterns[pattern] = FactAtom(name, _arguments(pattern))
        return FactAtom(self._patterns[pattern].name, variables or _arguments(pattern))

    def _matches(self) -> Iterator[Rule]:
        """What the patterns match."""
        for pattern, matched in self._patterns.items():
            name = f"matches {pattern}"
            yield Rule((matched,), (FactAtom(ASSERTED, pattern.arguments),), name=name)
            for derived, head, nodes in self._derived:
                names = {v: Variable(f"h{n}") for n, v in enumerate(dict.fromkeys(any_variables(head)))}
                values = _unifier([*zip(pattern.arguments, _put(head.arguments, names), strict=True)])
                if values is not None and not any(_is_constant(names[v], values) for v in nodes & names.keys()):
                    body = FactAtom(derived.name, _put(_put(derived.arguments, names), values))
                    yield Rule((FactAtom(matched.name, _put(matched.arguments, values)),), (body,), name=name)


def _new_nodes(rule: Rule) -> frozenset[Variable]:
    """The variables that are new blank nodes: no constant of a pattern is one."""
    calls = ((each.variable, each.expression) for each in rule.assignments)
    return frozenset(v for v, call in calls if isinstance(call, Call) and call.function == "skolem")


def _is_constant(variable: Variable, values: Mapping[Variable, Argument]) -> bool:
    return not isinstance(_put((variable,), values)[0], Variable)


def _arguments(atom: TripleAtom) -> tuple[Argument, ...]:
    """The arguments of a relation for an atom: its variables, or something where there are none."""
    return tuple(v for v in dict.fromkeys(any_variables(atom)) if not is_anonymous(v)) or (Literal(""),)


def _put(arguments: Sequence[Argument], values: Mapping[Variable, Argument]) -> tuple[Argument, ...]:
    def value(part: Argument) -> Argument:
        while isinstance(part, Variable) and part in values:
            part = values[part]
        return part

    return tuple(map(value, arguments))


def _unifier(pairs: Sequence[tuple[Argument, Argument]]) -> dict[Variable, Argument] | None:
    """The most general values of variables under which pairs are equal, None where there are none."""
    values: dict[Variable, Argument] = {}
    for pair in pairs:
        left, right = _put(pair, values)
        if left == right:
            continue
        if isinstance(left, Variable):
            values[left] = right
        elif isinstance(right, Variable):
            values[right] = left
        else:
            return None
    return values
