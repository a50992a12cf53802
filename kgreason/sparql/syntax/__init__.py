"""SPARQL 1.2 from text to algebra: a scanner and a parser by recursive descent, made for messages that help.

    query = parse_query("SELECT ?s { ?s a <http://e/Cat> }", None, {}, extensions)
    query.node                # Project(Basic((TriplePattern(...),)), ("s",))

A text is cut into tokens at once, and read in one pass: each reader is a layer over the one below it and makes nodes of
`kgreason.sparql.algebra` as it comes to the end of what they stand for. Terms keep their lexical forms. What the notes
to the grammar ask of variables and blank nodes is checked on the way.

* `tokens`: the tokens, with their places. `cursor`: a place in them, and errors.
* `term_syntax`: prologue, IRIs, literals, variables. `path_syntax`: property paths.
* `triple_terms`, `triples`: triples of patterns and templates.
* `expressions`, `builtins`: expressions, calls, aggregates; what those who put a query add: functions, servers.
* `patterns`, `groups`: groups and their parts. `selections`: SELECT and solution modifiers.
* `queries`, `updates`: whole requests; `requests`: what they are parsed to.
"""
