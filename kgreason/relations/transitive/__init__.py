"""The transitive closure scheme: a closure kept as labels and the sets of labels that each component reaches.

* `node_labels`: ids to labels and back.
* `label_closure`: a closure, as components, labels and sets; `closing`: a table of edges closed from scratch, with a
  hub that much of a graph reaches, by `hub_choice`.
* `given_closure`: the closure taken over from labels that were written elsewhere.
* `versions`: the next version after edges come and go, by `removal` (on `detours`) and `addition`, which change a
  `region`; with a hub by `hub_versions`; `splitting`: the parts of components that come apart.
* `shift_estimate`: how much of a closure a few edges shift, and so whether to close it anew.
* `closure_table`: the closure as a table of pairs, on `closure_reads`; `backward`: the way back from few objects.
* `restricted_closure`: a closure that leaves pairs out; `restricted_pairs`: reads of a table without these.
* `labelled_pairs`: some of the pairs, by their labels: `difference`, that of two versions; `passing`, what leads along
  some edges; `affected`: the subjects of a difference where the labels differ, and `relabelling`: sets under other
  labels.
* `closure_labels`: the labels for other rooms; `closure_parts`: the closure as columns for files.
* `closure_tuning`: the tuned constants of all of these.

Source: the TC scheme of Zhang et al. 2023 (Agrawal, Borgida and Jagadish's interval labels), with deletion.
"""
