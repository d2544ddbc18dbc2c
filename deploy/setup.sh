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

# Compiled once here; otherwise every process of a fresh install spends seconds compiling before it starts.
folders=$(cd "$site" && ls -d */ | grep -v -e dist-info -e __pycache__)
count=$(echo "$folders" | wc -l)
echo "[setup 4/4] compiling $count packages, so that every start is quick"
compiled=.venv/compiled
: >"$compiled"
progress() { wc -l <"$compiled"; }
echo "$folders" | (cd "$site" && xargs -P 4 -I{} sh -c \
  '"$0" -m compileall -q "{}" >/dev/null 2>&1; echo done >>"$1"' "$PWD/../../../bin/python" "$OLDPWD/$compiled") &
pid=$!
watch "$pid" "$count" progress
wait "$pid" || true
.venv/bin/python -m compileall -q "$site"/*.py schemas penwright activities workflows workers gateway >/dev/null 2>&1 || true
printf '%s' "$want" >$stamp
