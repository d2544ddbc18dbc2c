# `make demo` and `make test` need only Python >= 3.11, git and make.
.PHONY: setup demo test long check fmt crash sweep bench lock clean

PY := .venv/bin/python

setup:
	@sh deploy/setup.sh

demo:
	@began=$$(date +%s); sh deploy/setup.sh && ready=$$(date +%s) && $(PY) -m gateway demo && \
	  echo "set-up $$((ready - began)) s, demo $$(($$(date +%s) - ready)) s"

# TESTS names files of tests, or options of pytest; without it, all run.
test: setup
	@$(PY) -m tests.support.cpu_time sh deploy/test.sh $(TESTS)

long: setup
	@sh deploy/real_model.sh
	@$(PY) -m tests.support.cpu_time sh deploy/tests.sh long 2 $(TESTS)

check: setup
	@sh deploy/check.sh

fmt: setup
	@$(PY) -m ruff format -q . && $(PY) -m ruff check -q --fix .

crash: setup
	@PENWRIGHT_CRASH=long $(PY) -m pytest tests/crash tests/activities/test_two_machines.py -p no:xdist -q

sweep: setup
	@PENWRIGHT_SWEEP=long $(PY) -m pytest tests/domain tests/agents tests/roles tests/activities tests/adapters tests/gateway/desk tests/gateway/ui/test_keys.py -n 2 -q --timeout 0

bench: setup
	@$(PY) -m tests.bench

lock:
	uv pip compile pyproject.toml --extra documents --group dev --generate-hashes --universal --python-version 3.11 \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links -q -o requirements.lock
	uv pip compile deploy/real-model.in --no-deps --generate-hashes --universal --python-version 3.11 \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links -q -o deploy/real-model.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
