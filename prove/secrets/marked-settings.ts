import { randomBytes } from "node:crypto"
import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

import { freePort } from "#base/testing/free-port.ts"

import type { Foreign, startEchoServer } from "./hostile-server.ts"
import type { Marks } from "./marks.ts"

const asFile = promisify(execFile)

/** Servers that repeat the requests they refuse. */
export interface HostileServers {
  readonly echo: Awaited<ReturnType<typeof startEchoServer>>
  readonly mail: Foreign
  readonly collector: Foreign
}

/** Parts from which settings, sources and peers are made. */
export interface SettingsParts {
  readonly servers: HostileServers
  readonly marks: Marks
  /** All files of the appliance are below this folder. */
  readonly folder: string
  /** The folder for files that contain given secrets; not searched. */
  readonly givenDir: string
  /** Where Node writes its crash reports. */
  readonly reports: string
  /** Settings for the source of the appliance's vectors. */
  readonly vectors: Readonly<Record<string, string>>
}

/** Writes a secret into a separate file. @returns the file */
export async function inFile(givenDir: string, name: string, mark: string): Promise<string> {
  const file = join(givenDir, name)
  await writeFile(file, mark)
  return file
}

/** The environment of an appliance that has a secret in every setting that can contain one. */
export async function markedSettings(parts: SettingsParts): Promise<Record<string, string>> {
  const { folder, marks, reports, vectors } = parts
  const port = await freePort()
  const dataDir = join(folder, "data")
  const url = `http://127.0.0.1:${port}`
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    FOSSICK_DATA_DIR: dataDir,
    FOSSICK_PORT: String(port),
    FOSSICK_HANDBOOK: "off",
    FOSSICK_MAX_TRIES: "1",
    FOSSICK_MAX_WAIT_MS: "1000",
    FOSSICK_PUBLIC_URL: url,
    ...vectors,
    FOSSICK_API_KEY: marks.of("operator's key"),
    FOSSICK_HUMAN_ID_SECRET: marks.of("secret of the ids of people"),
    FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8",
    FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8",
    ...(await serverSettings(parts)),
    ...(await saleSettings(parts)),
    ...(await traceSettings(parts)),
    ...sourceSecrets(parts),
    // Options with which an operator may have Node.js write a report when a process crashes.
    NODE_OPTIONS: `--report-on-signal --report-on-fatalerror --report-uncaught-exception --report-directory=${reports}`,
  }
}

async function serverSettings({ servers: { echo, mail }, marks, givenDir }: SettingsParts) {
  // A topic can only contain letters and digits.
  const topic = randomBytes(12).toString("hex")
  marks.add("topic of ntfy", topic)
  return {
    FOSSICK_LLM_URL: `${echo.url}/v1`,
    FOSSICK_LLM_MODEL: "any",
    FOSSICK_LLM_API_KEY: marks.of("language model's key"),
    FOSSICK_LLM_BODY: JSON.stringify({ gateway: marks.of("key in the body of a language model") }),
    FOSSICK_RERANKER_URL: `${echo.url}/reranker`,
    FOSSICK_RERANKER_MODEL: "any",
    FOSSICK_RERANKER_KEY: `file:${await inFile(givenDir, "reranker", marks.of("reranker's key"))}`,
    FOSSICK_SMTP_URL: `smtp://fossick@127.0.0.1:${mail.port}`,
    FOSSICK_SMTP_PASSWORD: "${MAIL_PASSWORD}",
    MAIL_PASSWORD: marks.of("mail password"),
    FOSSICK_ALERT_EMAIL: "operator@example.com",
    FOSSICK_ALERT_AFTER: "1",
    FOSSICK_ALERT_WEBHOOK: `${echo.url}/hook-alert`,
    FOSSICK_ALERT_WEBHOOK_SECRET: "${ALERT_SECRET}",
    ALERT_SECRET: marks.of("alert webhook's secret"),
    FOSSICK_ALERT_NTFY: `${echo.url}/${topic}`,
    FOSSICK_ALERT_NTFY_TOKEN: "${NTFY_TOKEN}",
    NTFY_TOKEN: marks.of("token of an ntfy topic"),
    FOSSICK_PROXY: `http://crawler:${encodeURIComponent(marks.of("proxy password"))}@127.0.0.1:${echo.port}`,
    FOSSICK_PROXY_LOOKUP: "proxy",
  }
}

