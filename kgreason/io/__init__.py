"""Files to columns of ids.

* `readers`: `gather_files`, `load_files` and `load_stream`, which read everything or change nothing; on `gathered`,
  from documents to parts, and `gathered_parts`, from these into a dictionary.
* `inferred_quads`: what follows from encoded triples, read with them.
* `load_report`: what they say of it.
* `documents`, on `directory_files` and `job_directories`: from paths to files, and which of them share their blank
  nodes.
* `archives`, `contents`, `remote_documents`: what is read that is no file of its own: members of archives, streams and
  bytes, documents from the network.
* `imports`, on `ontology_headers` and `xml_catalogs`: the documents that documents import, and where they are.
* `formats`, `format_sniffing`: formats and compressions, by name and by content.
* `streams`, `hadoop_blocks`, `line_blocks`: files opened, and in pieces that threads share.
* `ntriples_blocks`, on `token_lines` and `tokens`: N-Triples and N-Quads whole columns at a time.
* `term_tables`: Parquet with columns of terms, on the same; `parquet_pages`: the memory that a file asks for.
* `owl`: OWL's functional and Manchester syntax, OWL/XML and OBO.
* `parsed_streams`, on `parsed_documents`: every other format, through pyoxigraph; `language_tags`: tags as the
  document writes them; `nesting`: how deep triple terms are inside of each other; `xml_streams`, `xml_encodings`: XML
  that is checked, and XML that is not in UTF-8.
* `parts`, `quads`: what a piece gives, and all of it over one dictionary; `quad_steps`: changes in sequence, condensed.
* `file_tuning`: tuned constants.
* `encoded`: directories of Parquet files that a store loads without parsing.
"""
