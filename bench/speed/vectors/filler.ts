// A writer of the index, like the crawler's job process: `node filler.ts <root> <data folder> pages <file>` adds pages
// without vectors, `... vectors` makes the vectors. `root` is the checkout whose code is run. The last line of output
// is the cost, as JSON.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type * as OpenEngine from "#engine/open-engine.ts"
import type { Page } from "#engine"
import type * as EngineSettings from "#engine/settings.ts"
import { readSettings } from "#base/settings.ts"

/** The last line of output. CPU time is that of all threads. */
export interface Filled {
  readonly pages: number
  readonly passages: number
  readonly seconds: number
  readonly cpuSeconds: number
  /** Peak resident memory. */
  readonly megabytes: number
}

const [root, dataDir, task, file] = process.argv.slice(2) as [string, string, "pages" | "vectors", string]
const { openEngine } = (await import(join(root, "engine/open-engine.ts"))) as typeof OpenEngine
const { engineSettings } = (await import(join(root, "engine/settings.ts"))) as typeof EngineSettings
const settings = readSettings(engineSettings, { ...process.env, FOSSICK_DATA_DIR: dataDir })
const embedding = task === "vectors" ? "on" : "off"
await using engine = await openEngine(settings, { mode: "write", embedding })
if (task === "pages") {
  const pages = JSON.parse(await readFile(file, "utf8")) as Page[]
  await engine.index(
    pages.map((page) => ({ ...page, fetchedAt: new Date(page.fetchedAt), publishedAt: null })),
  )
}
const began = performance.now()
const before = process.cpuUsage()
if (task === "vectors") await engine.settled()
const seconds = (performance.now() - began) / 1000
const { user, system } = process.cpuUsage(before)
const { passages, pages } = await engine.stats()
const megabytes = process.resourceUsage().maxRSS / 1024
const filled: Filled = { pages, passages, seconds, cpuSeconds: (user + system) / 1e6, megabytes }
process.stdout.write(`${JSON.stringify(filled)}\n`)
