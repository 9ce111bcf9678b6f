# Everything a newcomer needs: `make demo`, `make test`. Both set themselves up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
STAMP := $(VENV)/.installed
# One xdist worker a core; the suite is the same with `make test JOBS=0`.
JOBS ?= auto

.PHONY: demo test nightly check format bench bench-large docs constraints clean

# Made anew when what it holds has changed. Older pips do not know `--group`, so pip comes first.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --constraint constraints.txt --upgrade pip
	$(PIP) install --constraint constraints.txt --editable . --group dev
	touch $@

demo: $(STAMP)  ## walk through a small archive
	$(BIN)/damals demo

test: $(STAMP)  ## the whole specification, run
	$(BIN)/python -m pytest -m "not nightly" -n $(JOBS) --dist loadgroup

nightly: $(STAMP)  ## the same with more examples and more kills
	DAMALS_TEST_PROFILE=nightly $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

check: $(STAMP)  ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP)  ## ratios within one run; prints a table
	$(BIN)/python -m bench

bench-large: $(STAMP)  ## the ledger at 5 million versions as well; takes an hour
	DAMALS_BENCH_SIZES=10000,100000,1000000,5000000 $(BIN)/python -m bench.ledger

docs: $(STAMP)  ## regenerate the reference pages
	$(BIN)/python -m damals.interfaces.reference docs/reference

# pip is no dependency of anything here, but its version is locked with the rest.
constraints:  ## lock every version, without any address
	$(PYTHON) -m venv $(VENV)
	$(PIP) install uv
	echo 'pip>=25.1' | $(BIN)/uv pip compile --quiet --universal --upgrade --python-version 3.11 \
	  --no-header --no-annotate --no-emit-index-url --group pyproject.toml:dev \
	  - pyproject.toml -o constraints.txt

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
