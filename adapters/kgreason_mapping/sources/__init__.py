"""Sources of raw data, before an engine reads them: `source_reach`, which files a mapping may name; `csv_grammar` and
`csv_records`, CSV as patterns and from beginning to end."""
