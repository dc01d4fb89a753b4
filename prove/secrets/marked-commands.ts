import { writeFile } from "node:fs/promises"
import { join } from "node:path"

import { freePort } from "#base/testing/free-port.ts"

import type { startEchoPostgres } from "./hostile-server.ts"
import type { MarkedAppliance } from "./marked-appliance.ts"
import { inFile, type SettingsParts } from "./marked-settings.ts"

type Settings = Readonly<Record<string, string>>

export interface CommandsParts extends SettingsParts {
  readonly appliance: MarkedAppliance
  readonly postgres: Awaited<ReturnType<typeof startEchoPostgres>>
  readonly backup: string
  /** Whether to start only a few commands, each of which is a separate process. */
  readonly isShort: boolean
}

/** Runs every command that prints data, also with settings for other servers. */
export async function runCommands(parts: CommandsParts): Promise<void> {
  await showEverything(parts)
  await lookAtServers(parts)
  await giveWrongSettings(parts)
}

async function showEverything({ appliance, servers: { echo }, folder, backup, isShort }: CommandsParts) {
  const commands = [
    ["doctor", "--json"],
    ["doctor"],
    ["keys", "list", "--json"],
    ["sources", "list", "--json"],
    ["sources", "show", "basic"],
    ["sources", "show", "proxied", "--json"],
    ["backup", backup],
    ["jobs", "list", "--json"],
    ["audit", "--json"],
    ["index", "status", "--json"],
    ["outbound", "--json"],
    ["payments", "outcomes", "--json"],
    ["why", `${echo.url}/basic`, "--json"],
    ["try", `${echo.url}/basic`, "--source", "basic"],
    ["try", "http://site.proxied.example/"],
    ["queries"],
    ["export", join(folder, "index.export")],
  ]
  if (!isShort) await appliance.fossick({}, "alerts", "test")
  appliance.saw("alerts are tested", true)
  for (const args of commands.filter(([name], at) => !isShort || at === 0 || name === "backup"))
    await appliance.fossick({}, ...args)
}

/** Runs a command with another data folder. */
const elsewhere = ({ appliance, folder }: CommandsParts, settings: Settings, ...args: readonly string[]) =>
  appliance.fossick({ ...settings, FOSSICK_DATA_DIR: join(folder, "elsewhere") }, ...args)

/** Tries servers that refuse a key or a password and repeat it, and addresses where there is no server. */
async function lookAtServers(parts: CommandsParts): Promise<void> {
  const { appliance, servers, marks, postgres, isShort } = parts
  const embeddings = {
    FOSSICK_EMBEDDINGS_URL: `${servers.echo.url}/embeddings`,
    FOSSICK_EMBEDDINGS_MODEL: "any",
    FOSSICK_EMBEDDINGS_KEY: marks.of("embeddings' key"),
  }
  const { indexes, more } = await indexesOf(parts)
  const states = await statesOf(parts)
  const peers = { FOSSICK_PEERS_FILE: await wrongPeers(parts) }
  if (isShort) {
    // The doctor checks every part, whatever it reports about the others.
    const others = [{ ...embeddings, ...states[0] }, states[1], peers]
    for (const [at, index] of indexes.entries()) await elsewhere(parts, { ...index, ...others[at] }, "doctor")
  } else {
    await appliance.fossick(embeddings, "doctor")
    for (const one of [embeddings, ...indexes, ...more]) {
      await elsewhere(parts, one, "doctor")
      await elsewhere(parts, one, "search", "pumps")
    }
    for (const one of states) {
      await elsewhere(parts, one, "doctor")
      await elsewhere(parts, one, "keys", "list")
    }
    await appliance.fossick(peers, "doctor")
  }
  appliance.saw(
    "PostgreSQL receives its password",
    postgres.passwords.includes(marks.of("PostgreSQL password")),
  )
}

