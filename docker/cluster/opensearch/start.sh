#!/bin/sh
# Starts a node in OpenSearch's own image with a read-only root file system: copies the image's configuration to /conf, which is
# writable, and puts ours over it. /cluster is this folder; /secrets contains the node's certificate and the users.
set -eu
umask 077
home=${OPENSEARCH_HOME:-/usr/share/opensearch}
conf=/conf
rm -rf "${conf:?}"/*
cp -R "$home/config/." "$conf/"
cp /cluster/opensearch.yml "$conf/opensearch.yml"
# Also removes the image's default users, whose passwords are publicly known.
rm -rf "$conf/opensearch-security"
mkdir -p "$conf/opensearch-security" "$conf/certs"
cp /cluster/security/*.yml /secrets/internal_users.yml "$conf/opensearch-security/"
cp /secrets/ca.pem /secrets/node.pem /secrets/node.key "$conf/certs/"
# Garbage collection logs would fill the memory, because the log folder is in memory.
sed -i '/-Xlog:gc/d' "$conf/jvm.options"
cd "$home"
export OPENSEARCH_PATH_CONF="$conf"
exec "$home/bin/opensearch"
