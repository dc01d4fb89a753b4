import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { readSettings } from "#base/settings.ts"
import { opensearchSettings } from "../../opensearch-settings.ts"
import { clusterOf } from "./settings.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "fossick-opensearch-settings-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

const file = (name: string, content: string) => {
  writeFileSync(path.join(folder, name), content)
  return path.join(folder, name)
}
const read = (env: Record<string, string>) => clusterOf(readSettings(opensearchSettings, env))

test("several nodes, a user with a password file, and certificates can be set", () => {
  expect(
    read({
      FOSSICK_OPENSEARCH_URLS: "https://one.example:9200/, https://two.example:9200",
      FOSSICK_OPENSEARCH_USER: "fossick",
      FOSSICK_OPENSEARCH_PASSWORD_FILE: file("password", "secret\n"),
      FOSSICK_OPENSEARCH_CA_FILE: file("ca.pem", "authority"),
      FOSSICK_OPENSEARCH_CERT_FILE: file("cert.pem", "certificate"),
      FOSSICK_OPENSEARCH_KEY_FILE: file("key.pem", "key"),
    }),
  ).toEqual({
    urls: ["https://one.example:9200", "https://two.example:9200"],
    login: { username: "fossick", password: "secret" },
    tls: { ca: "authority", cert: "certificate", key: "key" },
  })
  expect(read({})).toMatchObject({ urls: ["http://127.0.0.1:9200"], login: null })
})

test.each([
  [{ FOSSICK_OPENSEARCH_URLS: "one.example:9200" }, "FOSSICK_OPENSEARCH_URLS"],
  [{ FOSSICK_OPENSEARCH_URLS: "https://user:hidden@one.example" }, "and FOSSICK_OPENSEARCH_PASSWORD"],
  [{ FOSSICK_OPENSEARCH_URLS: "," }, "must be one or more addresses"],
  [{ FOSSICK_OPENSEARCH_INDEX: "Docs" }, "lowercase letters"],
  [{ FOSSICK_OPENSEARCH_SHARDS: "0" }, "from 1 to 1000"],
  [{ FOSSICK_OPENSEARCH_PASSWORD: "hidden" }, "FOSSICK_OPENSEARCH_USER must be set"],
  [{ FOSSICK_OPENSEARCH_PASSWORD: "hidden", FOSSICK_OPENSEARCH_PASSWORD_FILE: "/there" }, "set only one"],
  [{ FOSSICK_OPENSEARCH_CERT_FILE: "/there" }, "belong together"],
  [{ FOSSICK_OPENSEARCH_CA_FILE: "/no/such/file" }, "FOSSICK_OPENSEARCH_CA_FILE: cannot read"],
])("invalid settings are named, without showing a password: %j", (env, message) => {
  let said = ""
  try {
    read(env)
  } catch (error) {
    said = (error as Error).message
  }
  expect(said).toContain(message)
  expect(said).not.toContain("hidden")
})
