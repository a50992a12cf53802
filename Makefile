# make demo       the main job on data that comes along
# make test       style, types, direction of imports, all tests
# make benchmark  this engine and its peers, side by side
# make benchmark-closures  the same for closures kept in schemes, and queries over them
# make benchmark-maintenance  what changes cost, beside plain baselines and beside the papers
# make benchmark-loading   bulk loads, beside pyoxigraph and rdflib
# make benchmark-durable   stores on disk: commits, loading, opening
# make benchmark-spark     ingestion and distributed materialisation
# make benchmark-sparql    queries, beside maplib, Oxigraph and rdflib
# make clean      takes away everything that the others made
# Each makes the virtual environment .venv when it is missing or older than pyproject.toml.

PYTHON ?= python3
VENV := .venv
IN_VENV := $(VENV)/bin

.PHONY: demo test benchmark benchmark-closures benchmark-maintenance benchmark-loading benchmark-durable benchmark-spark \
        benchmark-sparql java clean

demo: $(VENV)/.installed java
	$(IN_VENV)/python examples/demo/demo.py

test: $(VENV)/.installed-dev java
	$(IN_VENV)/ruff check .
	$(IN_VENV)/mypy
	$(IN_VENV)/lint-imports --no-logo
	$(IN_VENV)/python -m pytest --quiet

benchmark: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks

benchmark-closures: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.closures
	$(IN_VENV)/python -m tests.benchmarks.closure_queries

benchmark-maintenance: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.maintenance

benchmark-loading: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.loading

benchmark-durable: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.durable

benchmark-spark: $(VENV)/.installed-bench $(VENV)/.installed-spark java
	$(IN_VENV)/python -m tests.benchmarks.spark

benchmark-sparql: $(VENV)/.installed-bench
	$(IN_VENV)/python -m tests.benchmarks.sparql

# Spark runs on Java: from Debian's packages where it is missing and we may install it.
java:
	@$(PYTHON) .ci/ensure_java.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

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
