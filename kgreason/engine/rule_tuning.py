"""Tuned constants of evaluating and maintaining rules; `kgreason.tuning` says how constants are used."""

from __future__ import annotations

# -- rules ---------------------------------------------------------------------------------------------------------

RULE_WORK = 500
ANEW_LEAST = 1000 * RULE_WORK
ANEW_GROWTH = 4
ANEW_SPENT = 1.2
"""To evaluate a rule, or to visit a stratum, takes as long as 500 facts that rules give: some 30 microseconds. Who
derives everything anew begins with the rules of the program: 30 to 50 ms for OWL 2 RL. A state that has grown by a
share is taken to need at most ANEW_GROWTH times that share more. A change that has almost
come to its end is not dropped, but one that takes ANEW_SPENT times as long: of the wine ontology (anew 0.45 s) the
filler of a restriction goes in 0.34 s, and took 0.73 where it was dropped after 0.30."""

COPIED_WORK = 1 / 16
"""A fact that a rule only copies counts as so much work: tables and sets are passed on whole. Of an archive with links
of equality between classes, a removal that takes 0.30 s was dropped after 0.24 where each counted as one, and all
derived anew in 0.53."""

MOVED_LEAST = 1 << 10
MOVED_SAMPLE = 256
MOVED_WORK = 14
"""Where so many things and more are equal to others than before, it is guessed by a sample of them how many facts are
about these, each at so much work until all that follows is maintained. At LUBM(10,0), where an inverse functional
property goes (anew 150 ms), 180,000 to 400,000 such facts took 190 to 300 ms, and are foreseen after 10 to 35; with 10
for each not the 180,000."""

DELTA_LEAST = 1 << 19
"""So many facts wait at least before they are united: what they take is little beside what a pass needs anyway. Before
fewer are united, free memory is not given back: what the joins took comes again with fresh pages, which took a sixth of
the time of negation and of CSPA, and a fifth of that of ternary rules, and no row of the rules benchmark takes less."""

COMPARED_HEADS = 1 << 12
KNOWN_HEADS = 8
KNOWN_EACH = 1
"""From so many rows on, what a step of a rule derives is compared with what is known as soon as it is derived, where
one row in KNOWN_HEADS or more is known: of 8.6 million pairs that come once (negation) a look at each takes a third of
the time of the run, and of an analysis of pointers, where six in seven are known, it saves a tenth. A known
fact takes 18 ns to get its bit, so they get theirs once no more than KNOWN_EACH are known for each derived row. Beside
four million dense pairs a change that derives 6,000 takes 0.7 ms, and 56 with the bits of all."""

FEW_ROWS = 64
"""So few new facts of an atom are looked up in the other atoms of a rule before its filters are evaluated. One more
owl:sameAs at LUBM(10,0): 12 ms, without 14 ms."""

PROJECTED_ENDS = 1 << 12
"""Of so many pairs that come or go it is looked whether they have ends that the relation did not have before, or has no
more, before rules that keep one end are evaluated. At LUBM(10,0) one more owl:sameAs between two professors concerns 16
domains and ranges, none of which gives anything; one between universities takes 6 % less so. Two departments have a
thousand members."""

FEW_ASKED = 1 << 8
ASKED_SHARE = 1 << 6
"""Where an atom of a rule has so few facts, or one for so many of a virtual table of another one, that is asked whether
it may have anything of theirs. In FIBO the things that are equal are 36 and no classes: what came to subClassOf, and
was closed anew, was turned round for nothing, and the two rules that replace equal things took 0.3 of 1.4 seconds. In
29 ontologies together 6,000 pairs are equal, and the rules took 10 of 50 seconds for 89 million pairs of classes."""

RUNNING_ON = 1 << 6
"""Rules that only repeat fresh ones run on after the pass that evaluates these, if they are no more. At LUBM(10,0), two
classes that are made equal have 7 such rules, and two properties up to 27: to leave them out with the next change, and
take them back when the link goes, took 5 of 20 ms."""

