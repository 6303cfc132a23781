# Two commands set everything up: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

# Images that want no bytecode would have every process compile all of it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test environment lint beforehand bench screenshots

# Measure MPI on this machine, model it, judge it, show it.
# make demo ARGS="--quick --no-serve"   SCALEWATCH_PORT=8001 make demo
demo:
	@$(PYTHON) bootstrap.py
	@$(BIN)/scalewatch demo $(ARGS)

# Everything that must hold: style, types, layers, behaviour.
# make test ARGS=--thorough   make test ARGS="tests/browser -k theme"
test:
	@$(MAKE) --no-print-directory --jobs=2 lint beforehand
	@$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile --no-loadscope-reorder --durations=10 $(ARGS)

environment:
	@$(PYTHON) bootstrap.py --dev

# What tests would wait for, made while one core checks style and types.
beforehand: environment
	@$(BIN)/python tests/system_programs.py
	-@$(BIN)/python tests/beforehand.py $(ARGS)

lint: environment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Every figure of benchmarks/README.md, measured and written to benchmarks/results.
# make bench ARGS="100 accuracy"   make bench ARGS=--quick
bench: environment
	@$(BIN)/python -m benchmarks $(ARGS)

# A picture of every page, in both themes, wide and narrow, in the folder screenshots.
# make screenshots ARGS="--url http://127.0.0.1:8000 --out docs /p/openmpi"
screenshots: environment
	@$(BIN)/python tests/browser/screenshots.py $(ARGS)
