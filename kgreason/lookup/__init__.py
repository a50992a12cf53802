"""Lookup: terms by their labels, and terms as people read them.

    index = LabelIndex(knowledge)
    for match in index.find("red wine", limit=10): ...

* `label_words`: labels as words, and the labels that have words beginning so.
* `label_index`: the labels of a knowledge base, kept up with its changes.
* `readable_terms`: texts of terms, blank nodes by what is said of them.
"""
