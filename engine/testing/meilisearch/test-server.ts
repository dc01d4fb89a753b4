import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { randomBytes } from "node:crypto"
import { Meilisearch } from "meilisearch"
import { hash } from "./api-request.ts"
import { Recording } from "./recording.ts"
import { type Pace, startRecording } from "./recording-proxy.ts"
import { startReplay } from "./replay-server.ts"

const HERE = import.meta.dirname
/** Everything that determines which requests the suite makes, apart from the adapter itself. */
const STORIES = [
  "engine-contract.ts",
  "engine-child.ts",
  "pages.ts",
  "hashing-embedder.ts",
  ...readdirSync(path.join(HERE, "../contract"))
    .sort()
    .map((file) => path.join("contract", file)),
]

export const RECORDING = path.join(HERE, "../recordings/meilisearch-contract.json.zst")

/** The server that the tests talk to: a real Meilisearch, a real one through the recorder, or a recorded one. */
export interface TestServer {
  readonly url: string
  readonly key: string | undefined
  /** A name that says which of the three it is. */
  readonly name: string
  readonly kind: "real" | "recording" | "recorded"
  /** A name for a new place; the names of all its indexes begin with it. */
  freshPlace(): string
  /** Removes the indexes of a place. @throws Error if the recording had no answer to a request made there. */
  removePlace(place: string): Promise<void>
  /** @returns a summary of the server to print at the end of the run. */
  close(): Promise<string>
}

/**
 * A real server when `MEILI_URL` is set (its key in `MEILI_KEY`), otherwise the recorded conversation with one. With
 * `MEILI_RECORD_TO`, the real one is recorded into that file at the pace of `MEILI_RECORD_PACE`.
 */
export async function openTestServer(env: NodeJS.ProcessEnv = process.env): Promise<TestServer> {
  const url = env["MEILI_URL"]
  return url ? real(url.replace(/\/$/, ""), env) : recorded()
}

async function real(url: string, env: NodeJS.ProcessEnv): Promise<TestServer> {
  const key = env["MEILI_KEY"]
  const client = new Meilisearch({ host: url, ...(key ? { apiKey: key } : {}) })
  const version = (await client.getVersion()).pkgVersion
  const removePlace = async (place: string) => {
    const { results } = await client.getIndexes({ limit: 10_000 })
    for (const { uid } of results)
      if (uid.startsWith(place)) await client.deleteIndex(uid).waitTask({ timeout: 0 })
  }
  const name = `real server ${version} at ${url}`
  const file = env["MEILI_RECORD_TO"]
  if (!file) return { url, key, name, kind: "real", freshPlace, removePlace, close: async () => name }
  const date = new Date().toISOString().slice(0, 10)
  const recording = new Recording({ server: version, date, suite: suiteHash() })
  const proxy = await startRecording({ url, key }, recording, env["MEILI_RECORD_PACE"] as Pace)
  return {
    url: proxy.url,
    key,
    name: `${name}, recorded`,
    kind: "recording",
    freshPlace,
    removePlace,
    close: async () => {
      await proxy.close()
      recording.save(file)
      return `${name}, recorded into ${file}`
    },
  }
}

async function recorded(): Promise<TestServer> {
  if (!existsSync(RECORDING)) throw new Error(`There is no ${RECORDING}: ${HOW_TO_RECORD}`)
  const recording = Recording.load(RECORDING)
  const replay = await startReplay(recording, suiteHash())
  const name = `recorded conversation with ${recording.server}`
  return {
    url: replay.url,
    key: undefined,
    name,
    kind: "recorded",
    freshPlace,
    removePlace: async (place) => replay.forget(place),
    close: async () => {
      await replay.close()
      return `${name} (${recording.date}); ${replay.fromNeighbours} answers from the state next to the one asked`
    },
  }
}

export const HOW_TO_RECORD = "MEILI_URL=<address of a server> npm run record:meilisearch"

const freshPlace = () => `contract-${randomBytes(6).toString("hex")}`

function suiteHash(): string {
  return hash(STORIES.map((file) => readFileSync(path.join(HERE, "..", file), "utf8")).join("\n"))
}
