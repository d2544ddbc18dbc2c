#!/bin/sh
# Everything CI runs: checks, then the tests; the pure rooms first, then those with real servers.
set -eu
cd "$(dirname "$0")/.."
sh deploy/check.sh
exec .venv/bin/python -m pytest -q -n 2 --dist loadfile "$@"
