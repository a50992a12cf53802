"""Rules over relations: thousands of specialised ones share a template, and bodies are joins over whole columns.

* `rule_templates`: a rule with its relations and constants abstracted to parameters. `template_parts`: the atoms and
  operations that it is made of; `rule_shapes`: which templates algorithms of their own evaluate.
* `groups`: the specialised rules of one template, as rows of parameters. Start here to see how a rule lives.
* `guard_rows`: guard facts as rows of ids, and which name relations that have been reached.
* `state_rules`: all groups of a state, and which of their rows wait for the next pass.
* `copying`: groups whose rules copy facts along the pairs of their guard.
* `reached`: the relations that guard facts have brought rules for.
* `rule_draft`: the next version of the rules, while it is being made.
* `occurrences`: which rules a relation concerns; `matching_rules`: which of many of them some facts may match.
* `relation_buffer`: facts of a relation that come in parts.
* `new_facts`: tables of derived facts without those that are known.
* `rule_inputs`: what rules read; `output`: which heads are needed.
* `rule_conditions`: what bodies ask of rows that facts have bound.
* `evaluation`: what rules derive, from all facts and from changes. `body_joins`: their bodies as conjunctions
  (`kgreason.algebra.conjunctions`); `single_atom_rules`: those that need no join; `grouping`: aggregates.
* `rule_batches`: many rules of one template, evaluated together.
* `nested_loops`: rules evaluated for one fact; `loops`: the order of their atoms; `single_facts`: what they look up.
* `propagation`: rules that pass a set on along pairs.
* `narrowing`: what is known of some facts before they are joined.
* `cliques`: rules that pair all members of a group with each other; `rings`: those that pair members of groups which a
  circle leads to; `between_groups`: what leads from one group to another, for rules that pair the members of both.
"""
