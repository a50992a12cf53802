//! Closures of pairs and of sets.

use datafrog::{Iteration, RelationLeaper};

use crate::facts::{reversed, Facts};
use crate::Counts;

/// `p(X,Y) :- edge(X,Y). p(X,Z) :- p(X,Y), edge(Y,Z).`
pub fn left_linear(facts: &Facts) -> Counts {
    let edge = facts.of("edge");
    let mut iteration = Iteration::new();
    let p = iteration.variable::<(u32, u32)>("p");
    p.insert(edge.clone());
    while iteration.changed() {
        p.from_leapjoin(&p, edge.extend_with(|&(_, y)| y), |&(x, _), &z| (x, z));
    }
    vec![("p", p.complete().len())]
}

/// `p(X,Y) :- edge(X,Y). p(X,W) :- p(X,Y), p(Y,Z), p(Z,W).`
pub fn three_way(facts: &Facts) -> Counts {
    let edge = facts.of("edge");
    let mut iteration = Iteration::new();
    let p = iteration.variable::<(u32, u32)>("p");
    let by_second = iteration.variable_indistinct::<(u32, u32)>("by_second");
    let two = iteration.variable::<(u32, u32)>("two");
    p.insert(edge.clone());
    by_second.insert(reversed(edge));
    while iteration.changed() {
        by_second.from_map(&p, |&(x, y)| (y, x));
        two.from_join(&by_second, &p, |_, &x, &z| (z, x));
        p.from_join(&two, &p, |_, &x, &w| (x, w));
    }
    vec![("p", p.complete().len())]
}

/// `reach(Y) :- start(X,Y). reach(Y) :- reach(X), edge(X,Y).`
pub fn reach(facts: &Facts) -> Counts {
    let edge = facts.of("edge");
    let mut iteration = Iteration::new();
    let reach = iteration.variable::<(u32, ())>("reach");
    reach.extend(facts.of("start").iter().map(|&(_, y)| (y, ())));
    while iteration.changed() {
        reach.from_join(&reach, edge, |_, _, &y| (y, ()));
    }
    vec![("reach", reach.complete().len())]
}
