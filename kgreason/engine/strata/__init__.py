"""Which relations can have facts, in which order they follow from each other, and who keeps them.

* `numbered_rules`: all rules with densely numbered relations, as one table; `atom_columns`: their atoms.
* `possible_relations`: the relations that can have facts, and the rules over them.
* `reached_by_clauses`: what guard facts lead to, step by step, found at once; `unreached`: what nothing leads to any
  more.
* `relation_order`: the dependency graph of the relations, and its components in topological order, taken over where
  rules have only come.
* `strata`: the value that passes read; `stratum_lookups`: what they ask it about a relation: its stratum, the scheme
  that keeps it, the rules that it concerns.
* `repetition`: rules that can only repeat what others derive; `circles`: relations that copy each other.
* `path_rules`: which rules make a relation transitive, and what they leave out.
* `mutual_pairs`: which relations have what a closure has both ways; `step_parts`: which guards are kept as its steps;
  `represented_parts`: which of them decide what is equal, and hold of all that is.
* `rules_by_stratum`, `stratum_rules`: the rules of each stratum, and those among them that schemes may stand for.
* `copy_circles`: which relations of a stratum copy each other in a circle.
* `definitions`, `scheme_policy`: which strata, and which parts of them, a storage scheme can keep, and which it does;
  `scheme_plan`: the same for all strata, as far as they have changed, on `planned_strata`; `ragged_columns`: what each
  of many strata has several of, as columns.
"""
