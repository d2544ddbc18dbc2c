#!/bin/sh
# Checks, then all tests but those marked `long`, which `make long` runs. Types are checked in parallel with the tests, whose first files
# mostly wait for servers; for the same reason three test processes share two cores.
set -eu
cd "$(dirname "$0")/.."
# The tests start hundreds of processes; with bytecode, modules are compiled once and not by each of them.
unset PYTHONDONTWRITEBYTECODE
sh deploy/check.sh format lint layers dependencies

types=$(mktemp)
sh deploy/check.sh types >"$types" 2>&1 &
checking=$!
trap 'kill "$checking" 2>/dev/null || true; rm -f "$types"' EXIT
trap 'exit 130' INT TERM

code=0
.venv/bin/python -m pytest -q -m "not long" -n 3 --dist loadfile --no-loadscope-reorder "$@" || code=$?
wait "$checking" || code=1
cat "$types"
exit "$code"
