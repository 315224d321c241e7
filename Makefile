# Two commands do everything, set-up included: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test slow lint check format bench clean

demo: $(READY)
	@$(BIN)/privopt demo

test: $(READY)
	$(BIN)/pytest -n 2 -m "not slow"

slow: $(READY)
	$(BIN)/pytest -n 2 -m slow

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

check: lint test

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m benchmarks.solve

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis

# One environment from pinned versions; made again only when the pins or the project file change.
$(READY): pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once, about a minute) ..."
	@$(PYTHON) -m venv $(VENV)
	@PIP_CONSTRAINT=constraints.txt $(BIN)/pip install -qq --disable-pip-version-check -e '.[dev]'
	@touch $(READY)