/** Settings of an index on a server; `more`: settings that are only used in a long run. */
async function indexesOf({
  servers: { echo },
  marks,
  givenDir,
}: CommandsParts): Promise<{ indexes: readonly Settings[]; more: readonly Settings[] }> {
  const meili = { FOSSICK_ENGINE: "meilisearch", FOSSICK_MEILI_URL: echo.url }
  const meiliFile = await inFile(givenDir, "meilisearch", marks.of("Meilisearch key in a file"))
  const opensearch = (address: string) => ({
    FOSSICK_ENGINE: "opensearch",
    FOSSICK_OPENSEARCH_URLS: address,
    FOSSICK_OPENSEARCH_USER: "fossick",
  })
  const nobody = `http://127.0.0.1:${await freePort()}`
  const password = { FOSSICK_OPENSEARCH_PASSWORD: marks.of("OpenSearch password") }
  const file = await inFile(givenDir, "opensearch", marks.of("OpenSearch password in a file"))
  const passwordFile = { FOSSICK_OPENSEARCH_PASSWORD_FILE: file }
  return {
    indexes: [
      { ...meili, FOSSICK_MEILI_KEY: marks.of("Meilisearch key") },
      { ...meili, FOSSICK_MEILI_KEY_FILE: meiliFile },
      { ...opensearch(echo.url), ...password },
      { ...opensearch(nobody), ...passwordFile },
    ],
    more: [
      { ...opensearch(echo.url), ...passwordFile },
      { ...opensearch(nobody), ...password },
    ],
  }
}

/** Settings of a state database on a server. */
async function statesOf({ postgres, marks, givenDir }: CommandsParts): Promise<readonly Settings[]> {
  const state = (address: string, secret: string) => ({
    FOSSICK_STATE: address,
    FOSSICK_STATE_PASSWORD: secret,
  })
  const unreachable = `postgres://fossick@127.0.0.1:${await freePort()}/fossick`
  const file = await inFile(givenDir, "state", marks.of("PostgreSQL password in a file"))
  return [
    state(postgres.url, marks.of("PostgreSQL password")),
    state(unreachable, marks.of("PostgreSQL password")),
    state(postgres.url, `file:${file}`),
  ]
}

async function wrongPeers({ servers: { echo }, folder }: CommandsParts): Promise<string> {
  const file = join(folder, "typed-peers.yaml")
  await writeFile(
    file,
    `peers: [{ name: typed, url: "${echo.url}", key: "\${PEER_KEY}", cost: 1 }, { name: typed, url: "x y", key: "\${NO_SUCH}" }]`,
  )
  return file
}

async function giveWrongSettings(parts: CommandsParts): Promise<void> {
  const { appliance, servers, marks, isShort } = parts
  const inAddress = `postgres://fossick:${encodeURIComponent(marks.of("password in an address"))}@127.0.0.1/fossick`
  await elsewhere(parts, { FOSSICK_STATE: inAddress }, "doctor")
  const wrongSettings = {
    FOSSICK_PROXY: `ftp://crawler:${encodeURIComponent(marks.of("proxy password"))}@x y`,
    FOSSICK_API_KEY: "short",
  }
  if (!isShort) {
    const { FOSSICK_PROXY, FOSSICK_API_KEY } = wrongSettings
    await appliance.fossick({ FOSSICK_PROXY }, "crawl", `${servers.echo.url}/open`)
    await appliance.fossick({ FOSSICK_API_KEY }, "doctor")
  }
  // Addresses with a password, for settings that don't accept one.
  const withPassword = ([name, scheme]: readonly [string, string]) => [
    name,
    `${scheme}://user:${encodeURIComponent(marks.of(`password in ${name}`))}@server.example`,
  ]
  const wrongAddresses = Object.fromEntries(ADDRESSES.map(withPassword)) as Record<string, string>
  const told = await appliance.fossick({ ...wrongAddresses, ...(isShort && wrongSettings) }, "doctor")
  appliance.saw(
    "addresses with passwords are refused",
    ADDRESSES.every(([name]) => told.out.includes(name)),
  )
  if (!isShort) return
  const isTold = Object.keys(wrongSettings).every((name) => told.out.includes(name))
  appliance.saw("wrong settings are refused", isTold)
}

/** Settings that accept a server's address without a password. */
const ADDRESSES = [
  ["FOSSICK_PUBLIC_URL", "https"],
  ["FOSSICK_LLM_URL", "https"],
  ["FOSSICK_MODEL_HUB", "https"],
  ["FOSSICK_MEILI_URL", "http"],
  ["FOSSICK_EMBEDDINGS_URL", "https"],
  ["FOSSICK_RERANKER_URL", "https"],
  ["FOSSICK_OPENSEARCH_URLS", "https"],
  ["FOSSICK_SMTP_URL", "smtps"],
  ["FOSSICK_TRACES_URL", "https"],
  ["FOSSICK_ALERT_NTFY", "https"],
  ["X402_FACILITATOR_URL", "https"],
  ["X402_PUBLIC_URL", "https"],
  // A valid address isn't kept secret from admins and backups, as with all webhooks.
  ["FOSSICK_ALERT_WEBHOOK", "ftp"],
] as const
