"""Basic graph patterns: atoms that read relations, put in order by cost and joined a batch at a time."""
