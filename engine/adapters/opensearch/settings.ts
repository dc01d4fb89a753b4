import { readFileSync } from "node:fs"
import path from "node:path"
import { SettingsError, type Values } from "#base/settings.ts"
import type { opensearchSettings } from "../../opensearch-settings.ts"
import type { ClusterOptions } from "./server/cluster.ts"
import type { Spread } from "./server/indexes.ts"

export type OpenSearchSettings = Values<typeof opensearchSettings>

/** @throws SettingsError when two settings exclude each other, one is missing its counterpart, or a file cannot be read. */
export function clusterOf(settings: OpenSearchSettings): Omit<ClusterOptions, "patienceMs"> {
  const { opensearchUrls, opensearchUser: username, opensearchCertFile, opensearchKeyFile } = settings
  const password = passwordOf(settings)
  if (username === "" && password !== "") {
    throw new SettingsError(["FOSSICK_OPENSEARCH_USER must be set together with a password"])
  }
  if ((opensearchCertFile === "") !== (opensearchKeyFile === "")) {
    throw new SettingsError([
      "FOSSICK_OPENSEARCH_CERT_FILE and FOSSICK_OPENSEARCH_KEY_FILE belong together: set both or neither",
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
      "FOSSICK_OPENSEARCH_PASSWORD and FOSSICK_OPENSEARCH_PASSWORD_FILE are both set: set only one",
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
