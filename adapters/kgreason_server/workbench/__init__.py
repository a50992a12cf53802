"""The workbench: a page at ``/`` to query, browse, and understand what a store says, and what it asks the server.

* `routes`: the routes, for the application.
* `workbench_endpoints`: names for completion, trees, resources, and terms by label, in JSON.
* `hierarchy`: classes and concepts as a tree, of which a client asks for the children of one node at a time.
* `resource_summary`: what is said of a term, asserted and inferred told apart.
* `table_memory`: what these keep of some tables over versions of the store.
* `page_files`: the page itself, as it was built.

The sources of the page are in `page/`, and `page/build.mjs` writes `built/` from them; only that is in a release.
"""
