"""Sources of raw data, before an engine reads them.

* `source_places`: where sources are, and of what format; `source_reach`: which files a mapping may name.
* `databases`: databases that the owner names.
* `named_inputs`: inputs of commands by the names of the mapping.
* `csv_grammar`, `csv_records`: CSV as patterns, and from beginning to end; `json_paths`: JSONPath.
"""
