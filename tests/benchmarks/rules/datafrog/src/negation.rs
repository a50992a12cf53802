//! What is not in a relation.

use datafrog::{passthrough, Relation, RelationLeaper};

use crate::facts::{Facts, Pairs};
use crate::Counts;

/// `two(X,Z) :- edge(X,Y), edge(Y,Z). new(X,Z) :- two(X,Z), not edge(X,Z).`
/// `n(X) :- edge(X,Y). n(Y) :- edge(X,Y). src(X) :- edge(X,Y). sink(X) :- n(X), not src(X).`
/// `good(X,Y) :- new(X,Y), sink(Y).`
pub fn negation(facts: &Facts) -> Counts {
    let edge = facts.of("edge");
    let two: Pairs = Relation::from_leapjoin(edge, edge.extend_with(|&(_, y)| y), |&(x, _), &z| (x, z));
    let new = Relation::from_leapjoin(&two, (edge.filter_anti(|&ends| ends), passthrough()), |&ends, ()| ends);
    let n: Relation<(u32, ())> = edge.iter().flat_map(|&(x, y)| [(x, ()), (y, ())]).collect();
    let src: Relation<u32> = edge.iter().map(|&(x, _)| x).collect();
    let sink = Relation::from_antijoin(&n, &src, |&x, _| (x, ()));
    let good = Relation::from_leapjoin(&new, (sink.filter_with(|&(_, y)| (y, ())), passthrough()), |&ends, ()| ends);
    vec![
        ("two", two.len()),
        ("new", new.len()),
        ("n", n.len()),
        ("src", src.len()),
        ("sink", sink.len()),
        ("good", good.len()),
    ]
}
