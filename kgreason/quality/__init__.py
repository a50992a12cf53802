"""What a graph has, and what is wrong with it: counts and checks, over columns of ids.

* `graph_columns`: sets of terms and pairs of terms of a knowledge base, from properties and classes by IRI.
* `concepts`: the concepts of a vocabulary, and how they are related.
* `check`: a check as data: a name, what it means, how bad it is, and the function that finds its rows.
* `label_checks`, `hierarchy_checks`, `mapping_checks`: of SKOS vocabularies; `ontology_checks`,
  `term_checks`: of ontologies.
* `vocabularies`: the terms that RDF, RDFS, OWL and SKOS define.
* `counts`: how many triples, classes, properties, individuals, axioms.
* `report`: all checks together, and the violated integrity conditions with proofs.

A check is a few lines: a function from `GraphColumns` to rows, and an entry in the tuple of its module.

Sources: the quality issues of qSKOS (https://github.com/cmader/qSKOS/wiki/Quality-Issues), but for the two that need a
network; C. Mader, B. Haslhofer, A. Isaac, Finding Quality Issues in SKOS Vocabularies (2012); O. Suominen, C. Mader,
Assessing and Improving the Quality of SKOS Vocabularies (2014), which is Skosify.
"""
