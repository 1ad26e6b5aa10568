# Every target makes .venv by itself the first time, and again when pyproject.toml or constraints.txt change.
# Needs git, make and a Python 3.11 or later with venv. No root.

.DEFAULT_GOAL := help
.PHONY: help where install demo test fast check gates slow servers bench faults nightly pairs forgeries injections fuzz costs screenshots contracts lock sbom audit image-check

# Compiled modules are made at once and kept: without them each process of a command or test compiles them again.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# `make PYTHON=/path/to/python3.12 install` names the interpreter.
CANDIDATES := $(or $(PYTHON),python3.11 python3.12 python3.13 python3)

help: ## List the targets.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1@\2/p' $(MAKEFILE_LIST) | tr '@' '\t' | expand -t 20

where: $(STAMP) ## Where to change what: WORDS="dead letter" names the rooms and files that speak of both.
	@$(BIN)/python -m tests.where $(WORDS)

install: $(STAMP) ## Make .venv with everything: then .venv/bin/sqlassay runs.

demo: $(STAMP) ## Score the samples, print the report and serve until Ctrl-C; ONCE=1 exits after the report.
	@$(BIN)/sqlassay demo $(if $(filter-out 0,$(ONCE)),--once)

test: $(STAMP) ## Run all tests but the slow ones, in parallel; ARGS="-k name" narrows them.
	@$(BIN)/pytest --numprocesses $(or $(WORKERS),auto) --dist worksteal -m "not slow" $(ARGS)

fast: $(STAMP) ## One room in seconds, without servers, databases and campaigns: ROOM=scoring.
	@$(BIN)/pytest --numprocesses $(or $(WORKERS),auto) --dist worksteal -m "not slow and not campaign and not servers and not database" $(wildcard $(ROOM) tests/$(ROOM)) $(ARGS)

check: gates test ## The gates, then make test.

gates: $(STAMP) ## Lint, format, types and import contracts.
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports

# Most slow tests wait for servers, so two of them share a processor. pytest ends with 5 where ARGS selects no test.
slow: $(STAMP) ## The slow tests: delivery under kills and outages, and other campaigns; ARGS="-k name" narrows them.
	@$(BIN)/pytest --numprocesses $(or $(WORKERS),$(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN))) --dist worksteal -m "slow and not alone and not nightly" --durations=20 $(ARGS) || [ $$? = 5 ]
	@$(BIN)/pytest -m "slow and alone and not nightly" --durations=20 $(ARGS) || [ $$? = 5 ]

servers: $(STAMP) ## Install the servers that some tests need: Kafka, Redis, PostgreSQL 15, Prometheus, Chromium (Debian, root).
	@$(BIN)/python -m tests.servers

bench: $(STAMP) ## Measure the scorer on one core; FILE=events.jsonl names other input than the samples.
	@$(BIN)/sqlassay bench scoring $(FILE)

faults: $(STAMP) ## Faults of every server, network and worker under load, and a table; CELLS="kafka-* redis-kill" narrows.
	@SQLASSAY_TEST_CELLS="$(or $(CELLS),*)" $(BIN)/pytest -q tests/delivery/test_faults.py $(ARGS)

nightly: $(STAMP) ## The slow tests of delivery, alerts and pages at their full counts, and bench stream; records the figures of docs/benchmarks.md.
	@PYTHONPATH=. $(BIN)/python tests/delivery/nightly.py

pairs: $(STAMP) ## Random pairs of queries: search, proof and SQLite must agree; N=3400 a kind (three kinds) by default.
	@SQLASSAY_TEST_PAIRS=$(or $(N),3400) $(BIN)/pytest tests/references/test_random_pairs.py tests/references/test_random_dates.py

forgeries: $(STAMP) ## Answers that forge their evidence, each beside its honest one: print what they get.
	@$(BIN)/python -m tests.scoring.forgery

fuzz: $(STAMP) ## Fuzz all that reads a tenant's text, for MINUTES=2; with atheris where it has a wheel.
	@$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),2) $(ARGS)

screenshots: $(STAMP) ## Make the pictures of docs/console.md from the demo's answers, with Chromium.
	@$(BIN)/python -m tests.pages.screenshots

