"""What rules, queries, proofs and integrity conditions share between tables of ids and their answers.

* `bindings`: rows of variables as columns of ids, with weights.
* `relation`, `atoms`: what a join asks of a table, and of each of its positions.
* `extend`: one step of a join. `pieces`: the same, a bounded number of rows at a time. `composition`: one that forgets
  what it joins on. `smallest_side`, `intersections`: one where several atoms leave the same variable free.
  `common_neighbours`: one that only asks whether there is something between two ends; `path_tests`: whether a path of
  several leads from one to the other.
* `conjunctions`: a whole conjunction, where only the solutions matter that there are.
* `connected_parts`: which parts of a conjunction share variables. `cores`: atoms that others imply.
* `planner`: the order of the steps. `next_steps`: the next one, by the rows that are there. `first_steps`: the
  first one, where some atoms are wide.
* `joins`: two sets of rows that are there already; `range_joins`: by the order of values. `distinct_rows`: equal rows.
  `witnesses`: for which ends there is a solution, where one is as good as many.
* `expressions`: filters and assignments over columns of ids.
* `summaries`, with `sums`, `concatenation`, `member_groups` and `term_order`: what aggregates make of groups of terms.
  `decimal_units`: decimals that floats add exactly.
* `local_terms`: ids for the terms that one evaluation makes; UNBOUND.
* `row_keys`: rows of several columns as one column of keys. `algebra_tuning`: tuned constants.
"""
