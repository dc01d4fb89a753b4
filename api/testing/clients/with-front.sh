#!/bin/sh
# Runs a command with api.tavily.com and api.firecrawl.dev pointing to an appliance on this machine, as the handbook's section on clients with
# a fixed address describes: nginx uses a certificate from an authority that the command trusts. Needs root (host names are changed in a
# separate mount namespace), nginx and openssl.
#
#   with-front.sh <port of the appliance> <command> [<argument>…]
set -eu
port=$1
shift
page=$(cd "$(dirname "$0")" && pwd)/../../../docs/clients.md
FRONT=$(mktemp -d)
export FRONT
section() { sed -n '/^## Clients with a fixed address$/,/^## /p' "$page"; }
block() { section | sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" | sed '/^```/d'; }
block sh >"$FRONT/certificate.sh"
(cd "$FRONT" && sh certificate.sh 2>openssl.log)
{
  echo "pid $FRONT/nginx.pid; error_log $FRONT/error.log; events {} http { access_log off;"
  block nginx | sed "s#/etc/nginx/#$FRONT/#; s#127.0.0.1:8080#127.0.0.1:$port#; s#listen 443#listen 127.0.0.1:443#"
  echo "}"
} >"$FRONT/nginx.conf"
nginx -c "$FRONT/nginx.conf"
trap 'kill "$(cat "$FRONT/nginx.pid")"; rm -rf "$FRONT"' EXIT
{ cat /etc/hosts; echo "127.0.0.1 api.tavily.com api.firecrawl.dev"; } >"$FRONT/hosts"
export NODE_EXTRA_CA_CERTS="$FRONT/authority.crt" REQUESTS_CA_BUNDLE="$FRONT/authority.crt" SSL_CERT_FILE="$FRONT/authority.crt"
unshare -m sh -ec 'mount --bind "$FRONT/hosts" /etc/hosts; exec "$@"' sh "$@"
