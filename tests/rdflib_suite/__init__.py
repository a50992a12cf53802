"""rdflib's own tests, with this store in the place of rdflib's memory store: `test_own_tests.py` runs them."""
