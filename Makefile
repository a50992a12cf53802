# make demo       the main job on data that comes along
# make quick      style, types, direction of imports, a share of every suite but Spark's: a minute
# make test       style, types, direction of imports, all tests: some minutes on two cores
# make thorough   the same with many more examples, and other ones each time: a night
# make conformance, make spark  those suites alone
# make spark-3.5  the latter with the oldest Spark that there is support for, in an environment of its own
# make benchmark  this engine and its peers, side by side
# make benchmark-closures  the same for closures kept in schemes, queries over them, and components of graphs
# make benchmark-maintenance  what changes cost, for each module, beside plain baselines, and beside the papers
# make benchmark-rules     Datalog programs, beside DuckDB and clingo; what equal things cost, and ontologies of restrictions
# make benchmark-loading   bulk loads, formats and annotated triples, beside pyoxigraph and rdflib
# make benchmark-durable   stores on disk: commits, loading, opening
# make benchmark-spark     ingestion and distributed materialisation, as data grow and after a change
# make benchmark-faults    processes of Spark and drivers of streams killed in the middle of their work, and tasks run twice
# make benchmark-mapping   raw data to triples, with and without Spark, beside DuckDB and morph-kgc; ROWS='1000000 10000000'
# make benchmark-sparql    queries, beside maplib, Oxigraph and rdflib
# make benchmark-start     new processes: imports, first graphs, first queries, commands; what is installed
# make benchmark-reads     single calls of rdflib and changes of one triple, beside rdflib's memory store
# make benchmark-workbench the page of the server over 200,000 concepts, in Chromium
# make benchmark-limits    slow queries, updates, rules and loads under a limit of one second
# make benchmark-server    a server under 1, 8 and 64 clients beside a writer, rdflib-endpoint and Oxigraph
#                          (LOAD_SECONDS=600: ten minutes each)
# make docs       the documentation as a site, in build/site, with its links, looks and search tested
# make clean      takes away everything that the others made
# Each makes the virtual environment .venv when it is missing or older than pyproject.toml.

PYTHON ?= python3
VENV := .venv
IN_VENV := $(VENV)/bin

# Tests run on all cores, with one thread for each. What they compile is kept, since hundreds of them start Python.
PYTEST := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(IN_VENV)/python -m pytest --quiet \
          --numprocesses=logical --maxprocesses=8 --no-loadscope-reorder

.PHONY: demo quick quick-tests test test-tests thorough thorough-tests conformance spark spark-3.5 check style types imports benchmark benchmark-closures benchmark-maintenance benchmark-rules benchmark-loading benchmark-durable benchmark-spark \
        benchmark-faults benchmark-mapping benchmark-sparql benchmark-start benchmark-reads benchmark-workbench benchmark-limits benchmark-server docs java clean

demo: $(VENV)/.installed java
	$(IN_VENV)/python examples/demo/demo.py

quick: $(VENV)/.installed-dev
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target check quick-tests

quick-tests:
	KGREASON_PROFILE=quick $(PYTEST)

# Style and imports are looked at before the tests start, types beside them.
test thorough: $(VENV)/.installed-dev java
	@$(MAKE) --no-print-directory --jobs=2 check $@-tests

test-tests:
	$(PYTEST)

thorough-tests:
	KGREASON_PROFILE=thorough $(PYTEST)

conformance: $(VENV)/.installed-dev
	$(PYTEST) tests/conformance

spark: $(VENV)/.installed-dev java
	$(PYTEST) tests/spark

# Without its extra [sql], which asks for a numpy older than kgreason's; the rest of it is in [dev]. PySpark itself warns of what
# Python has deprecated since, and leaves sockets to be closed with it.
spark-3.5: java
	@$(PYTHON) .ci/make_venv.py .venv-spark-3.5
	@.venv-spark-3.5/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@.venv-spark-3.5/bin/python -m pip install --quiet --disable-pip-version-check setuptools "pyspark==3.5.*"
	PYSPARK_PYTHON=$(CURDIR)/.venv-spark-3.5/bin/python $(PYTEST:$(IN_VENV)%=.venv-spark-3.5/bin%) \
	  -W ignore::DeprecationWarning -W ignore::UserWarning -W ignore::FutureWarning -W ignore::ResourceWarning tests/spark

check: style types imports

style: $(VENV)/.installed-dev
	$(IN_VENV)/ruff check .

types: $(VENV)/.installed-dev
	$(IN_VENV)/mypy

imports: $(VENV)/.installed-dev
	$(IN_VENV)/lint-imports --no-logo

benchmark: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks

benchmark-closures: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.closures
	$(IN_VENV)/python -m tests.benchmarks.closure_queries
	$(IN_VENV)/python -m tests.benchmarks.components

benchmark-maintenance: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.maintenance
	$(IN_VENV)/python -m tests.benchmarks.changes

benchmark-rules: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.rules
	$(IN_VENV)/python -m tests.benchmarks.equality
	$(IN_VENV)/python -m tests.benchmarks.restrictions

benchmark-loading: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.loading
	$(IN_VENV)/python -m tests.benchmarks.formats
	$(IN_VENV)/python -m tests.benchmarks.annotated

benchmark-durable: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.durable

benchmark-spark: $(VENV)/.installed-bench $(VENV)/.installed-spark java
	$(IN_VENV)/python -m tests.benchmarks.spark
	$(IN_VENV)/python -m tests.benchmarks.gtfs
	$(IN_VENV)/python -m tests.benchmarks.spark_rounds

benchmark-faults: $(VENV)/.installed-bench $(VENV)/.installed-spark java
	$(IN_VENV)/python -m tests.benchmarks.spark_faults 30
	$(IN_VENV)/python -m tests.benchmarks.stream_kills 10
	$(IN_VENV)/python -m tests.benchmarks.spark_speculation

benchmark-mapping: $(VENV)/.installed-bench $(VENV)/.installed-spark java
	$(IN_VENV)/python -m tests.benchmarks.mapping $(if $(ROWS),--rows $(ROWS))

benchmark-sparql: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.sparql

benchmark-start: $(VENV)/.installed
	$(IN_VENV)/python -m tests.benchmarks.start

benchmark-reads: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.reads
	$(IN_VENV)/python -m tests.benchmarks.reads --size 10

benchmark-workbench: $(VENV)/.installed
	$(IN_VENV)/python -m tests.benchmarks.workbench

benchmark-limits: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.limits

benchmark-server: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.server $(LOAD_SECONDS)

docs: $(VENV)/.installed-docs $(VENV)/.installed-dev
	NO_MKDOCS_2_WARNING=1 $(IN_VENV)/mkdocs build --quiet
	KGREASON_SITE=build/site $(IN_VENV)/python -m pytest --quiet tests/site

# Spark runs on Java: from Debian's packages where it is missing and we may install it.
java:
	@$(PYTHON) .ci/ensure_java.py

clean:
	rm -rf $(VENV) .venv-spark-3.5 build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/pip:
	@echo "making $(VENV)"
	@$(PYTHON) .ci/make_venv.py $(VENV)

# The order-only pip keeps a newer pip from meaning a new installation.
$(VENV)/.installed: pyproject.toml | $(VENV)/bin/pip
	@echo "installing kgreason and what it needs into $(VENV)"
	@$(IN_VENV)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-%: pyproject.toml | $(VENV)/.installed
	@echo "installing what kgreason[$*] needs into $(VENV)"
	@$(IN_VENV)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@
