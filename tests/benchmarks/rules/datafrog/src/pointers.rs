//! Analyses of pointers, and reachability by matching brackets.

use datafrog::{Iteration, Relation};

use crate::facts::{reversed, Facts};
use crate::Counts;

/// `pt(P,O) :- addr(P,O). pt(P,O) :- assign(P,Q), pt(Q,O).`
/// `pt(P,O) :- load(P,Q), pt(Q,R), pt(R,O). pt(R,O) :- store(P,Q), pt(P,R), pt(Q,O).`
pub fn andersen(facts: &Facts) -> Counts {
    let (assign, load) = (reversed(facts.of("assign")), reversed(facts.of("load")));
    let store = facts.of("store");
    let mut iteration = Iteration::new();
    let pt = iteration.variable::<(u32, u32)>("pt");
    let loaded = iteration.variable::<(u32, u32)>("loaded");
    let stored = iteration.variable::<(u32, u32)>("stored");
    pt.insert(facts.of("addr").clone());
    while iteration.changed() {
        pt.from_join(&pt, &assign, |_, &o, &p| (p, o));
        loaded.from_join(&pt, &load, |_, &r, &p| (r, p));
        pt.from_join(&loaded, &pt, |_, &p, &o| (p, o));
        stored.from_join(&pt, store, |_, &r, &q| (q, r));
        pt.from_join(&stored, &pt, |_, &r, &o| (r, o));
    }
    vec![("pt", pt.complete().len())]
}

/// `vf(Y,X) :- assign(Y,X). vf(X,X) :- assign(X,Y). vf(X,X) :- assign(Y,X).`
/// `ma(X,X) :- assign(Y,X). ma(X,X) :- assign(X,Y).`
/// `vf(X,Y) :- vf(X,Z), vf(Z,Y). vf(X,Y) :- assign(X,Z), ma(Z,Y).`
/// `va(X,Y) :- vf(Z,X), vf(Z,Y). va(X,Y) :- vf(Z,X), ma(Z,W), vf(W,Y).`
/// `ma(X,W) :- deref(Y,X), va(Y,Z), deref(Z,W).`
pub fn cspa(facts: &Facts) -> Counts {
    let (assign, deref) = (facts.of("assign"), facts.of("deref"));
    let assign_to = reversed(assign);
    let loops: Vec<(u32, u32)> = assign.iter().flat_map(|&(x, y)| [(x, x), (y, y)]).collect();
    let mut iteration = Iteration::new();
    let vf = iteration.variable::<(u32, u32)>("vf");
    let vf_to = iteration.variable_indistinct::<(u32, u32)>("vf_to");
    let ma = iteration.variable::<(u32, u32)>("ma");
    let va = iteration.variable::<(u32, u32)>("va");
    let aliased = iteration.variable::<(u32, u32)>("aliased"); // aliased(W,X) :- vf(Z,X), ma(Z,W).
    let read = iteration.variable::<(u32, u32)>("read"); // read(Z,X) :- deref(Y,X), va(Y,Z).
    vf.insert(assign.clone());
    vf.insert(Relation::from_vec(loops.clone()));
    ma.insert(Relation::from_vec(loops));
    while iteration.changed() {
        vf_to.from_map(&vf, |&(x, y)| (y, x));
        vf.from_join(&vf_to, &vf, |_, &x, &y| (x, y));
        vf.from_join(&ma, &assign_to, |_, &y, &x| (x, y));
        va.from_join(&vf, &vf, |_, &x, &y| (x, y));
        aliased.from_join(&vf, &ma, |_, &x, &w| (w, x));
        va.from_join(&aliased, &vf, |_, &x, &y| (x, y));
        read.from_join(&va, deref, |_, &z, &x| (z, x));
        ma.from_join(&read, deref, |_, &x, &w| (x, w));
    }
    vec![("vf", vf.complete().len()), ("ma", ma.complete().len()), ("va", va.complete().len())]
}

/// `d(X,Y) :- open(X,A), close(A,Y). d(X,Y) :- open(X,A), d(A,B), close(B,Y). d(X,Z) :- d(X,Y), d(Y,Z).`
pub fn dyck(facts: &Facts) -> Counts {
    let (opened, close) = (reversed(facts.of("open")), facts.of("close"));
    let mut iteration = Iteration::new();
    let d = iteration.variable::<(u32, u32)>("d");
    let d_to = iteration.variable_indistinct::<(u32, u32)>("d_to");
    let within = iteration.variable::<(u32, u32)>("within"); // within(B,X) :- open(X,A), d(A,B).
    d.insert(Relation::from_join(&opened, close, |_, &x, &y| (x, y)));
    while iteration.changed() {
        d_to.from_map(&d, |&(x, y)| (y, x));
        within.from_join(&d, &opened, |_, &b, &x| (b, x));
        d.from_join(&within, close, |_, &x, &y| (x, y));
        d.from_join(&d_to, &d, |_, &x, &z| (x, z));
    }
    vec![("d", d.complete().len())]
}