UNEXAMINED_SHARE = 16
"""Where rules have only come since it was found which ones repeat others, these stay left out, and those that came run,
until they are one in so many. In GALEN, 45,000 rules, to find what repeats takes 70 ms and the order of the relations
35, and the first thing of a class brings some ten rules."""

IMPOSSIBLE_SHARE = 16
"""Relations that were possible, and have no facts any more, stay possible while they are no more than one in so many:
where things come and go one by one, rules only come to those of the last strata."""

FEW_FACTS = 32
MORE_FACTS = 64
FACTS_OF_ONE = 64
FACTS_A_RUN = 1 << 11
LOOKED_AT = 1 << 7
LOOPED_RULES = 16
LOOPED_ATOMS = 8
LOOPED_WORK = RULE_WORK / 16
"""So few facts that wait in a round are followed one after the other, until more than MORE_FACTS wait, each by
LOOPED_RULES at most of at most LOOPED_ATOMS atoms that find no more than FACTS_OF_ONE others, and no more than
FACTS_A_RUN before they are put in. A fact takes 3 to 5 microseconds so, and a round by columns some 90 and more: along
a path of 20,000, a fact a round, 0.13 seconds and 2.4; with 20 facts a round, 0.30 and 0.50; of four-ary rules and a
map of roads, with some 60, as long as before. No more than LOOKED_AT are looked at in a round for each rule, a
microsecond each: with 31 facts a round that each lead to the same 33, 0.14 seconds, without that limit 0.78."""

MANY_RULES = 1 << 9
"""So many rules that use a relation are looked at, together, for those that can derive nothing any more, or, by the
constants of their atoms, nothing from `FEW_ROWS` facts: below 1 ms. A pair of a property with 4,000 restrictions
`owl:hasValue` goes in 8 ms so and comes in 3, and took 126 and 100 while each of their rules was evaluated."""

EMPTIED = 8
"""Once so many relations have lost all facts, it is found to which ones nothing leads any more, and again when twice as
many have. Of 1,000 existential restrictions in a chain (anew 0.47 s) an axiom near its beginning goes in 70 ms so (anew
40 ms), and took 0.48 s."""

REACHED_ROUNDS = 8
REACHED_EACH = 1 << 10
"""After so many steps from relations that have been reached to those that their rules lead to, all that follow are
found at once, if there are no more guard facts than REACHED_EACH for each step. A step takes some 400 microseconds, as
long as 1,000 guard facts. 1,000 universal restrictions in a chain take 0.25 seconds so, and took 0.75."""

SCANNED_GUARDS = 2048
"""Of so many guard facts with three columns or more, those that name some relations are found by a look at all, else by
a look-up for each column. Of 200, 1,000 and 5,000 facts with six columns that takes 0.04, 0.1 and 0.4 to 0.7
milliseconds, with 40 columns 0.1, 0.5 to 1.2 and 3 to 6; look-ups take 0.4 to 0.8 and 6 to 11, of any number."""

BATCHED_RULES = 3
"""So many rules of one template that differ in what facts their atom has, in constants and in what they derive are
evaluated together. A thousand restrictions `owl:hasValue` of a property take 0.13 seconds so, and 0.28 where each rule
is evaluated alone; of 150 classes with 2, 4 and 8 restrictions each 0.30, 0.40 and 0.66 seconds, and 0.26, 0.45 and
0.92."""

GROUPED_ROWS = 1 << 16
"""An aggregate of a rule looks at so many members of groups at once, so that all stays in the cache: the least of a
million numbers in 100,000 groups take 28 ms where it is so, and 36 where all are looked at together, and three times
the memory."""

FEW_LISTS = 8
"""So many lists are walked one after the other: a cell takes 2 microseconds so, and a step of a walk through all lists
at once some 30. A list of 8,000 cells takes 12 milliseconds instead of 270."""
CELLS_BACK = 1 << 6
"""After a search through so many cells that lead to one which changes, few lists are rather walked from their
beginning, as they are in any case if they have that cell. Of a list of 4,000 cells one is taken out in 18 ms so, and
took 33 where each look walked through it again (anew 16 ms, and 31)."""
LIST_ROWS = 1 << 16
"""Rows of lists and members are derived in blocks of so many, between which the budget is checked."""

