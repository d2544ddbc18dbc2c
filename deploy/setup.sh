#!/bin/sh
# Creates .venv from requirements.lock. Does nothing when lock and project are unchanged.
set -eu
cd "$(dirname "$0")/.."
unset VIRTUAL_ENV PYTHONPATH PYTHONHOME 2>/dev/null || true

stamp=.venv/.penwright-lock
want=$(cat requirements.lock pyproject.toml | cksum)
if [ -x .venv/bin/python ] && [ "$(cat $stamp 2>/dev/null || true)" = "$want" ]; then
  echo "[setup] environment is up to date"
  exit 0
fi

python=""
for candidate in python3.11 python3.12 python3.13 python3.14 python3; do
  if command -v "$candidate" >/dev/null 2>&1 &&
    "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || { echo "setup: Python 3.11 or newer is needed on PATH" >&2; exit 1; }
command -v git >/dev/null 2>&1 || { echo "setup: git is needed on PATH" >&2; exit 1; }

echo "[setup 1/4] virtual environment in .venv ($("$python" -V 2>&1))"
"$python" -m venv --clear .venv
log=.venv/setup.log
: >"$log"

# uv installs the same locked wheels many times faster than pip; without it, or when it fails, pip does.
uv=$(command -v uv || true)
if [ -z "$uv" ]; then
  sed -n '/^uv==/,/[^\\]$/p' requirements.lock >.venv/uv.lock
  if .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r .venv/uv.lock >>"$log" 2>&1; then
    uv=.venv/bin/uv
  fi
fi
with_pip() { .venv/bin/python -m pip install -q --disable-pip-version-check "$@"; }
install() {
  if [ -n "$uv" ] && "$uv" pip install -q --python .venv/bin/python "$@"; then return 0; fi
  with_pip "$@"
}

# Draws "[####....] 12/133" while process $1 runs; $2 is the total, $3 a command that prints the count so far.
watch() {
  while kill -0 "$1" 2>/dev/null; do
    [ ! -t 1 ] || draw "$2" "$($3)"
    sleep 0.3
  done
  [ ! -t 1 ] || { draw "$2" "$2"; echo; }
}
draw() {
  now=$2
  [ "$now" -le "$1" ] || now=$1
  filled=$((now * 30 / $1))
  printf '\r            [%s%s] %s/%s ' \
    "$(printf '%*s' "$filled" '' | tr ' ' '#')" "$(printf '%*s' $((30 - filled)) '' | tr ' ' '.')" "$now" "$1"
}
fail() {
  echo "setup: $1; the end of $log:" >&2
  tail -15 "$log" >&2
  exit 1
}

site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
total=$(grep -c '^[a-z0-9].*==' requirements.lock)
echo "[setup 2/4] $total locked packages"
installed() { ls -d "$site"/*.dist-info 2>/dev/null | wc -l; }
install --require-hashes -r requirements.lock >>"$log" 2>&1 &
pid=$!
watch "$pid" "$total" installed
wait "$pid" || fail "installing the locked packages failed"

echo "[setup 3/4] penwright itself, editable"
install --no-deps --no-build-isolation -e . >>"$log" 2>&1 || fail "installing penwright itself failed"

# What the demo imports is compiled here, by both cores at once: its processes start together, and each would
# compile all of it. Python compiles the rest when it is first imported.
packages="alembic anyio attr bibtexparser click cryptography git gitdb google h11 json_repair mako markdown_it nexusrpc pgvector psycopg pydantic
  pydantic_settings pygments pylatexenc rapidfuzz rich ruamel sqlalchemy starlette structlog temporalio typer uvicorn"
echo "[setup 4/4] compiling what the demo imports"
# shellcheck disable=SC2086
compile() {
  own="schemas penwright activities workflows workers gateway/cli gateway/desk"
  (cd "$site" && exec ../../../bin/python -m compileall -q -j 0 $packages) &&
    .venv/bin/python -m compileall -q -j 0 $own && .venv/bin/python -m compileall -q -l gateway
}
compile >>"$log" 2>&1 || true
printf '%s' "$want" >$stamp
