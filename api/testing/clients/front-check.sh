#!/bin/sh
# Runs nginx as the handbook's page on clients with a fixed address has it, and asks through it with unmodified clients that
# cannot be given another address. Wants root (names are changed in a mount namespace of its own), nginx, openssl, and the
# clients of README.md with tavily-mcp.
#
#   front-check.sh <port of an appliance on this machine> <key> <folder of the npm clients> <python of the others>
set -eu
port=$1 key=$2 js=$3 python=$4
here=$(cd "$(dirname "$0")" && pwd)
page=$here/../../../docs/fixed-addresses.md
work=$(mktemp -d)
cd "$work"
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | sed '/^```/d'; }
block sh >certificate.sh
sh certificate.sh 2>openssl.log
{
  echo "pid $work/nginx.pid; error_log $work/error.log; events {} http { access_log off;"
  block nginx | sed "s#/etc/nginx/#$work/#; s#127.0.0.1:8080#127.0.0.1:$port#; s#listen 443#listen 127.0.0.1:443#"
  echo "}"
} >nginx.conf
nginx -c "$work/nginx.conf"
trap 'kill "$(cat "$work/nginx.pid")"; rm -rf "$work"' EXIT
{ cat /etc/hosts; echo "127.0.0.1 api.tavily.com api.firecrawl.dev"; } >hosts
cat >ask.mjs <<'EOF'
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
const { WORK, JS, KEY, PATH } = process.env
const client = new Client({ name: "check", version: "1" })
const env = { PATH, TAVILY_API_KEY: KEY, NODE_EXTRA_CA_CERTS: `${WORK}/authority.crt` }
const args = [`${JS}/node_modules/tavily-mcp/build/index.js`]
await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }))
const found = await client.callTool({ name: "tavily_search", arguments: { query: "how do I schedule a crawl?" } })
await client.close()
if (!JSON.stringify(found).includes("schedule-a-crawl")) throw new Error("tavily-mcp found nothing")
console.log("ok   tavily-mcp")
EOF
ln -s "$here/../../../node_modules" node_modules
cat >ask.py <<'EOF'
import os
from firecrawl import Firecrawl
from tavily import TavilyClient
question, key = "how do I schedule a crawl?", os.environ["KEY"]
assert "schedule-a-crawl" in str(TavilyClient(key).search(question))
print("ok   tavily-python")
assert "schedule-a-crawl" in str(Firecrawl(api_key=key).search(question))
print("ok   firecrawl-py")
EOF
WORK=$work JS=$js KEY=$key PY=$python unshare -m sh -ec '
  mount --bind "$WORK/hosts" /etc/hosts
  node ask.mjs
  REQUESTS_CA_BUNDLE=$WORK/authority.crt "$PY" ask.py'
