"""RML mapping documents: from Turtle to frozen data.

* `mapping_model`: triples maps, term maps, logical sources.
* `rml_vocabulary`: the terms of RML, and of R2RML and of RML before the community group as the same terms.
* `graph`: a mapping document as a graph in that one vocabulary.
* `string_templates`: string templates.
* `yarrrml`, `yarrrml_syntax`, `yaml_documents`: YARRRML as statements of RML.
* `logical_views`, `view_names`: logical views (RML-LV), and the names and references that they have.
* `functions`, `function_executions`: the functions that mappings may call, and calls of them (RML-FNML).
* `term_maps`, `logical_sources`, `query_sources`, `mapping_documents`: from the graph to the model.

The language is RML-Core of the W3C Knowledge Graph Construction community group, with logical sources of RML-IO:
https://w3id.org/rml/core/spec and https://w3id.org/rml/io/spec.
"""

from __future__ import annotations

from kgreason_mapping.documents.mapping_documents import parse_mapping, read_mapping
from kgreason_mapping.documents.mapping_model import Mapping

__all__ = ["Mapping", "parse_mapping", "read_mapping"]
