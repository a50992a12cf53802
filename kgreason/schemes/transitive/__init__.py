"""The transitive closure scheme: a closure kept as labels and the sets of labels that each component reaches.

* `labelling`: ids to labels and back.
* `closure`: the closure of a table of edges, closed from scratch.
* `given`: the closure taken over from labels that were written elsewhere.
* `changes`: the next version after edges come and go.
* `table`: the closure read as a table of pairs, from either end.

Source: the TC scheme of paper 004 (Agrawal, Borgida and Jagadish's interval labels), with deletion.
"""
