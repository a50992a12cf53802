"""How long work goes on after its limit: slow queries, updates, rules and loads under a limit of one second."""
