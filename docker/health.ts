import { existsSync } from "node:fs"
import { get } from "node:http"
import { join } from "node:path"

import { Jobs } from "#crawler/jobs/jobs.ts"
import { stateServer } from "#base/store/postgres/state-location.ts"
import { OtherStateError } from "#base/store/state-generation.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/settings.ts"
import { environment, readSettings } from "#base/settings.ts"

import { apiSettings } from "../api/settings.ts"

// The containers' health checks: `node docker/health.ts api`, or `crawler`. Exit code 0 means healthy; `docker inspect`
// shows the line it prints. It uses node:http because fetch() would take twice the time and memory.

const CHECKS: Readonly<Record<string, () => Promise<string | null>>> = { api, crawler }

/** "Ready" means more than "alive": the index answers, the embedding model works, and a crawler is running. */
async function api(): Promise<string | null> {
  const { port } = readSettings(apiSettings, environment())
  return await new Promise((resolve) => {
    get({ host: "127.0.0.1", port, path: "/readyz" }, (response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (part: string) => (body += part))
      response.on("end", () => resolve(response.statusCode === 200 ? null : body))
    }).on("error", (error) => resolve(error.message))
  })
}

/** The process sends a heartbeat every second, from the loop that hands out its work. */
async function crawler(): Promise<string | null> {
  const { dataDir } = readSettings(engineSettings, environment())
  if (stateServer(dataDir) === null && !existsSync(join(dataDir, "state.db")))
    return "there is no state.db yet"
  const db = await openStateStore(dataDir)
  try {
    return (await new Jobs(db).hasCrawler()) ? null : "the crawler process does not respond"
  } finally {
    db.close()
  }
}

const [part = ""] = process.argv.slice(2)
const problem = await (
  CHECKS[part]?.() ?? Promise.resolve(`Usage: health.ts ${Object.keys(CHECKS).join("|")}`)
).catch((error: unknown) => {
  if (error instanceof OtherStateError) return error.message
  throw error
})
process.stdout.write(`${problem ?? "ok"}\n`)
process.exitCode = problem === null ? 0 : 1
