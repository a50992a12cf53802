"""Lookup: terms by their labels, and terms as people read them.

    index = LabelIndex()
    for match in index.find(knowledge, "red wine", limit=10): ...

* `label_words`: labels as words, and the labels that have words beginning so.
* `label_index`: the labels of a knowledge base, kept up with its changes.
* `best_labels`: the label of each term that suits a reader best.
* `readable_terms`: texts of terms, blank nodes by what is said of them.
"""
