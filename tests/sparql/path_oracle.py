"""Property paths by the letter of SPARQL 1.1, section 18.4, over Python sets; and random ones to try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hypothesis import strategies as st

from kgreason.rdf.model import IRI, Term
from kgreason.sparql.algebra import Alternative, Inverse, NegatedSet, Path, Repeat, Sequence

Triple = tuple[Term, IRI, Term]
Pair = tuple[Term, Term]


Terms = frozenset[Term]
NONE: Terms = frozenset()


class PathOracle:
    """The pairs that paths connect in some triples.

    A constant end of a zero-length path is connected with itself, whether it is a node or not. Of a sequence that is
    the end of its first or last step; the recommendation translates it to a join over a variable, which has nodes only.
    """

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.triples = set(triples)
        self.nodes = {end for s, _, o in self.triples for end in (s, o)}

    def pairs(self, path: Path, begins: Terms = NONE, ends: Terms = NONE) -> Counter[Pair]:
        """Each pair as often as a solution has it; `begins` and `ends` are what is constant at either end."""
        match path:
            case IRI():
                return Counter((s, o) for s, p, o in self.triples if p == path)
            case Inverse(inner):
                return Counter({(o, s): n for (s, o), n in self.pairs(inner, ends, begins).items()})
            case Sequence(steps):
                found = self.pairs(steps[0], begins)
                for number, step in enumerate(steps[1:], 2):
                    after: Counter[Pair] = Counter()
                    later = self.pairs(step, NONE, ends if number == len(steps) else NONE)
                    for (s, middle), n in found.items():
                        for (begin, o), m in later.items():
                            if begin == middle:
                                after[s, o] += n * m
                    found = after
                return found
            case Alternative(choices):
                return sum((self.pairs(choice, begins, ends) for choice in choices), Counter())
            case NegatedSet(forward, inverse):
                ahead = [(s, o) for s, p, o in self.triples if forward is not None and p not in forward]
                back = [(o, s) for s, p, o in self.triples if inverse is not None and p not in inverse]
                return Counter(ahead + back)
            case Repeat(inner, optional, once):
                # Within a repetition a constant may be met anywhere.
                within = PathOracle(self.triples)
                within.nodes = self.nodes | begins | ends
                found_pairs = set(within.pairs(inner))
                if not once:
                    found_pairs = closure(found_pairs)
                if optional:
                    found_pairs |= {(node, node) for node in within.nodes}
                return Counter(found_pairs)
        raise AssertionError(path)


def closure(pairs: set[Pair]) -> set[Pair]:
    """The transitive closure, by joining until nothing comes."""
    while True:
        more = pairs | {(s, o) for s, middle in pairs for begin, o in pairs if begin == middle}
        if more == pairs:
            return pairs
        pairs = more


def paths(predicates: list[IRI]) -> st.SearchStrategy[Path]:
    """Random paths of a few levels."""
    iri = st.sampled_from(predicates)
    some = st.one_of(st.none(), st.frozensets(iri, max_size=2))
    negated = st.builds(NegatedSet, some, some)
    return st.recursive(
        st.one_of(iri, iri, negated),
        lambda inner: st.one_of(
            st.builds(Repeat, inner, st.booleans(), st.booleans()),
            st.builds(Inverse, inner),
            st.lists(inner, min_size=2, max_size=3).map(tuple).map(Sequence),
            st.lists(inner, min_size=2, max_size=3).map(tuple).map(Alternative),
        ),
        max_leaves=5,
    )
