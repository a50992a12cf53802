//! The programs of `tests/benchmarks/rules` on datafrog: `kgreason-datafrog PROGRAM FOLDER`.
//!
//! Prints JSON: seconds from loaded facts to the closure (wall and processor), what the process grew by at its peak, the
//! counts. Leaves with 3 where there is no such program. Facts are loaded as sorted relations; orders by other columns
//! are made within the time that is measured, as they are by the other contestants.
//!
//! * `facts`: relations from files of numbers, and orders of them by other columns.
//! * `measures`: processor time, peak memory.
//! * `closures`, `cycles`, `generations`, `pointers`, `negation`, `wide`: the programs. Each is the quickest of several
//!   forms of its joins.

mod closures;
mod cycles;
mod facts;
mod generations;
mod measures;
mod negation;
mod pointers;
mod wide;

use std::time::Instant;

use facts::Facts;

/// The facts of each counted relation.
type Counts = Vec<(&'static str, usize)>;

const UNKNOWN: i32 = 3;

fn program(name: &str) -> Option<fn(&Facts) -> Counts> {
    Some(match name {
        "same generation, acyclic" | "same generation, tree" => generations::same,
        "bound same generation" => generations::bound,
        "Andersen" => pointers::andersen,
        "CSPA" => pointers::cspa,
        "Dyck" => pointers::dyck,
        "triangles" => cycles::triangles,
        "four-cycles" => cycles::four_cycles,
        "where two triangles meet" => cycles::meeting,
        "opposite ends of four-cycles" => cycles::opposite,
        "on four-cycles" => cycles::on_four_cycles,
        "two edges from a triangle" => cycles::beside_triangles,
        "three-way closure" => closures::three_way,
        "closure, power law" | "closure, grid" => closures::left_linear,
        "reach" | "reach, roads" => closures::reach,
        "negation" => negation::negation,
        "ternary" => wide::ternary,
        "four-ary" => wide::four_ary,
        "20,000 rounds of one" | "4,000 rounds of pairs" => wide::deep,
        "4,000 rounds of three" => wide::deep_wide,
        _ => return None, // datafrog has no aggregates
    })
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, folder] = &arguments[..] else {
        eprintln!("usage: kgreason-datafrog PROGRAM FOLDER");
        std::process::exit(2);
    };
    let Some(run) = program(name) else {
        std::process::exit(UNKNOWN);
    };
    let facts = Facts::read(folder.as_ref()).unwrap_or_else(|error| {
        eprintln!("{folder}: {error}");
        std::process::exit(1);
    });
    measures::forget_peak();
    let (before, wall, processor) = (measures::peak(), Instant::now(), measures::processor_seconds());
    let counts = run(&facts);
    let (wall, processor) = (wall.elapsed().as_secs_f64(), measures::processor_seconds() - processor);
    let grown = measures::peak().saturating_sub(before);
    let counts: Vec<String> = counts.iter().map(|(relation, count)| format!("\"{relation}\": {count}")).collect();
    println!(
        "{{\"seconds\": {wall}, \"processor\": {processor}, \"bytes\": {grown}, \"counts\": {{{}}}}}",
        counts.join(", ")
    );
}
