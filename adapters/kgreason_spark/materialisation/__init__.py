"""Distributed materialisation: the specialised program of a store, evaluated by Spark over encoded triples.

    from kgreason_spark.materialisation.job import materialise

    materialise(spark, "encoded/", resolve_rules("owl-rl"), "inferred/")

Few triples (`driver_derivation`, by default 2 million, and as many facts that follow) are derived on the driver by the
engine of every store: starting the stages of Spark takes longer than that.

Otherwise two places work together. The *driver* holds what is small or a closure, the resident relations: schema,
lists, transitive relations, equivalences. The engine of every store reasons over them, and so knows the specialised
rules. The *cluster* holds all other facts and evaluates these rules in seminaive rounds, each written down before the
next.

* `job`: from encoded triples to inferred ones, resumable; `inferred_frames`, `closure_tables`, `written_out`: what is
  written. A store loads it together with the encoded triples (`kgreason.io.encoded.label_tables`,
  `kgreason.store.given_closures`).
* `derivation`: what either way has in common.
* `fixpoint`: the rounds; `absorption`: what the driver takes in before each; `round_checkpoints`: rounds on disk;
  `cluster_facts`: explicit and derived facts together; `levels`, `rule_levels`: negation by strata.
* `reasoner`: the driver's engine, and which relations reside with it; `driver_rules`: the rules that it has, and those
  among them that are for the cluster.
* `parameter_frames`: rules of one template as rows of parameters; `copies`: those without joins, composed; `plans`: all
  others, in chains of the same form (`rule_walks`), each of which is one plan (`chain_plans`) over what is looked for
  (`keyed_facts`), with the differences between its rules as data (`chain_tables`); `operation_frames`: filters and
  assignments; `group_frames`: aggregates.
* `residents`: resident relations in joins: `sent` to every executor, or `shuffled` as `label_frames` in steps along
  `virtual_paths`.
* `driver_limits`: what may come to the driver; `equivalences`, `star_components`: symmetric and transitive relations
  that may not; `unspecialised`, `every_triple`: rules about a schema that may not, and the relation of all triples that
  they read and derive; `list_checks`: the lists in it; `rule_instances`, `instance_nodes`, `instance_levels`: negation
  in such rules, by the relations that data name.
* `maintenance`, `overdeletion`: what followed from triples before a change, for those after it, as a `given_round`;
  `driver_losses`: what the driver's relations lose with it.
* `dataset`, `term_ids`: encoded triples as facts, and the ids of terms in both places; `fact_columns`: the columns of
  facts; `id_checks`: whether there are such ids; `local_files`: small files, read by the driver itself.

Source: the program is specialised as in `kgreason.program.specialisation` (DYRE); labels are those of Zhang et al.
2023.
"""
