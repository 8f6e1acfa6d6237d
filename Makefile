# run opens the manager, test runs the tests, faults tries every kill point and refused disk call,
# test-pi every supported pi, test-clocks other dates and zones, lint checks form, types, import
# contracts and circles, wheel-check an installation from the wheel, bench measures, lock takes the
# newest versions of the dependencies.
VENV := .venv
PYTHON := $(VENV)/bin/python
# The versions that were tested together.
INSTALL := $(PYTHON) -m pip install --quiet --constraint constraints.txt
ARGS ?=

.PHONY: run test test-core test-fronts test-clocks test-pi faults lint format wheel-check bench \
	screenshots lock clean

run: $(VENV)/.installed
	@$(VENV)/bin/pimem $(ARGS)

# Coverage slows Python down, so it is measured where the core itself is tested.
FRONTS := tests/tui tests/pi tests/faults

test: test-core test-fronts

test-core: $(VENV)/.dev
	$(PYTHON) -m pytest $(FRONTS:%=--ignore=%) --cov

test-fronts: $(VENV)/.dev
	$(PYTHON) -m pytest $(FRONTS)

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

wheel-check: $(VENV)/.dev
	$(PYTHON) -m checks.wheel

bench: $(VENV)/.dev
	$(INSTALL) --group bench
	$(PYTHON) -m benchmarks $(ARGS)

screenshots: $(VENV)/.dev
	$(PYTHON) screenshots/make.py

$(VENV)/.python:
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.installed: $(VENV)/.python pyproject.toml constraints.txt
	$(INSTALL) --editable .
	@# An editable install is not compiled, and a hook would pay for that on every prompt.
	@$(PYTHON) -m compileall -q core tui styles extension
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(INSTALL) --group dev
	@touch $@

lock:
	python3 -m venv --clear build/lock
	build/lock/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	build/lock/bin/python -m pip install --quiet --editable . --group dev --group bench
	echo '# The versions that are tested together, written by `make lock`.' > constraints.txt
	build/lock/bin/python -m pip freeze --exclude-editable >> constraints.txt

clean:
	rm -rf $(VENV) build dist
