#!/bin/sh
# Format, lint, types and layers; one line each.
set -eu
cd "$(dirname "$0")/.."
stage() { name=$1; shift; printf '[check] %-14s' "$name"; if out=$("$@" 2>&1); then echo ok; else echo FAILED; printf '%s\n' "$out"; exit 1; fi; }
stage format .venv/bin/ruff format --check .
stage lint .venv/bin/ruff check .
stage types .venv/bin/mypy
stage layers .venv/bin/lint-imports
