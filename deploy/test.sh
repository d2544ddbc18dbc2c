#!/bin/sh
# Checks, then all tests but those marked `long`, which `make long` runs. Types are checked in parallel with the tests, whose first files
# mostly wait for servers.
set -eu
cd "$(dirname "$0")/.."
# The tests start hundreds of processes; with bytecode, modules are compiled once and not by each of them.
unset PYTHONDONTWRITEBYTECODE
types=$(mktemp)
beside=
trap 'kill $beside 2>/dev/null || true; rm -f "$types"' EXIT
trap 'exit 130' INT TERM

sh deploy/check.sh format lint layers dependencies

sh deploy/check.sh types >"$types" 2>&1 &
beside=$!
code=0
sh deploy/tests.sh "not long" 2 "$@" || code=$?
wait "$beside" || code=1
cat "$types"
exit "$code"
