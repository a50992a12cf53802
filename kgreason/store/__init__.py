"""The knowledge base: explicit triples and rules go in, views of everything that follows come out.

* `state`: the state as a value; `state_changes`: changes as functions from one state to the next. Start here.
  `warm_up`: what first reads of a state ask, found with the change.
* `current_state`: the reference to a state that changes replace. `knowledge_base` is the class that adapters use, on
  `knowledge_changes` (triples that come and go) and `knowledge_reads` (what it is asked); `loads`, `transactions`,
  `history` (commits, rollback), `branches` and `state_difference`.
* `explicit_triples`, `quad_relations`: asserted triples by graph; `asserted_triples`: what rules read of them.
* `compiler`, `specialiser`, `specialised_program`, `rule_sets`: rule texts to rules that the engine runs;
  `beginnings`: states without triples, made once; `rule_warnings`: rules that are data, and do not run.
* `column_operations`: filters and functions of rules on columns.
* `triple_view`, on `relation_sets`; `views`, `indexes`, `role_hierarchy`: reading, pattern by pattern; `overlays`,
  `changed_view`: with few changes over a state; `graph_holdings`: the graphs of triples; `graph_columns`: the
  facts of all named graphs; `condition_rows`: what conditions kept.
* `quad_export`, `triple_writer`: reading in bulk, on `document_blocks`, `turtle_blocks`, `sorted_terms`, `blank_order`
  and `oxigraph_forms`.
* `open_terms`: which terms have blank nodes in them; `change_feed`: subscribers and the net changes that they get.
* `consistency`, `gathered_facts`, `defective_lists`: violated integrity conditions; `explanations`, `proof_facts`,
  `proof_lines`: proofs; `statistics`, `rule_descriptions`; `table_options`.
* `given_closures`: what was derived elsewhere.
* `store_tuning`: the tuned constants.
"""
