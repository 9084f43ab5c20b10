# Everything works on a bare machine with Python 3.11 to 3.13: each target sets up what it needs first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: help demo test test-daemon check fix ui clean lock

help:            ## show this
	@grep -E '^[a-z-]+: .*##|^[a-z-]+:  *##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

$(STAMP): pyproject.toml requirements.lock
	@PYTHON=$(PYTHON) sh tools/setup.sh $(VENV)
	@touch $@

demo: $(STAMP)   ## write the sample estate, run the whole line on it, ask it questions
	@$(BIN)/kesit demo

test: $(STAMP)   ## all tests
	@$(BIN)/python -m pytest -n 2 --dist loadfile $(ARGS)

test-daemon: $(STAMP)   ## a real Dagster daemon and web server, driven through GraphQL; some minutes
	@$(BIN)/python -m pytest -m daemon $(ARGS)

check: $(STAMP)  ## lint, format and types; changes nothing
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/basedpyright
	@mkdir -p build
	@DAGSTER_HOME=$(CURDIR) $(BIN)/dagster definitions validate -w workspace.yaml > build/validate.log 2>&1 \
		|| { cat build/validate.log; exit 1; }
	@tail -1 build/validate.log

fix: $(STAMP)    ## apply what the linter and the formatter can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

ui: $(STAMP)     ## the Dagster UI on this project
	@$(BIN)/kesit ui

clean:           ## remove everything that was generated, the sample estate and the index included
	rm -rf data/estate data/questions.jsonl data/lake data/index data/dagster .pytest_cache .ruff_cache .hypothesis build *.egg-info

lock:            ## resolve the dependencies anew and write requirements.lock
	@PYTHON=$(PYTHON) sh tools/lock.sh
