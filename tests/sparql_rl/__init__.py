"""SPARQL-RL: the language by cases of ours and of the W3C."""
