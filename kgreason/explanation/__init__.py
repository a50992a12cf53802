"""Explanation: why a triple holds, down to what was asserted.

Nothing is kept for it while the engine runs. When somebody asks, the search goes backward from the triple, over the
rules of the program as they were written: so a step shows the rule by its name and all its premises, schema triples and
list cells among them, and none of what specialisation made of the rule.

* `steps`: facts, conditions and steps, over ids or over terms of any kind.
* `patterns`: rules with their constants as ids.
* `reading`: what is asked of the facts.
* `matching`: the instances of a rule whose head is a given fact, one after the other.
* `lists`: the list atoms of a rule.
* `paths`: transitive rules, and shortest paths in place of their instances.
* `ways`: all steps that may lead to a fact, the promising ones first.
* `search`: which of these steps make a proof that does not go in circles.
* `rendering`, `proof`: a proof as text, JSON and Markdown.
"""
