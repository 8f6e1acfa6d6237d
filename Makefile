# run opens the manager, test runs the tests, faults tries every kill point and refused disk call,
# test-pi every supported pi, lint checks form, types and import contracts, bench measures.
VENV := .venv
PYTHON := $(VENV)/bin/python
ARGS ?=

.PHONY: run test test-pi faults lint format bench screenshots clean

run: $(VENV)/.installed
	@$(VENV)/bin/pimem $(ARGS)

test: $(VENV)/.dev
	$(PYTHON) -m pytest

test-pi: $(VENV)/.dev
	$(PYTHON) -m pytest tests/pi --pi-all

faults: $(VENV)/.dev
	PIMEM_FAULTS=1 $(PYTHON) -m pytest tests/faults

lint: $(VENV)/.dev
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

format: $(VENV)/.dev
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

bench: $(VENV)/.dev
	$(PYTHON) -m pip install --quiet --group bench
	$(PYTHON) -m benchmarks $(ARGS)

screenshots: $(VENV)/.dev
	$(PYTHON) screenshots/make.py

$(VENV)/.python:
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.installed: $(VENV)/.python pyproject.toml
	$(PYTHON) -m pip install --quiet --editable .
	@# An editable install is not compiled, and a hook would pay for that on every prompt.
	@$(PYTHON) -m compileall -q core tui styles extension
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(PYTHON) -m pip install --quiet --group dev
	@touch $@

clean:
	rm -rf $(VENV) build dist
