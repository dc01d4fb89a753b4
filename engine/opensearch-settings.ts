import { baseUrl, integer, type Setting, text } from "#base/settings.ts"

const address = baseUrl({ name: "FOSSICK_OPENSEARCH_URLS", default: "", about: "" })

const urls: Setting<readonly string[]> = {
  name: "FOSSICK_OPENSEARCH_URLS",
  default: "http://127.0.0.1:9200",
  about:
    "Addresses of the nodes of the OpenSearch cluster, with commas between them, when FOSSICK_ENGINE is `opensearch`. All are asked in turn, and one that is away is left out for a while.",
  // A wrong one may hold a password.
  secret: true,
  parse(value) {
    const all = value
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
    if (all.length === 0) throw new Error("must be one address or more")
    return all.map((one) => {
      try {
        return address.parse(one)
      } catch (error) {
        throw new Error(
          `${(error as Error).message}, or several with commas between them; FOSSICK_OPENSEARCH_USER and FOSSICK_OPENSEARCH_PASSWORD take user and password`,
          { cause: error },
        )
      }
    })
  },
}

const index: Setting<string> = {
  name: "FOSSICK_OPENSEARCH_INDEX",
  default: "fossick",
  about: "What the names of Fossick's indexes on the OpenSearch cluster begin with.",
  parse(value) {
    if (/^[a-z0-9][a-z0-9_-]{0,99}$/.test(value)) return value
    throw new Error(
      "must be made of small letters, digits, - and _, begin with a letter or digit, 100 at most",
    )
  },
}

/** Settings of an index on an OpenSearch cluster. */
export const opensearchSettings = {
  opensearchUrls: urls,
  opensearchUser: text({
    name: "FOSSICK_OPENSEARCH_USER",
    default: "",
    about: "User of the OpenSearch cluster; empty when it asks for none, or goes by a certificate.",
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
    about: "File that holds the password, instead of FOSSICK_OPENSEARCH_PASSWORD.",
  }),
  opensearchCaFile: text({
    name: "FOSSICK_OPENSEARCH_CA_FILE",
    default: "",
    about:
      "File of the certificate authority of the cluster, in PEM; empty trusts those that all connections of the appliance trust.",
  }),
  opensearchCertFile: text({
    name: "FOSSICK_OPENSEARCH_CERT_FILE",
    default: "",
    about:
      "File of a certificate in PEM by which the cluster knows this appliance, together with FOSSICK_OPENSEARCH_KEY_FILE; empty uses none.",
  }),
  opensearchKeyFile: text({
    name: "FOSSICK_OPENSEARCH_KEY_FILE",
    default: "",
    about: "File of the private key of FOSSICK_OPENSEARCH_CERT_FILE, in PEM.",
  }),
  opensearchIndex: index,
  opensearchShards: integer(
    {
      name: "FOSSICK_OPENSEARCH_SHARDS",
      default: "3",
      about:
        "Parts that a new index is cut into; each node can serve some of them. It never changes for an index that is there: `fossick index upgrade` builds one anew.",
    },
    1,
    1000,
  ),
  opensearchReplicas: integer(
    {
      name: "FOSSICK_OPENSEARCH_REPLICAS",
      default: "1",
      about:
        "Further copies of each part of a new index, on other nodes as far as there are any: so many nodes may be lost at one time without losing a page.",
    },
    0,
    10,
  ),
}