COMPARED_LEAST = 1 << 12
COMPARED_SHARE = 4
"""Where more pairs of a virtual relation have changed than the former, and than one of so many, what a rule with a
unary head derives is compared before and after. At LUBM(10,0) with `takesCourse` no longer functional, the rule
`takesCourse(x, y), Course(y)` took 152 ms for 6.6 million pairs that go, and 5 so."""

# -- rules over closures -------------------------------------------------------------------------------------------

DOUBTFUL_LEAST = 64
PASSING_EACH = 256
"""When an edge goes of a closure that rules feed, the pairs with a path along it are looked at, unless there are fewer
edges than this that are not asserted, or this many pairs for each of these. Measured with the ontology below at a tenth
of its size: of 45,000 edges that rules derive, doing without them took 280 ms, and the pairs of one axiom 15."""

NARROWED = 8_000_000
NARROWED_SHARE = 0.25
"""What a closure gained is written out between the ends that the rest of a rule asks for if that makes so many pairs at
most, and no greater share of all. Measured with an ontology of 23,000 classes and 29,600 restrictions, whose rule
scm-svf1 took 51 of 58 s over all pairs of restrictions of a property, and 3 s over pairs of their fillers."""

GROUPED_PAIRS = 1 << 16
GROUPED_EACH = 4
"""Of so many facts of a virtual relation, and so many for each member of the groups that a rule pairs, those between
groups of one name are looked for, before any is written out. Of 72 million pairs of a hierarchy 28 million are between
7,600 fillers of 28,000 restrictions, and 35,000 between those of one property: 0.03 seconds, and 3.9 for all of them.
To find the groups takes a microsecond for each restriction."""

GROUPED_FEW = 1 << 5
"""Where groups of one name have no more ends, each pair is looked for, of all such names together: 0.1 microseconds a
pair. Elsewhere each end looks for the others: 3 microseconds an end, and 50 a name."""

LATE_LEAST = 1 << 14
"""Where a rule pairs members of groups that circles lead to, a ring through these is looked for if so many pairs of
members may come from the pairs of circles, and the rest waits for what else is left to derive. Of 3,000 restrictions by
one property on 1,000 classes in a circle it takes 0.1 s to derive all, and 3.7 by pairs; on 20 classes 0.15 and 0.7. Of
3,000 by three properties on classes that definitions put in one circle it takes 0.30 s, and took 0.60 where the rest
waited only if there was a ring. A look at the groups takes a microsecond for each restriction, as long as some hundred
facts of a product."""

# -- rules that pass a set on along pairs --------------------------------------------------------------------------

PROPAGATED_ROUNDS = 8
PROPAGATED_PAIRS = 4096
"""A rule that passes a set on along pairs looks up those of so many steps, and of one more for each of so many pairs;
if there are more, it lays out all pairs as rows, which takes 4 to 9 nanoseconds a pair, and a step then 4 to 8
microseconds in place of 30."""

SHORT_ROW = 1 << 3
"""Where no id leads to more others than these, such a search looks at rows of one length, with a third of the calls of
numpy: a step over roads takes 4 microseconds, and 8 otherwise."""

PROPAGATED_LOSS = 512
PROPAGATED_SHARE = 24
"""Where more of the facts of such a rule go than these, and than one of so many, all are derived anew: to find what
comes back takes twice as long as to find it in the first place, and the steps to a few facts that go as long as those
to many that are there. Of what is reached on roads (anew 13 ms) an eighth is lost after 5 ms, so much after 2."""

WRITTEN_OUT = 1 << 20
"""So many facts that a scheme showed are written out when no scheme keeps their relation any more; where there are
more, its stratum is remade. The 4,001st restriction `owl:hasValue` of a property comes in 40 ms so, and took 1.4 s;
2,000 things in 1,000 classes that intersections put in cycles are loaded in 0.19 s, and took 0.95."""

