# Every command of the book. `make` alone lists them; `make book` and `make test` start from nothing but
# Python 3.11 and git.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help assignments slides book print publish test check full real grade lab data reproduce bench counterfactuals mutants calibrate certificates sync constraints execute compare clean

PYTHON ?= python3
JOBS   ?= 2
BIN    := .venv/bin
READY  := .venv/.ready
PYTEST := $(BIN)/python -m pytest
NBVAL  := PYTHONPATH=tests/chapters $(BIN)/python tools/warm.py $(PYTEST) -p count_comparisons @tests/chapters/nbval.args
# A file of tests is one process's: some look at what was made once for all of them. In the order of the folders: what
# takes longest comes early, and short files fill the end. One process more than cores: many tests wait for others.
# Plugins that no unit test needs take each process seconds.
UNIT   := tests lib --doctest-modules --ignore=tests/chapters --ignore=tests/site -n $(shell expr $(JOBS) + 1) \
          --dist loadfile --no-loadscope-reorder -p no:nbval -p no:anyio -p no:benchmark
# A page of the site is one process's, too, so that it is opened once (tests/site/conftest.py).
SITE   := -n $(JOBS) --no-loadscope-reorder
# What the evidence said, for the page of the register; what the slowest tests cost, for the page on the book's status.
KEPT   := -p privbook.evidence --evidence build/evidence.json --seconds build/seconds.csv

# Graphs that were downloaded here do not take the place of synthetic Cora.
NO_GRAPHS := PRIVGRAPH_DATA= PRIVGRAPH_CACHE=$(CURDIR)/build/no-graphs

# One thread a process, sleeping when idle: two notebooks at a time are faster than one with two threads,
# and threads that spin make a busy machine many times slower.
export OMP_NUM_THREADS := 1
export OMP_WAIT_POLICY := PASSIVE
# The kernels run in other folders.
ifneq ($(PRIVGRAPH_DATA),)
export PRIVGRAPH_DATA := $(abspath $(PRIVGRAPH_DATA))
else
unexport PRIVGRAPH_DATA
endif
# A backend set outside would swallow the figures of the chapters.
unexport MPLBACKEND
# Pytest rewrites each file of tests once, not in each process again.
unexport PYTHONDONTWRITEBYTECODE
# The pages show the ledger of this repository.
unexport PRIVGRAPH_RESULTS
# The log is for the book: pip need not say that there is a newer pip, or who may run it.
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

book: execute  ## environment and site, from nothing: book/_build/html/index.html
	$(build-site)

# The browser first: who has none need not wait for the chapters to hear of it.
print: $(READY)  ## the whole book as one PDF, without solutions: book/_build/print (needs chromium)
	$(BIN)/python tools/print.py --look
	$(BIN)/python tools/execute.py
	$(build-site)
	$(BIN)/python tools/print.py

publish: $(READY)  ## TO=folder: the book as a static host serves it, if the site is what was meant
	$(if $(TO),,$(error say where to: make publish TO=folder))
	$(BIN)/python tools/execute.py
	$(build-site)

# mypy and the chapters' tests run beside the build of the site: each of the two keeps one core busy.
test: $(READY)  ## what a change must pass: unit tests, pairs, chapters executed, site and its tests; 20 to 25 minutes
	$(BIN)/ruff check
	mkdir -p build
	$(PYTEST) $(UNIT) $(KEPT) -m "not full"
	$(BIN)/python tools/sync.py --check
	$(BIN)/python tools/execute.py
	($(BIN)/mypy && $(PYTEST) tests/chapters && $(BIN)/python tools/vary.py --lot --jobs 1) & beside=$$!; ($(build-site)) && built=0 || built=$$?; \
	wait $$beside && exit $$built
	$(PYTEST) tests/site $(SITE) -m "not full"

check: $(READY)  ## while working: quick tests that look at what changed since main, under 90 seconds
	$(BIN)/ruff check
	$(BIN)/mypy
	$(PYTEST) $(UNIT) --changed -m "not slow and not full and not browser"

full: $(READY)  ## before an issue ends: what `test` runs, what it draws by lot or leaves out, and the site on real graphs
	$(MAKE) test compare $(NO_GRAPHS)
	$(BIN)/python tools/seconds.py
	$(PYTEST) $(UNIT) -m full --seconds build/seconds.csv
	$(BIN)/python tools/seconds.py
	$(PYTEST) tests/site $(SITE) -m full
	$(BIN)/python tools/vary.py --jobs $(JOBS)
	$(BIN)/python tools/mutate.py --jobs $(JOBS) --sample 100
	$(BIN)/python tools/wheel.py --jobs $(JOBS)
	$(if $(PRIVGRAPH_DATA),$(MAKE) real,@echo "without PRIVGRAPH_DATA the site was built on synthetic Cora only")

