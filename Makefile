# Two commands are all a newcomer needs: `make compare` and `make test`.
# Both work on a bare machine with Python 3.11 and make.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
JOBS ?= 8
ARGS ?=

PACKAGES := ossia servers/ossia_servers dataset/ossia_dataset workflows/ossia_workflows evaluation/ossia_evaluation adapters/sdk/ossia_adapter
FORMATTED := $(PACKAGES) adapters tests benchmarks

.PHONY: compare test test-finetune validate bench check serve install install-dev adapters lock format clean

compare: adapters
	ossia compare $(ARGS)

test: install-dev
	ossia adapter install --all
	pytest -n 2 --dist loadgroup $(ARGS)

test-finetune: install-dev
	$(PYTHON) -m venv .venv-finetune
	.venv-finetune/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,finetune]'
	ossia adapter install control
	.venv-finetune/bin/python -m pytest -q tests/ossia/finetune tests/servers/local $(ARGS)

# Seed 0 is the one that the attributor's rules were developed on, so it proves nothing.
validate: adapters
	ossia attribute --validate --seed 53 --jobs $(JOBS) $(ARGS); planted=$$?; \
	ossia attribute --validate --wild --seed 53 --jobs $(JOBS) $(ARGS) && exit $$planted

check: install-dev
	ruff check $(FORMATTED)
	ruff format --check $(FORMATTED)
	mypy $(PACKAGES) benchmarks
	pytest -q tests/test_imports.py

bench: install-dev
	ossia adapter install --all
	python -m benchmarks $(ARGS)

serve: install
	ossia serve $(ARGS)

install: $(BIN)/.runtime

install-dev: $(BIN)/.dev

adapters: install
	ossia adapter install --all

$(BIN)/uv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@echo "created $(VENV) with uv"

$(BIN)/.runtime: $(BIN)/uv requirements.lock pyproject.toml
	uv pip install --python $(BIN)/python --quiet --require-hashes -r requirements.lock
	uv pip install --python $(BIN)/python --quiet --no-deps -e .
	@touch $@
	@echo "installed ossia and its pinned dependencies"

$(BIN)/.dev: $(BIN)/.runtime requirements-dev.lock
	uv pip install --python $(BIN)/python --quiet --require-hashes -r requirements-dev.lock
	@touch $@
	@echo "installed the pinned test and check tools"

lock: $(BIN)/uv
	uv pip compile -q --universal --generate-hashes --no-header pyproject.toml -o requirements.lock
	uv pip compile -q --universal --generate-hashes --no-header --extra dev pyproject.toml -o requirements-dev.lock

format: install-dev
	ruff check --fix $(FORMATTED)
	ruff format $(FORMATTED)

clean:
	rm -rf $(VENV) .ossia
