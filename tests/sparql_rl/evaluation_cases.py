"""Rule sets with data and what follows from them, worked out by hand after the draft's definitions."""

from __future__ import annotations

from typing import NamedTuple

PREFIXES = """PREFIX : <http://e/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""


class Case(NamedTuple):
    """Rules, data in Turtle, and the inferred triples in Turtle."""

    name: str
    rules: str
    data: str
    inferred: str


CASES = [
    Case("a rule", "RULE { ?x :p ?y } WHERE { ?x :q ?y }", ":a :q :b .", ":a :p :b ."),
    Case("two heads", "RULE { ?y :p ?x . ?x a :C } WHERE { ?x :q ?y }", ":a :q :b .", ":b :p :a . :a a :C ."),
    Case(
        "recursion",
        "RULE { ?x :up ?z } WHERE { ?x :in ?z } RULE { ?x :up ?z } WHERE { ?x :in ?y . ?y :up ?z }",
        ":a :in :b . :b :in :c . :c :in :a .",
        ":a :up :a, :b, :c . :b :up :a, :b, :c . :c :up :a, :b, :c .",
    ),
    Case("a head without triples", "RULE { } WHERE { ?x ?p ?y }", ":a :q :b .", ""),
    Case("a variable predicate", "RULE { ?y ?p ?x } WHERE { ?p a :Sym . ?x ?p ?y }",
         ":q a :Sym . :a :q :b . :a :r :b .", ":b :q :a ."),
    Case("paths", "RULE { ?x :grand ?z } WHERE { ?x ^:child/^:child ?z } "
         "RULE { ?x :sib ?y } WHERE { ?x ^(:child)/:child ?y }",
         ":a :child :b . :b :child :c, :d .",
         ":c :grand :a . :d :grand :a . :b :sib :b . :c :sib :c, :d . :d :sib :c, :d ."),
    Case("a blank node in a body is a variable", "RULE { ?x a :Owner } WHERE { ?x :has [ a :Dog ] . _:o :knows ?x }",
         ":a :has :d . :d a :Dog . :b :has :d . :z :knows :a .", ":a a :Owner ."),
    Case("a list in a body", "RULE { ?x :first ?y } WHERE { ?x :list (?y :z) }",
         ":a :list (:y :z) . :b :list (:y :x) .", ":a :first :y ."),
    Case("a filter", "RULE { ?x a :Old } WHERE { ?x :age ?n FILTER(?n >= 18 && ?n < 99) }",
         ":a :age 18 . :b :age 17 . :c :age 99 . :d :age 'old' .", ":a a :Old ."),
    Case("functions", 'RULE { ?x :id ?i } WHERE { ?x :name ?n FILTER(STRSTARTS(?n, "k")) SET(?i := UCASE(?n)) }',
         ":a :name 'kay' . :b :name 'bob' . :c :name 7 .", ":a :id 'KAY' ."),
    Case("an assignment", "RULE { ?x :double ?m } WHERE { ?x :n ?n SET(?m := ?n * 2) }",
         ":a :n 2 . :b :n 2.5 . :c :n 'x' .", ":a :double 4 . :b :double 5.0 ."),
    Case("assignments of assignments", "RULE { ?x :m ?c } WHERE { ?x :n ?n SET(?b := ?n + 1) SET(?c := ?b * ?b) }",
         ":a :n 2 .", ":a :m 9 ."),
    Case("an assignment that a pattern matches", "RULE { ?x :next ?y } WHERE { ?x :n ?n SET(?m := ?n + 1) ?y :n ?m }",
         ":a :n 1 . :b :n 2 . :c :n 4 .", ":a :next :b ."),
    Case("an assigned predicate", "RULE { ?x ?p ?y } WHERE DATA { ?x :q ?y . ?x :as ?n "
         "SET(?p := IRI(CONCAT('http://e/', ?n))) }",
         ":a :q :b ; :as 'k' .", ":a :k :b ."),
    Case("an assigned constant", "RULE { ?x ?p ?y } WHERE DATA { "
         "SET(?p := :r) ?x :q ?y }", ":a :q :b .", ":a :r :b ."),
    Case("NOT of a pattern", "RULE { ?x a :Leaf } WHERE { ?x a :Node NOT { ?y :in ?x } }",
         ":a a :Node . :b a :Node . :b :in :a .", ":b a :Leaf ."),
    Case("NOT of two patterns and a filter",
         "RULE { ?x a :Top } WHERE { ?x :n ?n NOT { ?y :beside ?x . ?y :n ?m FILTER(?m > ?n) } }",
         ":a :n 1 . :b :n 2 ; :beside :a . :c :n 0 ; :beside :b .", ":b a :Top . :c a :Top ."),
    Case("NOT of a filter alone", "RULE { ?x a :Few } WHERE { ?x :n ?n NOT { FILTER(?n > 3) } }",
         ":a :n 3 . :b :n 4 . :c :n 'x' .", ":a a :Few . :c a :Few ."),
    Case("NOT of a variable twice", "RULE { :g a :Loopless } WHERE { NOT { ?x :in ?x } }",
         ":a :in :b .", ":g a :Loopless ."),
    Case("NOT before the pattern of its variable", "RULE { ?x a :C } WHERE { NOT { ?x a :D } ?x :q ?y }",
         ":a :q :b . :b :q :c .", ":a a :C . :b a :C ."),
    Case("NOT of what has no variables", "RULE { ?x a :C } WHERE { ?x :q ?y NOT { :a :off true . } }",
         ":a :q :b . :a :off false .", ":a a :C ."),
    Case("NOT of one pattern of the same predicate",
         "RULE { ?x :status :safe } WHERE { ?x a :Part NOT { ?x :status :bad } } "
         "RULE { ?x :status :bad } WHERE { ?x :uses ?y . ?y :status :bad }",
         ":a a :Part ; :uses :b . :b :uses :c . :c :status :bad . :d a :Part .",
         ":b :status :bad . :a :status :bad . :d :status :safe ."),
    Case("layers", "RULE { ?x a :C3 } WHERE { ?x a :N NOT { ?x a :C2 } } "
         "RULE { ?x a :C2 } WHERE { ?x a :N NOT { ?x a :C1 } }",
         ":a a :N, :C1 . :b a :N .", ":b a :C2 . :a a :C3 ."),
    Case("NOT DATA", "RULE { ?x :km ?k } WHERE { ?x :miles ?m NOT DATA { ?x :km ?o } "
         "SET(?k := xsd:integer(?m * 1.60934)) }",
         ":a :miles 5 ; :km 8 . :b :miles 10 .", ":b :km 16 ."),
    Case("WHERE DATA", "RULE { ?x :q ?z } WHERE DATA { ?x :q ?y . ?y :q ?z } "
         "RULE { ?x a ?c } WHERE DATA { ?x :is ?c . ?c a ?d }",
         ":a :q :b . :b :q :c . :c :q :d . :x :is :k . :k a :l .", ":a :q :c . :b :q :d . :x a :k ."),
    Case("WHERE DATA of any predicate", "RULE { ?y :from ?x } WHERE DATA { ?x ?p ?y NOT { ?y ?p ?x } }",
         ":a :q :b . :b :r :c . :c :r :b .", ":b :from :a ."),
    Case("DATA is inferred and not of the base graph",
         "DATA { :a :q :b , _:n . _:n a :N } RULE { ?x :p ?y } WHERE { ?x :q ?y } "
         "RULE { ?x :r ?y } WHERE DATA { ?x :q ?y }",
         ":c :q :d .", ":a :q :b , _:n . _:n a :N . :a :p :b, _:n . :c :p :d ; :r :d ."),
    Case("DATA that the base graph has", "DATA { :a :q :b , :c }", ":a :q :b .", ":a :q :c ."),
    Case("a blank node for each solution", "RULE { [] :of ?x ; :at ?y . _:b :of ?x } WHERE { ?x :q ?y }",
         ":a :q :b, :c .", "[] :of :a ; :at :b . [] :of :a ; :at :c . [] :of :a . [] :of :a ."),
    Case("a list in a head", "RULE { ?x :pair (?y ?x) } WHERE { ?x :q ?y }", ":a :q :b .", ":a :pair (:b :a) ."),
    Case("a node of BNODE", 'RULE { ?x :k ?b . ?b :l ?c } WHERE { ?x :q ?y SET(?b := BNODE()) '
         'SET(?c := BNODE("c")) }',
         ":a :q :b .", ":a :k _:b . _:b :l _:c ."),
    Case("rules that run once, one after the other",
         "RULE { [] a :Note ; :on ?x } WHERE { ?x a :Bad } RULE { ?x a :Bad } WHERE { ?x :n ?n FILTER(?n > 1) }"
         "RULE { ?n :text ?t } WHERE { ?n a :Note ; :on/:n ?v SET(?t := STR(?v)) }",
         ":a :n 1 . :b :n 2 .", ":b a :Bad . [] a :Note ; :on :b ; :text '2' ."),
    Case("a subject that is a literal gives no triple", "RULE { ?y :of ?x . 'c' :of ?x . ?x :k ?y } WHERE { ?x :q ?y }",
         ":a :q 'b', :b .", ":b :of :a . :a :k 'b', :b ."),
    Case("a triple term that is none leaves the other heads",
         "RULE { ?y :of <<( ?x :q <<( ?y :p ?x )>> )>> . ?x :has ?y . _:n :b ?x . _:n rdf:reifies <<( :c ?p :d )>> } "
         "WHERE { ?x :q ?y ; :verb ?p }",
         ":a :q 1 ; :verb :p . :b :q :c ; :verb 'p' .",
         ":a :has 1 . :b :has :c . :c :of <<( :b :q <<( :c :p :b )>> )>> . [] :b :a ; rdf:reifies <<( :c :p :d )>> . "
         "[] :b :b ."),
    Case("a part of a triple term that another pattern matches, and the head does not have",
         "RULE { ?x :q :a } WHERE { ?x :r <<( ?z :q :b )>> FILTER(1 = 1) ?x :r ?z }",
         ":b :r <<( :c :q :b )>>, <<( :b :t :c )>> . :d :r <<( :c :q :b )>>, :c .", ":d :q :a ."),
    Case("triple terms taken apart", "RULE { ?s ?p ?o } WHERE { << ?s ?p ?o >> :by :me }",
         ":a :q :b ~ :r . :r :by :me . << :c :q 'd' ~ :t >> :by :me . << :e :q :f >> :by :you .", ":c :q 'd' ."),
    Case("triple terms put together", "RULE { ?r rdf:reifies <<( ?x :p ?y )>> ; :n ?x } WHERE { ?r :s ?x ; :o ?y }",
         ":r :s :a ; :o 1 .", ":r rdf:reifies <<( :a :p 1 )>> ; :n :a ."),
    Case("an annotation in a head", "RULE { ?x :p ?y {| :since ?n |} } WHERE { ?x :q ?y ; :n ?n }",
         ":a :q :b ; :n 3 .", ":a :p :b {| :since 3 |} ."),
    Case("a triple term without variables", "RULE { ?r a :R } WHERE { ?r rdf:reifies <<( :a :q :b )>> }",
         ":r rdf:reifies <<( :a :q :b )>> . :t rdf:reifies <<( :a :q :c )>> .", ":r a :R ."),
    Case("forms of earlier drafts", "TRANSITIVE(:in) SYMMETRIC(:with) INVERSE(:has, :of) "
         "IF { ?x :in ?y } THEN { ?y a :Big }",
         ":a :in :b . :b :in :c . :x :with :y . :p :has :q . :s :of :t .",
         ":a :in :c . :b a :Big . :c a :Big . :y :with :x . :q :of :p . :t :has :s ."),
    Case("CONSTRUCT", "CONSTRUCT { ?x :p ?y } WHERE { ?x :q ?y } RULE :r CONSTRUCT { ?y a :C } WHERE { ?x :p ?y }",
         ":a :q :b .", ":a :p :b . :b a :C ."),
    Case("CONSTRUCT with BIND and NOT EXISTS", "CONSTRUCT { ?x :twice ?t } WHERE { ?x :n ?n BIND(?n * 2 AS ?t) } "
         "CONSTRUCT { ?x a :Number } WHERE { ?x :n ?n BIND(?n + 1 AS ?m) FILTER(BOUND(?m)) } "
         "CONSTRUCT { ?x a :Free } WHERE { ?x :n ?n FILTER NOT EXISTS { ?x :of ?y FILTER(?y != ?n) } FILTER(true) }",
         ":a :n 1 . :b :n 'x' ; :of 2 . :c :n 2 ; :of 2 .",
         ":a :twice 2 ; a :Number, :Free . :c :twice 4 ; a :Number, :Free ."),
    Case("CONSTRUCT of the base graph",
         "CONSTRUCT { ?x :km ?k } WHERE { ?x :miles ?m FILTER NOT EXISTS { GRAPH <urn:graph:base> { ?x :km ?o } } "
         "BIND(?m * 2 AS ?k) } CONSTRUCT { ?x :q ?z } WHERE { GRAPH <urn:graph:base> { ?x :q ?y . ?y :q ?z "
         "FILTER NOT EXISTS { ?x :q ?z } } }",
         ":a :miles 5 ; :km 8 . :b :miles 10 ; :q :c . :c :q :d . :d :q :e . :b :q :d .",
         ":b :km 20 ; :q :e . :c :q :e ."),
    Case("a predicate that becomes a class", "RULE { :all a ?p } WHERE { ?x ?p ?y ; a ?y }",
         ":a a :c ; :r :c . :b :q :c .", ":all a :r, rdf:type ."),
    Case("a filter of a class and a bound term", "RULE { ?z a ?y } "
         "WHERE { :a :q ?x . ?x :r ?y . ?z a ?z FILTER(?y != ?z) }",
         ":a :q :b . :b :r :c, :d . :d a :d . :c a :e .", ":d a :c ."),
    Case("a class that only a variable predicate binds", "RULE { ?z a ?y } WHERE { ?x ?p ?z . ?y ?p ?y . ?z :p :b }",
         ":a :q :z . :y :q :y . :z :p :b .", ":z a :y ."),
    Case("an assigned end of a variable predicate", "RULE { ?v ?p ?v } "
         "WHERE DATA { ?z ?p ?z SET(?v := IRI(CONCAT(STR(?z), 'x'))) }",
         ":a :q :a . :a a :a .", ":ax :q :ax ; a :ax ."),
    Case("a blank node is no term of a pattern",
         "RULE { ?x :r [] . ?y :r ?y } WHERE { ?x :p ?y NOT { :b :r :a } }", ":a :p :b .", ":a :r [] . :b :r :b ."),
    Case("rdf:type among asserted predicates", "RULE { ?p ?p :c } WHERE DATA { ?x ?p :c }",
         ":a a :c ; :q :c .", "rdf:type a :c . :q :q :c ."),
]
