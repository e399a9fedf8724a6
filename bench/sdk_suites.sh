#!/usr/bin/env bash
# The official SDKs' own tests of their resources, against `squall model`: openai's chat completions, embeddings and
# models, anthropic's messages. Downloads the SDKs' sources with pip, which hold the tests. Exit status 0: all pass.
#
# Vectors are sent as numbers (--plain-embeddings): openai's tests validate a reply strictly before its client has turned
# base64 into numbers, so that they reject what its own provider sends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

OPENAI=3.57.0 ANTHROPIC=2.14.0
work="$(mktemp -d)"
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

python="$work/venv/bin/python"
.venv/bin/python -m venv "$work/venv"
quiet=(--quiet --disable-pip-version-check)
"$python" -m pip install "${quiet[@]}" hatchling hatch-fancy-pypi-readme
for sdk in "openai==$OPENAI" "anthropic==$ANTHROPIC"; do
  "$python" -m pip download "${quiet[@]}" --no-deps --no-binary :all: --no-build-isolation --dest "$work" "$sdk"
done
for archive in "$work"/*.tar.gz; do tar -xzf "$archive" -C "$work"; done
"$python" -m pip install "${quiet[@]}" --no-build-isolation "$work/openai-$OPENAI" "$work/anthropic-$ANTHROPIC"
"$python" -m pip install "${quiet[@]}" aiohttp dirty-equals http-snapshot inline-snapshot nest_asyncio pytest \
  pytest-asyncio pytest-xdist respx rich time-machine

.venv/bin/python -m squall model --port 0 --plain-embeddings 2>"$work/said" &
server=$!
for _ in $(seq 100); do
  url="$(sed -n 's/.*, at \(http[^ ]*\) .*/\1/p' "$work/said")"
  [ -z "$url" ] || break
  kill -0 "$server" 2>/dev/null || { cat "$work/said" >&2; exit 1; }
  sleep 0.1
done

suite() { # folder, base URL, files
  echo "$1 against $2"
  (cd "$work/$1" && TEST_API_BASE_URL="$2" "$python" -m pytest -n0 -q -W ignore -p no:cacheprovider --durations=1 "${@:3}")
}
cases=tests/api_resources
suite "openai-$OPENAI" "$url/v1" $cases/chat/test_completions.py $cases/test_embeddings.py $cases/test_models.py
suite "anthropic-$ANTHROPIC" "$url" $cases/test_messages.py
