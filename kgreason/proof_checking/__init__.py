"""A checker of proofs that were written as RDF: it reads a proof, rules and data, and accepts the proof or refuses it.

It shares no code with the engine, with the search for proofs or with the dictionary (import-linter sees to it). Terms
are those of `rdf`, rules are those that the parser of `program` reads, and everything else is here, in plain Python
over sets of terms. So a mistake in the reasoner is not repeated by the checker.

    checked = check_proof(Path("proof.ttl"), parse_program(text), Path("data.nt"))
    checked.triples        # what was proved; ProofError names the step that does not follow

* `terms`: terms of files as `rdf` has them, with language tags in lower case.
* `fact_index`: sets of facts, found by an argument.
* `matching`: atoms and lists against facts; `expression_values`: expressions over terms; `aggregates`: values of
  groups; `instances`: whole bodies of rules.
* `complete_facts`: all facts that a rule denies or aggregates, by naive evaluation.
* `proof_steps`: the steps that a document in the vocabulary of `kgreason.proofs.provenance` has.
* `blank_nodes`: the names that the data has for the blank nodes of a proof.
* `proof_checker`: the verdict.
"""
