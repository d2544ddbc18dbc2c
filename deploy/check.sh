#!/bin/sh
# Format, lint, layers and types; one line each. Names of stages choose some of them.
set -eu
cd "$(dirname "$0")/.."
stage() { name=$1; shift; printf '[check] %-14s' "$name"; if out=$("$@" 2>&1); then echo ok; else echo FAILED; printf '%s\n' "$out"; exit 1; fi; }
for name in ${*:-format lint layers types}; do
  case $name in
    format) stage format .venv/bin/ruff format --check . ;;
    lint) stage lint .venv/bin/ruff check . ;;
    layers) stage layers .venv/bin/lint-imports ;;
    types) stage types .venv/bin/mypy ;;
    *) echo "check: no stage is called '$name'; there are format, lint, layers and types" >&2; exit 2 ;;
  esac
done