costs: $(STAMP) ## What the largest event of each generator costs, as a table; ARGS="joins unions" selects some.
	@$(BIN)/python -m tests.scoring.cost $(ARGS)

injections: $(STAMP) ## Orders to a model that obeys, in every place of an answer: print what they get.
	@$(BIN)/pytest -q -s -n 0 tests/service/test_injections.py

invariance: $(STAMP) ## How far rewrites that keep the meaning move p_correct: write the table of docs/trust.md; ARGS="--worst 20" prints pairs.
	@$(BIN)/python -m tests.scoring.invariance --write $(ARGS)

.PHONY: mining
mining: $(STAMP) ## What mined rules change on labels that gave none of them: write the table of docs/learning.md (development data); ARGS="--every 4" uses fewer.
	@$(BIN)/python -m tests.learning.mining_effect --write $(ARGS)

.PHONY: study
study: $(STAMP) ## Ten published agents through EX-TEST, search and proof: write the tables of docs/study.md (development data).
	@$(BIN)/python -m tests.evals.development_study --write $(ARGS)

.PHONY: peers
peers: $(STAMP) ## Judge labelled answers with other evaluators beside ours: write the tables of docs/peers.md (development data, a package index); ARGS="--every 4" judges fewer.
	@$(BIN)/python -m tests.peers $(ARGS)

.PHONY: api-fuzz
api-fuzz: $(STAMP) ## Try the API with schemathesis against its OpenAPI document; SECONDS=600 by default.
	@SQLASSAY_TEST_FUZZ_SECONDS=$(or $(SECONDS),600) $(BIN)/pytest -m slow tests/service/test_openapi.py

contracts: $(STAMP) ## Write docs/contracts and what is generated in docs: benchmarks, commands, reasons.
	@$(BIN)/python -m service.contracts.write
	@$(BIN)/python -m tests.command_usage

# Versions stay as they are unless ARGS says otherwise. uv does not read pip's settings, so an index is passed on.
RESOLVE = $(BIN)/uv pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 --generate-hashes --no-annotate \
  --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' \
  $(if $(PIP_INDEX_URL),--default-index $(PIP_INDEX_URL))

lock: $(STAMP) ## Pin what pyproject.toml asks for, with hashes; ARGS="--upgrade" or ARGS="--upgrade-package NAME" takes newer versions.
	@$(RESOLVE) $(ARGS) pyproject.toml --extra dev --extra fuzz -o constraints.txt
	@$(RESOLVE) -c constraints.txt pyproject.toml --extra msk --extra service --extra telemetry --extra verify -o deploy/image/packages.txt
	@echo hatchling | $(RESOLVE) -c constraints.txt - -o deploy/image/build-packages.txt

sbom: $(STAMP) ## Write the bill of materials of the image, CycloneDX 1.6, to dist/sbom.json; OUT=FILE names another file.
	@mkdir -p dist
	@$(BIN)/cyclonedx-py requirements deploy/image/packages.txt --pyproject pyproject.toml --of JSON --sv 1.6 --validate \
	  -o $(or $(OUT),dist/sbom.json) 2>/dev/null

audit: $(STAMP) ## Look up every pinned package for known vulnerabilities; exit code 3 where that cannot be looked up.
	@$(BIN)/python -m tests.supply.audit

image-check: $(STAMP) ## Build the image's file system without a container engine and run it read-only as its user (Debian, root).
	@$(BIN)/python -m tests.supply.image_check

$(STAMP): pyproject.toml constraints.txt
	@set -eu; \
	if ! $(BIN)/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	  found=; \
	  for python in $(CANDIDATES); do \
	    if "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	      found=$$python; break; \
	    fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo "No Python 3.11 or later with the venv module among: $(CANDIDATES)." >&2; \
	    echo "On Debian and Ubuntu: apt install python3 python3-venv (Debian 12: python3.11-venv)." >&2; \
	    echo "Or name one: make PYTHON=/path/to/python3.12 install" >&2; \
	    exit 1; \
	  fi; \
	  echo "Making $(VENV) with $$found"; \
	  "$$found" -m venv --clear $(VENV); \
	fi; \
	echo "Installing the pinned packages into $(VENV)"; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r constraints.txt; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .; \
	$(BIN)/python -m compileall -q sqlassay scoring references learning consumers evals service migrations; \
	touch $(STAMP)
