#!/bin/sh
# Format, lint, layers, dependencies and types; one line each. Names of stages choose some of them.
set -eu
cd "$(dirname "$0")/.."
stage() { name=$1; shift; printf '[check] %-14s' "$name"; if out=$("$@" 2>&1); then echo ok; else echo FAILED; printf '%s\n' "$out"; exit 1; fi; }
for name in ${*:-format lint layers dependencies types}; do
  case $name in
    format) stage format .venv/bin/ruff format --check . ;;
    lint) stage lint .venv/bin/ruff check . ;;
    layers) stage layers .venv/bin/lint-imports ;;
    dependencies) stage dependencies .venv/bin/deptry . ;;
    types) stage types .venv/bin/mypy ;;
    *) echo "check: unknown stage '$name'; the stages are format, lint, layers, dependencies and types" >&2; exit 2 ;;
  esac
done
