# run opens the manager, test runs the tests, faults tries every kill point and refused disk call,
# test-pi every supported pi, test-clocks other dates and zones, lint checks form, types, import
# contracts and circles, bench measures.
VENV := .venv
PYTHON := $(VENV)/bin/python
ARGS ?=

.PHONY: run test test-clocks test-pi faults lint format bench screenshots clean

run: $(VENV)/.installed
	@$(VENV)/bin/pimem $(ARGS)

test: $(VENV)/.dev
	$(PYTHON) -m pytest

# The last moments of a leap day, of a month and of a year, each in another zone; the dates of files
# and of child processes move along. It needs Linux and a C compiler.
CLOCKS := 2028-02-29T23:58:00Z,America/St_Johns 2027-01-31T23:58:00Z,UTC \
	2025-12-31T09:58:00Z,Pacific/Kiritimati

test-clocks: $(VENV)/.dev $(VENV)/shifted.so
	@for clock in $(CLOCKS); do \
		echo "$$clock"; \
		TZ=$${clock#*,} LD_PRELOAD=$(abspath $(VENV))/shifted.so \
		SHIFT_S=$$(($$(date -d $${clock%,*} +%s) - $$(date +%s))) \
		$(PYTHON) -m pytest --ignore tests/pi --ignore tests/faults $(ARGS) || exit 1; \
	done

$(VENV)/shifted.so: tests/clock/shifted.c | $(VENV)/.python
	$(CC) -Wno-attribute-alias -shared -fPIC -O1 -o $@ $<

test-pi: $(VENV)/.dev
	$(PYTHON) -m pytest tests/pi --pi-all

faults: $(VENV)/.dev
	PIMEM_FAULTS=1 $(PYTHON) -m pytest tests/faults

lint: $(VENV)/.dev
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(PYTHON) -m checks.structure

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
