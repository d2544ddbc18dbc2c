#!/bin/sh
# Creates .venv from requirements.lock. Repeats in a blink when nothing changed.
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

echo "[setup 1/3] virtual environment in .venv ($("$python" -V 2>&1))"
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

total=$(grep -c '^[a-z0-9].*==' requirements.lock)
echo "[setup 2/3] $total locked packages"
install --require-hashes -r requirements.lock >>"$log" 2>&1 &
pid=$!
site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
bar() {
  done_now=$(ls -d "$site"/*.dist-info 2>/dev/null | wc -l)
  [ "$done_now" -le "$total" ] || done_now=$total
  filled=$((done_now * 30 / total))
  printf '\r            [%s%s] %s/%s ' \
    "$(printf '%*s' "$filled" '' | tr ' ' '#')" "$(printf '%*s' $((30 - filled)) '' | tr ' ' '.')" \
    "$done_now" "$total"
}
if [ -t 1 ]; then
  while kill -0 "$pid" 2>/dev/null; do bar; sleep 0.3; done
fi
if ! wait "$pid"; then
  echo
  echo "setup: installing the locked packages failed; the end of $log:" >&2
  tail -15 "$log" >&2
  exit 1
fi
[ ! -t 1 ] || { bar; echo; }

echo "[setup 3/3] penwright itself, editable"
install --no-deps --no-build-isolation -e . >>"$log" 2>&1 || {
  echo "setup: installing penwright itself failed; the end of $log:" >&2
  tail -15 "$log" >&2
  exit 1
}
.venv/bin/python -m compileall -q -j 0 schemas penwright activities workflows workers gateway || true
printf '%s' "$want" >$stamp
