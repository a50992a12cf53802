"""Rules over relations: thousands of specialised ones share a shape, and bodies are joins over whole columns.

* `shapes`: a rule with its relations and constants abstracted to parameters.
* `families`: the specialised rules of one shape, as rows of parameters; which of them a relation concerns.
* `bindings`, `evaluation`: rule bodies as joins.
* `repetition`: rules that can only repeat what others derive.
"""
