"""The eleven queries of BSBM's explore use case, with parameters from generated data."""

from __future__ import annotations

from tests.benchmarks.bsbm import DC, FOAF, INSTANCES, REV, TERMS, Generator

_PREFIXES = f"""PREFIX bsbm: <{TERMS}> PREFIX inst: <{INSTANCES}> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> PREFIX dc: <{DC}> PREFIX foaf: <{FOAF}> PREFIX rev: <{REV}>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX export: <http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary-export/>
"""
_US = "<http://downlode.org/rdf/iso-3166/countries#US>"
_DAY = '"2008-06-20T00:00:00"^^xsd:dateTime'

EXPLORE = {
    "Q1": """SELECT DISTINCT ?product ?label WHERE { ?product rdfs:label ?label . ?product a %type% .
        ?product bsbm:productFeature %feature1% . ?product bsbm:productFeature %feature2% .
        ?product bsbm:productPropertyNumeric1 ?value1 . FILTER (?value1 > 500) } ORDER BY ?label LIMIT 10""",
    "Q2": """SELECT ?label ?comment ?producer ?productFeature ?propertyTextual1 ?propertyTextual2 ?propertyTextual3
        ?propertyNumeric1 ?propertyNumeric2 ?propertyTextual4 ?propertyTextual5 ?propertyNumeric4 WHERE {
        %product% rdfs:label ?label . %product% rdfs:comment ?comment . %product% bsbm:producer ?p .
        ?p rdfs:label ?producer . %product% dc:publisher ?p . %product% bsbm:productFeature ?f .
        ?f rdfs:label ?productFeature . %product% bsbm:productPropertyTextual1 ?propertyTextual1 .
        %product% bsbm:productPropertyTextual2 ?propertyTextual2 .
        %product% bsbm:productPropertyTextual3 ?propertyTextual3 .
        %product% bsbm:productPropertyNumeric1 ?propertyNumeric1 .
        %product% bsbm:productPropertyNumeric2 ?propertyNumeric2 .
        OPTIONAL { %product% bsbm:productPropertyTextual4 ?propertyTextual4 }
        OPTIONAL { %product% bsbm:productPropertyTextual5 ?propertyTextual5 }
        OPTIONAL { %product% bsbm:productPropertyNumeric4 ?propertyNumeric4 } }""",
    "Q3": """SELECT ?product ?label WHERE { ?product rdfs:label ?label . ?product a %type% .
        ?product bsbm:productFeature %feature1% . ?product bsbm:productPropertyNumeric1 ?p1 . FILTER (?p1 > 300)
        ?product bsbm:productPropertyNumeric3 ?p3 . FILTER (?p3 < 1700)
        OPTIONAL { ?product bsbm:productFeature %feature2% . ?product rdfs:label ?testVar }
        FILTER (!bound(?testVar)) } ORDER BY ?label LIMIT 10""",
    "Q4": """SELECT DISTINCT ?product ?label ?propertyTextual WHERE {
        { ?product rdfs:label ?label . ?product rdf:type %type% . ?product bsbm:productFeature %feature1% .
          ?product bsbm:productFeature %feature2% . ?product bsbm:productPropertyTextual1 ?propertyTextual .
          ?product bsbm:productPropertyNumeric1 ?p1 . FILTER (?p1 > 300) } UNION
        { ?product rdfs:label ?label . ?product rdf:type %type% . ?product bsbm:productFeature %feature1% .
          ?product bsbm:productFeature %feature3% . ?product bsbm:productPropertyTextual1 ?propertyTextual .
          ?product bsbm:productPropertyNumeric2 ?p2 . FILTER (?p2 > 300) } } ORDER BY ?label OFFSET 5 LIMIT 10""",
    "Q5": """SELECT DISTINCT ?product ?productLabel WHERE { ?product rdfs:label ?productLabel .
        FILTER (%product% != ?product) %product% bsbm:productFeature ?prodFeature .
        ?product bsbm:productFeature ?prodFeature . %product% bsbm:productPropertyNumeric1 ?origProperty1 .
        ?product bsbm:productPropertyNumeric1 ?simProperty1 .
        FILTER (?simProperty1 < (?origProperty1 + 120) && ?simProperty1 > (?origProperty1 - 120))
        %product% bsbm:productPropertyNumeric2 ?origProperty2 . ?product bsbm:productPropertyNumeric2 ?simProperty2 .
        FILTER (?simProperty2 < (?origProperty2 + 170) && ?simProperty2 > (?origProperty2 - 170)) }
        ORDER BY ?productLabel LIMIT 5""",
    "Q7": """SELECT ?productLabel ?offer ?price ?vendor ?vendorTitle ?review ?revTitle ?reviewer ?revName ?rating1
        ?rating2 WHERE { %product% rdfs:label ?productLabel .
        OPTIONAL { ?offer bsbm:product %product% . ?offer bsbm:price ?price . ?offer bsbm:vendor ?vendor .
          ?vendor rdfs:label ?vendorTitle . ?vendor bsbm:country %us% . ?offer dc:publisher ?vendor .
          ?offer bsbm:validTo ?date . FILTER (?date > %day%) }
        OPTIONAL { ?review bsbm:reviewFor %product% . ?review rev:reviewer ?reviewer . ?reviewer foaf:name ?revName .
          ?review dc:title ?revTitle . OPTIONAL { ?review bsbm:rating1 ?rating1 }
          OPTIONAL { ?review bsbm:rating2 ?rating2 } } }""",
    "Q8": """SELECT ?title ?text ?reviewDate ?reviewer ?reviewerName ?rating1 ?rating2 ?rating3 ?rating4 WHERE {
        ?review bsbm:reviewFor %product% . ?review dc:title ?title . ?review rev:text ?text .
        FILTER langMatches(lang(?text), "EN") ?review bsbm:reviewDate ?reviewDate . ?review rev:reviewer ?reviewer .
        ?reviewer foaf:name ?reviewerName . OPTIONAL { ?review bsbm:rating1 ?rating1 }
        OPTIONAL { ?review bsbm:rating2 ?rating2 } OPTIONAL { ?review bsbm:rating3 ?rating3 }
        OPTIONAL { ?review bsbm:rating4 ?rating4 } } ORDER BY DESC(?reviewDate) LIMIT 20""",
    "Q9": "DESCRIBE ?x WHERE { %review% rev:reviewer ?x }",
    "Q10": """SELECT DISTINCT ?offer ?price WHERE { ?offer bsbm:product %product% . ?offer bsbm:vendor ?vendor .
        ?offer dc:publisher ?vendor . ?vendor bsbm:country %us% . ?offer bsbm:deliveryDays ?deliveryDays .
        FILTER (?deliveryDays <= 3) ?offer bsbm:price ?price . ?offer bsbm:validTo ?date . FILTER (?date > %day%) }
        ORDER BY xsd:double(str(?price)) LIMIT 10""",
    "Q11": """SELECT ?property ?hasValue ?isValueOf WHERE {
        { %offer% ?property ?hasValue } UNION { ?isValueOf ?property %offer% } }""",
    "Q12": """CONSTRUCT { %offer% export:product ?productURI . %offer% export:productlabel ?productlabel .
        %offer% export:vendor ?vendorname . %offer% export:vendorhomepage ?vendorhomepage .
        %offer% export:offerURL ?offerURL . %offer% export:price ?price .
        %offer% export:deliveryDays ?deliveryDays . %offer% export:validuntil ?validTo } WHERE {
        %offer% bsbm:product ?productURI . ?productURI rdfs:label ?productlabel . %offer% bsbm:vendor ?vendor .
        ?vendor rdfs:label ?vendorname . ?vendor foaf:homepage ?vendorhomepage . %offer% bsbm:offerWebpage ?offerURL .
        %offer% bsbm:price ?price . %offer% bsbm:deliveryDays ?deliveryDays . %offer% bsbm:validTo ?validTo }""",
}


def explore(data: Generator) -> dict[str, str]:
    """The queries about a product in the middle, its most general type below the root, and features that are common."""
    number = next(n for n in range(data.products // 2, data.products) if n in data.offers_of and n in data.reviews_of)
    kind = data.type_of[number].line()[-2]
    features = [*kind.features, *data.features_of[number]]
    given = {
        "product": data.product_name(number), "type": kind.name, "offer": data.offers_of[number],
        "review": data.reviews_of[number], "us": _US, "day": _DAY,
        "feature1": features[0], "feature2": features[1], "feature3": features[2],
    }  # fmt: skip
    queries = {}
    for name, text in EXPLORE.items():
        for parameter, value in given.items():
            text = text.replace(f"%{parameter}%", value)
        queries[name] = _PREFIXES + text
    return queries
