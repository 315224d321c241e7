# Two commands do everything, set-up included: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PANDAPOWER := .venv-pandapower
# Compiled modules are kept, whatever the caller's environment says: otherwise both workers compile
# all tests at each run, and every process that a test starts compiles privopt.
unexport PYTHONDONTWRITEBYTECODE
# A worker that is done takes over what another has not begun: no long test waits behind another.
PYTEST := $(BIN)/pytest -n 2 --dist worksteal

.PHONY: docs demo test long slow baseline kills fuzz mutants pandapower experiments screens lint check format bench clean

demo: $(READY)
	@$(BIN)/privopt demo

test: $(READY)
	$(PYTEST) -m "not long and not slow and not baseline and not kills and not fuzz"

# Tests of seconds each, minutes together: what lands has passed them as well.
long: $(READY)
	$(PYTEST) -m "long and not slow"

# Every PGLib network up to 30,000 nodes against the printed baseline.
baseline: $(READY)
	$(PYTEST) -m baseline

# Ten thousand SIGKILLs of processes that release, and two thousand around fifty immediate stops of a
# PostgreSQL server: no output without its charge. Half an hour.
kills: $(READY)
	$(BIN)/pytest -m kills

# Plants bugs in copies of the source, one at a time, and lists the test that catches each. Minutes.
mutants: $(READY)
	$(BIN)/python -m tests.mutants

# A hundred thousand damaged files and random command lines: our errors only, whole files only. Minutes.
fuzz: $(READY)
	$(PYTEST) -m fuzz

# The paper's tables and figure with its 100 runs: about two hours on two cores; goes on where it was
# stopped.
experiments: $(READY)
	$(BIN)/privopt experiment table1
	$(BIN)/privopt experiment table2
	$(BIN)/privopt experiment figure2

# Pandapower nets against pandapower's own optimal power flow, and feeders against its AC power flow,
# in an environment of their own: pandapower wants pandas 2.
pandapower: $(PANDAPOWER)/.ready
	$(PANDAPOWER)/bin/pytest tests/networks/test_pandapower.py tests/networks/test_ac.py

slow: $(READY)
	$(PYTEST) -m slow

# All pages and all screens of the workbench, 1280 and 390 pixels, light and dark, on sheets to be
# looked at: build/screens.
screens: $(READY)
	$(BIN)/python -m tests.web.screens
	$(BIN)/python -m tests.report.screens

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

check: lint test long

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Against a plain CVXPY model: networks from 14 to 9241 nodes, then random programs. Minutes.
bench: $(READY)
	$(BIN)/python -m benchmarks.recourse --ladder
	$(BIN)/python -m benchmarks.recourse 118_ieee --box
	$(BIN)/python -m benchmarks.decide 14_ieee 39_epri 57_ieee 118_ieee
	$(BIN)/python -m benchmarks.feeders
	$(BIN)/python -m benchmarks.solve
	$(BIN)/python -m benchmarks.small
	$(BIN)/python -m benchmarks.written
	$(BIN)/python -m benchmarks.ledger
	$(BIN)/python -m benchmarks.realised
	$(BIN)/python -m benchmarks.stores --rows 100 10000

# The site, in site/index.html: it works from the folder, and its pages fetch nothing from elsewhere.
docs: $(READY)
	$(BIN)/python docs/site/packages.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) $(PANDAPOWER) .pytest_cache .ruff_cache .hypothesis .npm build demo site

# One environment from pinned versions; made again only when the pins or the project file change.
$(READY): pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once, about two minutes) ..."
	@$(PYTHON) -m venv $(VENV)
	@PIP_CONSTRAINT=constraints.txt $(BIN)/pip install -qq --disable-pip-version-check -e '.[dev]'
	@touch $(READY)

$(PANDAPOWER)/.ready: pyproject.toml constraints-pandapower.txt
	@echo "Setting up $(PANDAPOWER) (once, about a minute) ..."
	@$(PYTHON) -m venv $(PANDAPOWER)
	@PIP_CONSTRAINT=constraints-pandapower.txt $(PANDAPOWER)/bin/pip install -qq \
	    --disable-pip-version-check -e '.[pandapower,feeders]' pytest hypothesis
	@touch $@
