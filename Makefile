# What a newcomer needs is Python 3.11 or newer and make; everything else is set up in .venv by the first target that wants it.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .venv/bin
READY := .venv/ready

# The interpreter that .venv is made with: what `python3` means here if that is new enough, else the newest that is.
# Yours instead: make setup PYTHON=/path/to/python
PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$candidate" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& echo "$$candidate" && break; done)

# Tests run on as many processes as there are cores, up to four. Some of them only: make test TESTS=tests/clock
WORKERS ?= $(shell $(BIN)/python -c 'import os; print(min(4, os.cpu_count() or 1))')
TESTS ?=

.PHONY: help
help:
	@echo 'make demo    a refund agent in bad weather, its repaired twin, and the lab: leaves demo/report.html'
	@echo 'make test    the tests, with branch coverage'
	@echo 'make lint    style, types, layers'
	@echo 'make bench   what things cost'
	@echo 'make conformance  the official MCP suite against squall serve (needs npm)'
	@echo 'make docs    docs/faults.md, from its template and the code'
	@echo 'make sample  docs/sample-report.html, what a suite of the scenarios here comes to'
	@echo 'make setup   .venv with pinned versions (the others do this by themselves)'
	@echo 'make clean   away with everything that was made'

.PHONY: setup
setup: $(READY)

# The version's file is among the reasons to install again: the metadata tells what it says.
$(READY): pyproject.toml constraints.txt src/squall/version.py
	@test -n "$(PYTHON)" || { \
		echo 'squall needs Python 3.11 or newer with its venv module; neither python3 nor python3.11 to python3.14 is one.' >&2; \
		echo 'Install one (on Debian: python3 and python3-venv), or name yours: make setup PYTHON=/path/to/python' >&2; \
		exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { echo "Setting up .venv, which takes a minute or two …"; "$(PYTHON)" -m venv --clear .venv; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt hatchling editables
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $(READY)

.PHONY: demo
demo: $(READY)
	@$(BIN)/python examples/demo.py

# Coverage starts before pytest does, since the plug-in is imported by pytest itself; its patches in pyproject.toml
# bring in what runs in other processes.
.PHONY: test
test: $(READY)
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -n $(WORKERS) $(TESTS)
	@$(BIN)/coverage combine --quiet
	@$(if $(TESTS),true,$(BIN)/coverage report)

.PHONY: lint
lint: $(READY)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy src tests docs $(wildcard examples bench)
	@$(BIN)/lint-imports --no-logo

.PHONY: bench
bench: $(READY)
	@for script in $(filter-out bench/_%,$(sort $(wildcard bench/*.py))); do $(BIN)/python "$$script" || exit; done

.PHONY: conformance
conformance: $(READY)
	@bench/mcp_conformance.sh

.PHONY: docs
docs: $(READY)
	@$(BIN)/python docs/reference.py > docs/faults.md

.PHONY: sample
sample: $(READY)
	@$(BIN)/python docs/sample_report.py > docs/sample-report.html

.PHONY: clean
clean:
	@rm -rf .venv build dist .coverage .coverage.* htmlcov .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
