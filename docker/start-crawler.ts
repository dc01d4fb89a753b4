import { crawlerSettings } from "#crawler/settings.ts"
import { safeOutput } from "#base/process/safe-output.ts"
import { environment, readSettings, SettingsError } from "#base/settings.ts"

import { apiSettings } from "../api/settings.ts"
import { applySources } from "../api/server/supervisor/apply-sources.ts"
import { forwardPort } from "./forward-port.ts"

// The crawler's container: does what `npm start` does before the crawler process starts, and then starts that process.
// `node docker/start-crawler.ts api`: the host of the API, which checks all settings for both.

const LOOPBACK = "127.0.0.1"

safeOutput()
try {
  const env = environment()
  const { port } = readSettings(apiSettings, env)
  const { readOnly, sourcesFile } = readSettings(crawlerSettings, env)
  const refusal = readOnly === "off" ? applySources(sourcesFile, process.env) : null
  if (refusal === null) {
    const [host = "api"] = process.argv.slice(2)
    // The handbook is crawled under its public address.
    forwardPort({ host: LOOPBACK, port }, { host, port })
    await import("#crawler/main.ts")
  } else {
    process.stderr.write(`${refusal}\n`)
    process.exitCode = 2
  }
} catch (error) {
  if (!(error instanceof SettingsError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
