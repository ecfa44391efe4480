# `make help` lists what there is. On a new machine, `make train` and `make test` are enough: both
# set up .venv first, and again whenever pyproject.toml or constraints.txt has changed.

PYTHON  ?= python3
VENV    ?= .venv
GAME    ?= gacha
MINUTES ?= 3
SEED    ?=
RUN     ?=
ARGS    ?=
# Test processes side by side; 0 runs them in one process (for a debugger).
JOBS    ?= 2

BIN     := $(VENV)/bin
PIP     := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt
PEERS   ?= .venv-peers
PEERPIP := $(PEERS)/bin/pip install --quiet --disable-pip-version-check -c constraints.txt -c benchmarks/peers.txt
PYTEST  := $(BIN)/pytest
TORCH   := $(shell grep '^torch==' constraints.txt)
TYPING  := build/typing/tefuda
DECLARE := pyproject.toml constraints.txt

# Test processes share the cores: a thread pool in each of them would only get in the way.
TESTENV := MPLBACKEND=Agg OMP_NUM_THREADS=1 CUDA_VISIBLE_DEVICES=

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help venv train test lint format types rules test-jit test-pure test-bounds test-wheel \
        coverage bench bench-peers docs commit-checks release clean

help:  ## this list
	@echo 'Use: make TARGET [VARIABLE=value ...]'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo 'Variables: PYTHON=$(PYTHON) (3.11 or newer) VENV=$(VENV) JOBS=$(JOBS)'

# ---- installation ----
# Three stamps: the environment with torch; what training needs; everything.

$(VENV)/.torch:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(PIP) '$(TORCH)'
	@touch $@

$(VENV)/.train: $(VENV)/.torch $(DECLARE)
	$(PIP) -e '.[train,cli]'
	@touch $@

$(VENV)/.all: $(VENV)/.torch $(DECLARE)
	$(PIP) -e '.[all]'
	@touch $(VENV)/.train $@

venv: $(VENV)/.all  ## .venv with everything, for development

# ---- use ----

train: $(VENV)/.train  ## learn GAME=gacha by self-play for MINUTES=3 [SEED= RUN=folder ARGS=more options]
	$(BIN)/tefuda train $(GAME) --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(if $(RUN),--run $(RUN)) $(ARGS)

# Libraries that tefuda is compared with have an environment of their own. EnvPool exists for few
# machines; without it the comparison says that it is missing.
$(PEERS)/.all: benchmarks/peers.txt $(DECLARE)
	$(PYTHON) -m venv $(PEERS)
	$(PEERPIP) -e . matplotlib rich open-spiel 'pettingzoo[classic]' rlcard pgx jax
	-$(PEERPIP) envpool
	@touch $@

bench: $(VENV)/.all bench-peers  ## all that is measured; renews results and tables [ARGS=--quick: neither]
	$(BIN)/python benchmarks/throughput.py $(ARGS)
	$(BIN)/python benchmarks/simulations.py $(ARGS)
	$(BIN)/python benchmarks/learning.py $(ARGS)
	$(BIN)/python benchmarks/beating.py $(ARGS)
	$(BIN)/python benchmarks/growth.py $(ARGS)
	$(BIN)/python benchmarks/cold.py $(ARGS)
	$(BIN)/python benchmarks/memory.py $(ARGS)

bench-peers: $(PEERS)/.all  ## speed of other libraries beside ours, in .venv-peers [ARGS=--quick]
	$(PEERS)/bin/python benchmarks/peers.py $(ARGS)

docs: $(VENV)/.all  ## the site, in build/site
	$(BIN)/python -m sphinx -q -W --keep-going docs build/site

# ---- checks ----

commit-checks: lint types rules  ## what takes a minute: before every commit

# test-jit comes last: it runs every test, and its closing line ends the output.
test: lint types rules test-wheel test-pure test-bounds test-jit  ## all that continuous integration runs

lint: $(VENV)/.all  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.all  ## ruff: mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.all $(TYPING)/envs $(TYPING)/wrappers $(TYPING)/training  ## mypy and pyright
	$(BIN)/mypy
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --pythonpath $(BIN)/python

# Type checkers find the packages through these links (see pyproject.toml).
$(TYPING)/%:
	@mkdir -p $(TYPING)
	@ln -sfn ../../../$* $@

rules: $(VENV)/.all  ## every rule of every game is named by a test
	$(BIN)/python tests/rule_ids.py

test-jit: $(VENV)/.all  ## all tests, kernels compiled [ARGS=...]
	$(TESTENV) $(PYTEST) -n $(JOBS) --dist worksteal $(ARGS)

test-pure: $(VENV)/.all  ## the tests marked pure, kernels as plain Python
	$(TESTENV) NUMBA_DISABLE_JIT=1 $(PYTEST) -n $(JOBS) --dist worksteal -m pure $(ARGS)

# Code compiled with and without index checks must not meet in one cache.
test-bounds: $(VENV)/.all  ## the tests marked bounds, array indices checked
	@rm -rf build/numba-bounds
	$(TESTENV) NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/build/numba-bounds \
	  $(PYTEST) -n $(JOBS) --dist worksteal -m bounds $(ARGS)

test-wheel: $(VENV)/.all  ## build, install in a new environment, test outside the repository
	$(TESTENV) $(BIN)/python tests/check_wheel.py

coverage: $(VENV)/.all  ## lines that the tests marked pure reach (compiled code is invisible)
	@mkdir -p build
	$(TESTENV) NUMBA_DISABLE_JIT=1 $(BIN)/coverage run $(PYTEST) -m pure $(ARGS)
	$(BIN)/coverage report

# ---- release ----

release: test-wheel  ## sdist and wheel in build/dist, both tested
	@ls -l build/dist

# ---- tidying ----

clean:  ## remove what was built and cached (not .venv, not runs/)
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .coverage
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
