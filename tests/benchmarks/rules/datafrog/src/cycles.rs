//! Cyclic bodies over the edges of a graph.

use datafrog::{passthrough, Relation, RelationLeaper};

use crate::facts::{reversed, Facts, Pairs};
use crate::Counts;

/// `tri(X,Y,Z) :- edge(X,Y), edge(Y,Z), edge(X,Z).`
pub fn triangles(facts: &Facts) -> Counts {
    let edge = facts.of("edge");
    let leapers = (edge.extend_with(|&(x, _)| x), edge.extend_with(|&(_, y)| y));
    let tri = Relation::from_leapjoin(edge, leapers, |&(x, y), &z| (x, y, z));
    vec![("tri", tri.len())]
}

/// `q(A,B,C,D) :- edge(A,B), edge(B,C), edge(C,D), edge(D,A).`
pub fn four_cycles(facts: &Facts) -> Counts {
    let edge = facts.of("edge");
    let to_first: Relation<((u32, u32), u32)> =
        Relation::from_leapjoin(edge, edge.extend_with(|&(_, b)| b), |&(a, b), &c| ((a, c), b));
    let back: Relation<((u32, u32), u32)> = to_first.iter().map(|&((c, a), d)| ((a, c), d)).collect();
    let q = Relation::from_join(&to_first, &back, |&(a, c), &b, &d| (a, c, b, d));
    vec![("q", q.len())]
}

/// The nodes of which each is on a triangle.
fn on_triangles(edge: &Pairs) -> Relation<u32> {
    let back = reversed(edge);
    let leapers = (edge.extend_with(|&(_, b)| b), back.extend_with(|&(a, _)| a));
    Relation::from_leapjoin(edge, leapers, |&(a, _), _| a)
}

/// `meet(A,A) :- edge(A,B), edge(B,C), edge(C,A), edge(A,D), edge(D,E), edge(E,A).`
pub fn meeting(facts: &Facts) -> Counts {
    let meet: Pairs = on_triangles(facts.of("edge")).iter().map(|&a| (a, a)).collect();
    vec![("meet", meet.len())]
}

/// The pairs of nodes that two edges lead from and to.
fn two(edge: &Pairs) -> Pairs {
    Relation::from_leapjoin(edge, edge.extend_with(|&(_, b)| b), |&(a, _), &c| (a, c))
}

fn opposite_ends(edge: &Pairs) -> Pairs {
    let two = two(edge);
    Relation::from_leapjoin(&two, (two.filter_with(|&(a, c)| (c, a)), passthrough()), |&ends, ()| ends)
}

/// `opposite(A,C) :- edge(A,B), edge(B,C), edge(C,D), edge(D,A).`
pub fn opposite(facts: &Facts) -> Counts {
    vec![("opposite", opposite_ends(facts.of("edge")).len())]
}

/// `round(A,A) :- edge(A,B), edge(B,C), edge(C,D), edge(D,A).`
pub fn on_four_cycles(facts: &Facts) -> Counts {
    let round: Pairs = opposite_ends(facts.of("edge")).iter().map(|&(a, _)| (a, a)).collect();
    vec![("round", round.len())]
}

/// `beside(A,E) :- edge(A,B), edge(B,C), edge(C,A), edge(A,D), edge(D,E).`
pub fn beside_triangles(facts: &Facts) -> Counts {
    let edge = facts.of("edge");
    let nodes: Pairs = on_triangles(edge).iter().map(|&a| (a, a)).collect();
    let next = Relation::from_join(&nodes, edge, |&a, _, &d| (a, d));
    let beside = Relation::from_leapjoin(&next, edge.extend_with(|&(_, d)| d), |&(a, _), &e| (a, e));
    vec![("beside", beside.len())]
}