GUARDS_TOGETHER = 16
"""Once one rule of so many in a group was asked whether its guard fact is there, all of the group are looked up
together: 3 microseconds for one, 0.2 for each of many."""

SWEPT_KEYS = 32
"""Where facts of so many relations of a stratum wait, they are taken in sweeps, and what so many rules copy is closed
over. Of 4,000 things in 2,000 classes that intersections put in cycles an axiom goes in 0.34 s so, in 6,600 evaluations
of rules; in 0.97 s by sweeps alone, in 28,000, and it took 2.1 s in 109,000."""

# -- remaking strata -----------------------------------------------------------------------------------------------

REMADE_LEAST = 1 << 15
REMADE_SHARE = 16
"""A stratum is remade when more than one fact of so many is overdeleted, and so many in all: fewer take some ten
milliseconds. Of same generation (13 million facts, anew 6 s) the worst of four edges went in 21.6 s without, in 12.3
with a sixth, in 9.8 with a twelfth. Each rule of the stratum counts as RULE_WORK facts more, as all are evaluated where
it is remade: of units of measure, 28,000 triples of which 228 relations are one stratum, a class below another goes in
12 ms so, and took 340."""

REMADE_JOINED = 16
"""Where a rule joins facts of the stratum with each other, one in so many of REMADE_LEAST are enough: to find which of
9,933 pairs follow by paths of three took 270 ms, and all 71,246 of them 50."""

REMADE_GROWTH = 9
"""The next round is taken to overdelete more than the last one as that did, at most so many times more: of 4.2 million
facts over a tree (anew 82 ms without an edge of its root) a fifteenth was gone after 20 ms where the next round was
taken to have three times as many, and is foreseen after 5 with nine times."""

REMADE_SHOWN = 2
"""A stratum is remade, too, where its rules read more than one in so many of the pairs of a closure as lost, or a rule
gives as large a share of what there is as lost at once: of Dyck's paths (anew 0.7 s) most edges take all, 1.1 s
without."""

REMADE_READ = 4
"""The same where they read as many pairs as gained, if these are so many times the facts that the closures are made of:
9 million pairs that a value of a functional property makes equal took 27 s, in place of 2, and half a million pairs of
500 equal classes, made of as many facts, 0.78 s, in place of 0.95."""

REMADE_LOST = 8
REMADE_LOST_SHARE = 8
"""Where rules read REMADE_LOST times as many pairs as lost as there are such facts, one in REMADE_LOST_SHARE of the
pairs is enough: one of 3,066 restrictions with the same filler, of 56 million pairs made of 35,000 facts (anew 80 ms),
goes in 90 ms, and took 0.28 s; one of 566 in GALEN, of 8.5 million made of 0.26 (anew 1.4 s), in 1.2 s, and took
2.0."""

REMADE_SAMPLED = 1 << 16
REMADE_SAMPLES = 32
"""Where schemes lose so many pairs at once, rules that read them are first asked what they lose by those of so many
subjects. Of 3,000 restrictions on 1,000 classes in a circle (anew without one of its axioms 2.1 s) such an axiom goes
in 2.1 s so, and took 3.9, of which to find the 4.5 million facts that rest on the half million pairs took 1.8."""

REMADE_SPENT = 3
"""A pass does not go on over a stratum with most facts that has taken one in so many of the work that all facts take:
of 1,000 definitions that make all classes equal (anew 0.5 s) one type in six of a thing went in 0.9 s, and goes in
0.4."""

REMADE_TWICE = 2
"""A stratum that is remade under rules that go is remade again without them: where it has more than one in so many of
the facts that are written out, to derive all of them anew takes no longer."""

WAITING_SHARE = 8
"""A stratum that is to be remade where rules come or go after the pass waits for the next one if one in so many of the
facts that are written out are its own: at LUBM(10,0), links of equality between properties go in 83 to 115 ms so, and
took 110 to 160 where only half of these facts or more waited. Of 1,000 definitions that make all classes equal (anew
530 ms) an axiom comes in 570 ms so, and took 640 where no stratum waited for rules that come."""
