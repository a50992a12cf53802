"""Programs over rdflib, unmodified, on graphs over kgreason: each is used as its documentation says.

Heavy ones are skipped where they are not installed:
``pip install brickschema rdflib-endpoint pylode==3.3.4 ontoenv``. pyLODE 3.4.1 from PyPI cannot be imported.
"""
