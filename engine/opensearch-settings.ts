import { baseUrl, integer, type Setting, text } from "#base/settings.ts"

const address = baseUrl({ name: "FOSSICK_OPENSEARCH_URLS", default: "", about: "" })

const urls: Setting<readonly string[]> = {
  name: "FOSSICK_OPENSEARCH_URLS",
  default: "http://127.0.0.1:9200",
  about:
    "Addresses of the nodes of the OpenSearch cluster, separated by commas, when FOSSICK_ENGINE is `opensearch`. All are asked in turn; a node that is down is skipped for a while.",
  // Marked as secret because an invalid value could contain a password.
  secret: true,
  parse(value) {
    const all = value
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
    if (all.length === 0) throw new Error("must be one or more addresses")
    return all.map((one) => {
      try {
        return address.parse(one)
      } catch (error) {
        throw new Error(
          `${(error as Error).message}, or several, separated by commas; set user and password in FOSSICK_OPENSEARCH_USER and FOSSICK_OPENSEARCH_PASSWORD`,
          { cause: error },
        )
      }
    })
  },
}

const index: Setting<string> = {
  name: "FOSSICK_OPENSEARCH_INDEX",
  default: "fossick",
  about: "Prefix for the names of Fossick's indexes on the OpenSearch cluster.",
  parse(value) {
    if (/^[a-z0-9][a-z0-9_-]{0,99}$/.test(value)) return value
    throw new Error(
      "must be at most 100 lowercase letters, digits, - and _, beginning with a letter or digit",
    )
  },
}

/** Settings of an index on an OpenSearch cluster. */
export const opensearchSettings = {
  opensearchUrls: urls,
  opensearchUser: text({
    name: "FOSSICK_OPENSEARCH_USER",
    default: "",
    about: "User of the OpenSearch cluster; empty if it needs none, or uses a certificate.",
  }),
  opensearchPassword: text({
    name: "FOSSICK_OPENSEARCH_PASSWORD",
    default: "",
    about: "The user's password.",
    secret: true,
  }),
  opensearchPasswordFile: text({
    name: "FOSSICK_OPENSEARCH_PASSWORD_FILE",
    default: "",
    about: "File with the password, instead of FOSSICK_OPENSEARCH_PASSWORD.",
  }),
  opensearchCaFile: text({
    name: "FOSSICK_OPENSEARCH_CA_FILE",
    default: "",
    about:
      "File with the cluster's certificate authority, in PEM; empty trusts the authorities that all connections of the appliance trust.",
  }),
  opensearchCertFile: text({
    name: "FOSSICK_OPENSEARCH_CERT_FILE",
    default: "",
    about:
      "File with a certificate in PEM that identifies this appliance to the cluster, together with FOSSICK_OPENSEARCH_KEY_FILE; empty uses none.",
  }),
  opensearchKeyFile: text({
    name: "FOSSICK_OPENSEARCH_KEY_FILE",
    default: "",
    about: "File with the private key of FOSSICK_OPENSEARCH_CERT_FILE, in PEM.",
  }),
  opensearchIndex: index,
  opensearchShards: integer(
    {
      name: "FOSSICK_OPENSEARCH_SHARDS",
      default: "3",
      about:
        "Number of shards of a new index; each node can serve some of them. It never changes for an existing index: `fossick index upgrade` builds a new one.",
    },
    1,
    1000,
  ),
  opensearchReplicas: integer(
    {
      name: "FOSSICK_OPENSEARCH_REPLICAS",
      default: "1",
      about:
        "Replicas of each shard of a new index, on other nodes if there are any. That many nodes can fail at the same time without losing a page.",
    },
    0,
    10,
  ),
}
