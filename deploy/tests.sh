#!/bin/sh
# Run the tests that a mark chooses: tests.sh MARK PROCESSES [arguments of pytest].
# Failed tests run once more, alone, and are named, as long as there are at most three faults; a broken fixture is one, however many
# tests needed it. A machine that stands still for a second fails a test among thousands; a fault fails it again.
set -eu
cd "$(dirname "$0")/.."
mark=$1 processes=$2
shift 2
failed=.pytest_cache/v/cache/lastfailed
report=.pytest_cache/tests.xml
rm -f "$failed" "$report"

code=0
.venv/bin/python -m pytest -q -m "$mark" -n "$processes" --dist loadfile --no-loadscope-reorder --junitxml="$report" "$@" || code=$?
[ "$code" = 1 ] || exit "$code"
[ "$(.venv/bin/python -m tests.support.junit "$report")" -le 3 ] || exit 1
names=$(sed -n 's/^ *"\(.*\)": true,*$/\1/p' "$failed")

echo "[tests] once more, alone"
.venv/bin/python -m pytest -q -m "$mark" -p no:xdist --last-failed --last-failed-no-failures none "$@" || exit 1
printf '%s\n' "$names" | sed 's/^/[tests] UNSTEADY: failed among the others, passed alone: /'
