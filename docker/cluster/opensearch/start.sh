#!/bin/sh
# Starts a node in OpenSearch's own image, whose root file system is read-only: the configuration of the image is copied to /conf,
# which can be written to, and ours is laid over it. /cluster is this folder, /secrets has the node's certificate and the users.
set -eu
umask 077
home=${OPENSEARCH_HOME:-/usr/share/opensearch}
conf=/conf
rm -rf "${conf:?}"/*
cp -R "$home/config/." "$conf/"
cp /cluster/opensearch.yml "$conf/opensearch.yml"
# The image's users, whose passwords everybody knows, among them.
rm -rf "$conf/opensearch-security"
mkdir -p "$conf/opensearch-security" "$conf/certs"
cp /cluster/security/*.yml /secrets/internal_users.yml "$conf/opensearch-security/"
cp /secrets/ca.pem /secrets/node.pem /secrets/node.key "$conf/certs/"
# Logs of garbage collection would fill the memory that the folder of logs is in.
sed -i '/-Xlog:gc/d' "$conf/jvm.options"
cd "$home"
export OPENSEARCH_PATH_CONF="$conf"
exec "$home/bin/opensearch"
