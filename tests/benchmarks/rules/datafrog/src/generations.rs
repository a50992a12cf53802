//! Same generation: nodes that are as far below a common node.

use datafrog::{Iteration, Relation, RelationLeaper};

use crate::facts::{reversed, Facts};
use crate::Counts;

/// `sg(X,Y) :- edge(X,P), edge(Y,P). sg(X,Y) :- edge(X,A), sg(A,B), edge(Y,B).`
pub fn same(facts: &Facts) -> Counts {
    let edge = facts.of("edge");
    let children = reversed(edge);
    let mut iteration = Iteration::new();
    let sg = iteration.variable::<(u32, u32)>("sg");
    let half = iteration.variable::<(u32, u32)>("half"); // half(X,B) :- edge(X,A), sg(A,B).
    sg.insert(Relation::from_leapjoin(edge, children.extend_with(|&(_, p)| p), |&(x, _), &y| (x, y)));
    while iteration.changed() {
        half.from_join(&sg, &children, |_, &b, &x| (x, b));
        sg.from_leapjoin(&half, children.extend_with(|&(_, b)| b), |&(x, _), &y| (x, y));
    }
    vec![("sg", sg.complete().len())]
}

/// `m(X) :- start(P,X). m(P) :- m(X), edge(X,P).`
/// `sg(X,Y) :- m(X), edge(X,P), edge(Y,P). sg(X,Y) :- m(X), edge(X,A), sg(A,B), edge(Y,B).`
pub fn bound(facts: &Facts) -> Counts {
    let edge = facts.of("edge");
    let mut iteration = Iteration::new();
    let m = iteration.variable::<(u32, ())>("m");
    m.extend(facts.of("start").iter().map(|&(_, x)| (x, ())));
    while iteration.changed() {
        m.from_join(&m, edge, |_, _, &p| (p, ()));
    }
    let m = m.complete();

    let children = reversed(edge);
    let wanted = Relation::from_join(&m, edge, |&x, _, &p| (x, p));
    let wanted_children = reversed(&wanted);
    let mut iteration = Iteration::new();
    let sg = iteration.variable::<(u32, u32)>("sg");
    let half = iteration.variable::<(u32, u32)>("half");
    sg.insert(Relation::from_leapjoin(&wanted, children.extend_with(|&(_, p)| p), |&(x, _), &y| (x, y)));
    while iteration.changed() {
        half.from_join(&sg, &wanted_children, |_, &b, &x| (x, b));
        sg.from_leapjoin(&half, children.extend_with(|&(_, b)| b), |&(x, _), &y| (x, y));
    }
    vec![("m", m.len()), ("sg", sg.complete().len())]
}
