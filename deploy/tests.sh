#!/bin/sh
# Run the tests that a mark chooses: tests.sh MARK PROCESSES [arguments of pytest].
# Up to three that fail run once more, alone, and are named. A machine that stands still for a second fails a test among thousands;
# a fault fails it again.
set -eu
cd "$(dirname "$0")/.."
mark=$1 processes=$2
shift 2
failed=.pytest_cache/v/cache/lastfailed
rm -f "$failed"

code=0
.venv/bin/python -m pytest -q -m "$mark" -n "$processes" --dist loadfile --no-loadscope-reorder "$@" || code=$?
[ "$code" = 1 ] || exit "$code"
names=$(sed -n 's/^ *"\(.*\)": true,*$/\1/p' "$failed")
[ "$(printf '%s\n' "$names" | wc -l)" -le 3 ] || exit 1

echo "[tests] once more, alone"
.venv/bin/python -m pytest -q -m "$mark" -p no:xdist --last-failed --last-failed-no-failures none "$@" || exit 1
printf '%s\n' "$names" | sed 's/^/[tests] UNSTEADY: failed among the others, passed alone: /'
