"""The format of snapshots: a knowledge base between two changes as a document and columns, and back.

The container is that of `kgreason.disk.codec`. The document is an object:

* ``format``: that of this package (`whole_state.FORMAT`); nothing else is read if it differs;
* ``place``: the number of the last commit in it, its checksum, and how many terms there were;
* ``options``: what the tables depend on beside facts and rules; ``settings``: those committed by then;
* ``dictionary``: runs of keys as columns of texts or of bytes, the index of their hashes, the kinds of terms;
* ``tables``: each table once, ``[word, part, ...]``, with references to columns and to tables before it;
* ``facts``, ``explicit``, ``external``, ``graphs``: relation codes and the numbers of their tables;
* ``rules``, ``templates``, ``definitions``: inert records, each once; ``groups``, ``program``, ...: parts that refer to
  them.

`schemas` reads and writes inert data; `table_columns`, `dictionaries`, `rule_groups`, `programs` one type each, a pair
of functions; `bounds` checks ids and codes; `whole_state` puts them together. A reader makes values of the types that
it names itself, and checks on
the way what the code relies on: types, counts, ranges of ids and codes, order of sorted columns, depth and size of what
refers to others. It cannot check that a closure is the closure of its edges: an author of right checksums may say
anything of his own data.
"""
