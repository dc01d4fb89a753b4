import { readFileSync } from "node:fs"
import path from "node:path"
import { baseUrl, integer, type Setting, SettingsError, text, type Values } from "#base/settings.ts"
import type { ClusterOptions } from "./server/cluster.ts"
import type { Spread } from "./server/indexes.ts"

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
      "File of the certificate authority of the cluster, in PEM; empty trusts those of Node.js and of FOSSICK_CA_FILE.",
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

export type OpenSearchSettings = Values<typeof opensearchSettings>

/** @throws SettingsError when two settings exclude each other, one lacks its fellow, or a file cannot be read. */
export function clusterOf(settings: OpenSearchSettings): Omit<ClusterOptions, "patienceMs"> {
  const { opensearchUrls, opensearchUser: username, opensearchCertFile, opensearchKeyFile } = settings
  const password = passwordOf(settings)
  if (username === "" && password !== "") {
    throw new SettingsError(["FOSSICK_OPENSEARCH_USER: is missing beside a password"])
  }
  if ((opensearchCertFile === "") !== (opensearchKeyFile === "")) {
    throw new SettingsError([
      "FOSSICK_OPENSEARCH_CERT_FILE and FOSSICK_OPENSEARCH_KEY_FILE belong together: set both or none",
    ])
  }
  return {
    urls: opensearchUrls,
    login: username === "" ? null : { username, password },
    tls: {
      ca: fileOf("FOSSICK_OPENSEARCH_CA_FILE", settings.opensearchCaFile),
      cert: fileOf("FOSSICK_OPENSEARCH_CERT_FILE", opensearchCertFile),
      key: fileOf("FOSSICK_OPENSEARCH_KEY_FILE", opensearchKeyFile),
    },
  }
}

export const spreadOf = ({ opensearchShards, opensearchReplicas }: OpenSearchSettings): Spread => ({
  shards: opensearchShards,
  replicas: opensearchReplicas,
})

function passwordOf({ opensearchPassword, opensearchPasswordFile }: OpenSearchSettings): string {
  if (opensearchPasswordFile === "") return opensearchPassword
  if (opensearchPassword !== "") {
    throw new SettingsError([
      "FOSSICK_OPENSEARCH_PASSWORD and FOSSICK_OPENSEARCH_PASSWORD_FILE are both set: leave one out",
    ])
  }
  return fileOf("FOSSICK_OPENSEARCH_PASSWORD_FILE", opensearchPasswordFile)!.trim()
}

function fileOf(setting: string, file: string): string | null {
  if (file === "") return null
  let content
  try {
    content = readFileSync(path.resolve(file), "utf8")
  } catch {
    throw new SettingsError([`${setting}: cannot read ${file}`])
  }
  if (content.trim() === "") throw new SettingsError([`${setting}: ${file} is empty`])
  return content
}