async function saleSettings({ servers: { echo }, marks }: SettingsParts) {
  return {
    X402_PAY_TO: "0x1111111111111111111111111111111111111111",
    X402_NETWORK: "eip155:84532",
    X402_FACILITATOR_URL: `${echo.url}/facilitator`,
    X402_PUBLIC_URL: "https://paid.example.com",
    X402_RPC_URL: `${echo.url}/rpc/${encodeURIComponent(marks.of("key in the address of a node"))}`,
    X402_VERIFY_BEARER: marks.of("facilitator's token to verify"),
    X402_SETTLE_BEARER: marks.of("facilitator's token to settle"),
    FOSSICK_X402_PORT: String(await freePort()),
    FOSSICK_X402_SOURCES: "open",
  }
}

async function traceSettings({ servers: { collector }, marks, givenDir }: SettingsParts) {
  return {
    FOSSICK_LOG_FORMAT: "text",
    FOSSICK_LOG_LEVEL: "debug",
    FOSSICK_TRACES_URL: collector.url,
    FOSSICK_CONFIG_FILE: await inFile(
      givenDir,
      "settings",
      `FOSSICK_TRACES_KEY=${marks.of("traces' key")}\n`,
    ),
    FOSSICK_TRACES_TEXT: "on",
  }
}

/** Variables that sources and peers refer to. */
function sourceSecrets({ folder, marks }: SettingsParts) {
  return {
    FOSSICK_PEERS_FILE: join(folder, "peers.yaml"),
    PEER_KEY: marks.of("key of a peer"),
    SITE_PASSWORD: marks.of("site password"),
    SITE_TOKEN: marks.of("site token"),
    FOSSICK_API_SECRETS: "API_TOKEN",
    API_TOKEN: marks.of("token of a source of the API"),
    SITE_COOKIE: marks.of("site cookie"),
    FORM_PASSWORD: marks.of("form password"),
    HOOK_SECRET: marks.of("source webhook's secret"),
    KEY_PASSPHRASE: marks.of("passphrase of a key"),
  }
}

/** Writes a client's key, which has a passphrase, and its certificate. */
export async function writeClientCertificate({ folder, givenDir, marks }: SettingsParts): Promise<void> {
  const clientKey = join(givenDir, "client.key")
  const clientCert = join(folder, "client.pem")
  const pass = `pass:${marks.of("passphrase of a key")}`
  const subject = ["-subj", "/CN=crawler", "-passout", pass]
  await asFile("openssl", [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-keyout",
    clientKey,
    "-out",
    clientCert,
    ...subject,
  ])
  marks.add("client certificate's key", (await readFile(clientKey, "utf8")).split("\n")[2]!)
}

export async function writePeers({ servers: { echo }, folder }: SettingsParts): Promise<void> {
  const silent = `http://127.0.0.1:${await freePort()}`
  await writeFile(
    join(folder, "peers.yaml"),
    `peers:
  - { name: refuses, url: "${echo.url}", key: "\${PEER_KEY}", networks: ["127.0.0.1"] }
  - { name: silent, url: "${silent}", key: "\${PEER_KEY}", networks: ["127.0.0.1"] }
`,
  )
}

/** Declares a source for each way to log in. */
export async function writeSources({
  servers: { echo },
  folder,
  givenDir,
  marks,
}: SettingsParts): Promise<void> {
  const clientKey = join(givenDir, "client.key")
  const clientCert = join(folder, "client.pem")
  const siteFile = await inFile(givenDir, "site", marks.of("site password in a file"))
  const hook = `    webhooks: [{ url: "${echo.url}/hook-source", secret: "\${HOOK_SECRET}", events: [finished, changed] }]`
  await writeFile(
    join(folder, "sources.yaml"),
    `sources:
  - name: open
    seeds: ${echo.url}/open
${hook}
  - name: basic
    seeds: ${echo.url}/basic
    login: { kind: basic, user: crawler, password: "\${SITE_PASSWORD}" }
  - name: filed
    seeds: ${echo.url}/open-filed
    login: { kind: basic, user: crawler, password: "file:${siteFile}" }
  - name: later
    seeds: ${echo.url}/open-later
  - name: headers
    seeds: ${echo.url}/headers
    login: { kind: headers, headers: { Authorization: "Bearer \${SITE_TOKEN}" } }
  - name: headers-good
    seeds: ${echo.url}/open-headers
    login: { kind: headers, headers: { Authorization: "Bearer \${SITE_TOKEN}" } }
  - name: cookies
    seeds: ${echo.url}/cookies
    login: { kind: cookies, cookies: { session: "\${SITE_COOKIE}" } }
  - name: form
    seeds: ${echo.url}/open-form
    login: { kind: form, url: "${echo.url}/form", fields: { user: crawler, pass: "\${FORM_PASSWORD}" } }
  - name: certificate
    seeds: https://127.0.0.1:${echo.port}/certificate
    clientCert: { cert: "file:${clientCert}", key: "file:${clientKey}", passphrase: "\${KEY_PASSPHRASE}" }
  - name: proxied
    seeds: http://site.proxied.example/
`,
  )
}
