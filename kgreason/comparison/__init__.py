"""What two graphs have and lack beside each other: explicit quads, with blank nodes matched, and what follows.

* `blank_terms`: what is a blank node, or has one in it. `colours`: colour refinement over these.
* `isomorphism`: components of blank nodes that both graphs have: exact.
* `similarity`: blank nodes that changed: a heuristic.
* `quad_difference`: the quads that one has and the other lacks.
* `comparison`: two sets of explicit quads and all that follows from them, by one change of a branch.
* `document_revisions`: a knowledge base of documents that are read anew.

Guarantees. The difference is right: the first graph without what is removed and with what is added is isomorphic to the
second. It is empty where the graphs are isomorphic, but for a collision of hashes (one in 10^9 for 100,000 blank nodes)
and for graphs so symmetric that the search is given up, which `is_approximate` says. It is not always the smallest one
where blank nodes have changed, which is as hard to find as the largest common subgraph.
"""
