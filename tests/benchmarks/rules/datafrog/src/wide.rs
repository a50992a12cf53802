//! Relations of three and four arguments, and recursions of many rounds.

use datafrog::{passthrough, Iteration, Relation, RelationLeaper};

use crate::facts::{Facts, Pairs};
use crate::Counts;

/// `step(X,Y,Z) :- edge(X,Y), edge(Y,Z). step(X,Y,W) :- step(X,Y,Z), edge(Z,W), step(Y,Z,W).`
pub fn ternary(facts: &Facts) -> Counts {
    let edge = facts.of("edge");
    let mut iteration = Iteration::new();
    let step = iteration.variable::<(u32, u32, u32)>("step");
    let by_last = iteration.variable_indistinct::<((u32, u32), u32)>("by_last");
    let along = iteration.variable_indistinct::<((u32, u32), u32)>("along"); // along(Y,Z,W) :- step(Y,Z,W), edge(Z,W).
    step.insert(Relation::from_leapjoin(edge, edge.extend_with(|&(_, y)| y), |&(x, y), &z| (x, y, z)));
    while iteration.changed() {
        by_last.from_map(&step, |&(x, y, z)| ((y, z), x));
        along.from_leapjoin(
            &step,
            (edge.filter_with(|&(_, z, w)| (z, w)), passthrough()),
            |&(y, z, w), ()| ((y, z), w),
        );
        step.from_join(&by_last, &along, |&(y, _), &x, &w| (x, y, w));
    }
    vec![("step", step.complete().len())]
}

/// `walk(A,B,A,B) :- edge(A,B). walk(A,B,C,E) :- walk(A,B,C,D), edge(D,E), mark(C,E).`
pub fn four_ary(facts: &Facts) -> Counts {
    let (edge, mark) = (facts.of("edge"), facts.of("mark"));
    let mut iteration = Iteration::new();
    let walk = iteration.variable::<(u32, u32, u32, u32)>("walk");
    walk.extend(edge.iter().map(|&(a, b)| (a, b, a, b)));
    while iteration.changed() {
        let leapers = (edge.extend_with(|&(_, _, _, d)| d), mark.extend_with(|&(_, _, c, _)| c));
        walk.from_leapjoin(&walk, leapers, |&(a, b, c, _), &e| (a, b, c, e));
    }
    vec![("walk", walk.complete().len())]
}

/// `open_edge(Y,Z) :- edge(Y,Z), open(Z,Z).`
fn open_edges(facts: &Facts) -> Pairs {
    let (edge, open) = (facts.of("edge"), facts.of("open"));
    Relation::from_leapjoin(edge, (open.filter_with(|&(_, z)| (z, z)), passthrough()), |&ends, ()| ends)
}

/// `way(X,Y) :- start(X,Y). way(X,Z) :- way(X,Y), edge(Y,Z), open(Z,Z).`
pub fn deep(facts: &Facts) -> Counts {
    let edge = open_edges(facts);
    let mut iteration = Iteration::new();
    let way = iteration.variable::<(u32, u32)>("way");
    way.insert(facts.of("start").clone());
    while iteration.changed() {
        way.from_leapjoin(&way, edge.extend_with(|&(_, y)| y), |&(x, _), &z| (x, z));
    }
    vec![("way", way.complete().len())]
}

/// `way(X,Y,L) :- start(X,Y), label(X,L). way(X,Z,L) :- way(X,Y,L), edge(Y,Z), open(Z,Z).`
pub fn deep_wide(facts: &Facts) -> Counts {
    let edge = open_edges(facts);
    let mut iteration = Iteration::new();
    let way = iteration.variable::<(u32, u32, u32)>("way");
    way.insert(Relation::from_join(facts.of("start"), facts.of("label"), |&x, &y, &l| (x, y, l)));
    while iteration.changed() {
        way.from_leapjoin(&way, edge.extend_with(|&(_, y, _)| y), |&(x, _, l), &z| (x, z, l));
    }
    vec![("way", way.complete().len())]
}