real: book  ## the site on the graphs of PRIVGRAPH_DATA, and the tests that depend on the numbers of its pages
	$(PYTEST) tests/site/test_static.py tests/site/test_tables.py tests/site/test_layout.py $(SITE) -k chapters

assignments: $(READY)  ## the students' notebooks and archive, and the teachers' bundle: build/assignments
	$(BIN)/python tools/assignments.py

slides: execute  ## a deck of slides for each page, of its headings and figures: build/slides
	$(BIN)/python tools/slides.py

grade: $(READY)  ## DIR=submissions (STUDENT/ASSIGNMENT.ipynb): marks and feedback into TO=graded
	$(if $(DIR),,$(error say which folder: make grade DIR=submissions))
	$(BIN)/privbook classroom grade $(DIR) --to $(or $(TO),graded) --workers $(JOBS) $(if $(TRUST),--trust-submissions)

lab: $(READY)  ## the chapters as notebooks to change, in JupyterLab: notebooks/
	$(BIN)/python tools/notebooks.py
	$(BIN)/jupyter lab notebooks

data: $(READY)  ## which graphs are at hand; NAME=cora downloads one
	$(BIN)/privgraph data $(NAME)

reproduce: $(READY)  ## run what is missing of the long experiments; stop and go on at will
	$(BIN)/privbook reproduce all --workers $(JOBS)

counterfactuals: $(READY)  ## each test of evidence in a world in which its claim is otherwise, where it must fail
	$(BIN)/python tools/counterfactuals.py --jobs $(JOBS)

mutants: $(READY)  ## change each number and comparison of the privacy code: a test must notice; MODULE=privacy/dominating_pairs.py for one
	$(BIN)/python tools/mutate.py --jobs $(JOBS) $(if $(MODULE),--module $(MODULE))

calibrate: $(READY)  ## how closely synthetic Cora matches Cora; PRIVGRAPH_DATA=folder with cora.npz
	$(BIN)/python tools/calibrate_cora.py

certificates: $(READY)  ## decide the statements for every epsilon anew, and write book/certificates
	$(BIN)/python tools/certify.py

bench: $(READY)  ## speed and scale, ratios within one run; on an idle machine
	$(BIN)/python benchmarks/scale.py
	$(PYTEST) benchmarks -q -o python_files='bench_*.py' --benchmark-columns=median

sync: $(READY)  ## write each chapter's .py from its .md, the pages of assignments, and the addresses of _config.yml
	$(BIN)/python tools/sync.py
	$(BIN)/python tools/addresses.py
	$(BIN)/python tools/assignments.py --pages

execute: $(READY)  ## run the chapters whose cells, library or data changed, each once, as a test
	$(BIN)/python tools/execute.py

compare: execute  ## run each chapter a second time: every printed text must be the same
	$(NBVAL) --count-to build/nbval.json -n $(JOBS) --dist loadfile build/executed
	$(PYTEST) tests/chapters/test_nbval.py

# For the oldest Python that the book promises, Debian 12's 3.11.2, whatever Python resolves.
constraints:  ## resolve requirements.txt anew in a fresh environment and write constraints.txt
	$(PYTHON) -m venv --clear build/resolve
	build/resolve/bin/pip install --quiet uv
	$(UV_ENV) build/resolve/bin/uv pip install --python build/resolve/bin/python --python-version 3.11.2 -r requirements.txt setuptools
	{ echo "# Everything requirements.txt pulls in, written by 'make constraints'. Without torch's local"; \
	  echo "# suffix, so that it resolves everywhere; what a CUDA wheel adds to it is left free."; \
	  build/resolve/bin/uv pip freeze --python build/resolve/bin/python | sed '/^pip==/d; s/+cpu$$//'; } > constraints.txt
	rm -rf build/resolve

clean:  ## remove the environment and everything built
	rm -rf .venv build book/_build .mypy_cache .pytest_cache .hypothesis .benchmarks lib/*.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +

# uv resolves in seconds what takes pip minutes, but does not read pip's own setting for local wheels.
UV_ENV := $(if $(PIP_FIND_LINKS),UV_FIND_LINKS="$(PIP_FIND_LINKS)")

# Compiled at once (--compile-bytecode): otherwise the first imports take three times as long. The last line lets
# matplotlib collect its fonts now: the first chapter would print a warning about it.
$(READY): requirements.txt constraints.txt pyproject.toml lib/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet --constraint constraints.txt uv
	$(UV_ENV) $(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode -r requirements.txt -c constraints.txt setuptools
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e . -e lib
	$(BIN)/python -c "import matplotlib.font_manager"
	touch $@

# From scratch each time, which costs seconds as the chapters come from the cache: an incremental build reports no
# warning for a page that did not change, and keeps a page whose numbers did. That a build ends well says little:
# then the site is looked at.
build-site = rm -rf book/_build && \
	$(BIN)/jupyter-book build . -q -W -n --keep-going --path-output book && \
	$(BIN)/python tools/published.py $(if $(filter publish,$@),--to "$(TO)")
