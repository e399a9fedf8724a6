#!/bin/sh
# The official MCP conformance suite against `squall serve --http`: prints a table. Fails if a scenario does that must pass.
#
# The suite (npm @modelcontextprotocol/conformance) wants Node 22; both are installed under build/bench, once.
#     bench/mcp_conformance.sh            all scenarios for servers
set -eu

SUITE=0.1.16
NODE=22
# What a world can be asked for. The others want tools, prompts and resources of names that the suite invents, or
# features that worlds do not have: docs/conformance.md says which.
WANTED="server-initialize ping tools-list tools-call-simple-text tools-call-error server-sse-multiple-streams \
dns-rebinding-protection"

root=$(cd "$(dirname "$0")/.." && pwd)
home=$root/build/bench/mcp-conformance
squall=${SQUALL:-$root/.venv/bin/squall}
case $(uname -s)-$(uname -m) in
    Linux-x86_64) platform=linux-x64 ;;
    Linux-*) platform=linux-arm64 ;;
    Darwin-x86_64) platform=darwin-x64 ;;
    *) platform=darwin-arm64 ;;
esac
if [ ! -f "$home/ready-$SUITE" ]; then
    mkdir -p "$home"
    (cd "$home" && npm install --silent --no-save "@modelcontextprotocol/conformance@$SUITE" "node-$platform@$NODE")
    touch "$home/ready-$SUITE"
fi

said=$home/said
: >"$said"  # or the address of the run before would be found there
(cd "$root/bench/worlds" && exec "$squall" serve conformance.yaml --http --port 0) 2>"$said" &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    url=$(sed -n 's/.* at \(http[^ ]*\) .*/\1/p' "$said")
    [ -n "$url" ] && break
    sleep 0.5
done
[ -n "$url" ] || { cat "$said" >&2; exit 1; }

node=$home/node_modules/node-$platform/bin/node
"$node" "$home/node_modules/@modelcontextprotocol/conformance/dist/index.js" \
    server --url "$url" --suite all -o "$home/results" >"$home/output" 2>&1 || true  # what must pass is judged below

failed=0
echo "| scenario | checks passed | failed |"
echo "|---|---|---|"
for scenario in $WANTED; do
    line=$(grep "[✓✗] $scenario: " "$home/output" || true)
    passed=$(echo "$line" | sed -n 's/.*: \([0-9]*\) passed.*/\1/p')
    bad=$(echo "$line" | sed -n 's/.*, \([0-9]*\) failed.*/\1/p')
    echo "| \`$scenario\` | ${passed:-none} | ${bad:-not run} |"
    [ "${passed:-0}" -gt 0 ] && [ "${bad:-1}" -eq 0 ] || failed=1
done
echo
echo "These are $(echo "$WANTED" | wc -w) of $(grep -c '^[✓✗] ' "$home/output") scenarios; suite $SUITE, Node $("$node" --version)."
exit $failed
