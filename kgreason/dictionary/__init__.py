"""The dictionary: from RDF terms to dense uint32 ids and back.

* `dictionary`: one term or whole columns of terms to ids, new ones for new terms; `dictionary_reads`: what it is asked,
  ids to terms among it; `dictionary_state`: what it holds, as a value.
* `known_keys`: the ways from a key to its id; `lone_keys`: that of keys that came one by one; `number_lookup`: that of
  keys of numbers.
* `key_runs`, `key_lists`, `segments`, `number_segments`, `double_segments`: the keys by id: of terms that came one by
  one, of terms that came as a column, and of numbers, which have no text before it is read (`decimal_texts`).
* `hash_index`: from hashes of keys to ids.
* `kinds`, `known_values`: the kind and the value of each term by id; `triple_terms`: the parts of those that are
  triples.
* `value_columns`: values as columns; `value_forms`: those of whole columns of keys, on `digit_texts`.
* `key_columns`, `folded_keys`, `ordered_keys`, `literal_suffixes`, `single_texts`: operations on columns of keys.
* `arrow_columns`: numpy columns as Arrow columns and back; `term_tuning`: tuned constants.
"""
