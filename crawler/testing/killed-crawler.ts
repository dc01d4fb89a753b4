import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { onTestFinished } from "vitest"
import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import type { Chance } from "#base/testing/chance.ts"
import { until } from "#base/testing/until.ts"
import type { Engine, PageUrl } from "#engine"
import { openEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { Jobs } from "../jobs/jobs.ts"
import type { OutcomeName } from "../outcome-name.ts"
import type { SourceSpec } from "../source.ts"
import { Sources } from "../sources/sources.ts"
import { WholeCrawler } from "./whole-crawler.ts"

export interface KilledCrawlerOptions {
  readonly source: SourceSpec & { readonly name: string }
  readonly rounds: number
  /** The longest pause before a change and before a kill, in milliseconds. */
  readonly pauseMs: number
  readonly wait: Chance
  /** Changes the content that the source reads. */
  readonly change: () => void | Promise<void>
  /** Whether the index contains exactly what the source contains now. */
  readonly isSame: (engine: Engine) => Promise<boolean>
  /** Checks to make before the last crawler is killed. */
  readonly inTheEnd?: (dataDir: string) => Promise<void>
}

/** The time limit; it is well below the test's own timeout, which couldn't report how the runs ended. */
const PATIENCE_MS = 300_000

const CRASHED: OutcomeName = "failed:crashed"

/**
 * Changes the source's content while all processes of its crawler are killed again and again, and then waits until the
 * index matches the source.
 * @param folder where to create the data folder
 */
export async function killAgainAndAgain(folder: string, options: KilledCrawlerOptions): Promise<void> {
  const { source, rounds, pauseMs, wait, change, isSame, inTheEnd } = options
  await using vectors = await startCheapVectors()
  const dataDir = join(folder, "data")
  mkdirSync(dataDir)
  const db = await openStateStore(dataDir)
  onTestFinished(() => db.close())
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  await sources.put(source, "file")

  for (let round = 0; round < rounds; round += 1) {
    const crawler = new WholeCrawler(dataDir, vectors.settings)
    await sleep(wait.below(pauseMs))
    await change()
    await sleep(wait.below(pauseMs))
    await crawler.kill()
  }
  const last = new WholeCrawler(dataDir, vectors.settings)
  const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: dataDir, ...vectors.settings })
  const deadline = performance.now() + PATIENCE_MS
  let isAsked = false
  try {
    await until(async () => {
      const runs = await jobs.list({ source: source.name, limit: 100 })
      if (performance.now() > deadline) throw new Error(`still not the same after ${JSON.stringify(runs)}`)
      if (runs[0]?.state !== "finished") return false
      // A page that was being read during three kills is delayed for an hour unless a person requests it.
      if (!isAsked && runs.some(({ outcomes }) => (outcomes[CRASHED] ?? 0) > 0)) {
        await jobs.enqueue((await sources.get(source.name))!.source, { visits: "failed" })
        isAsked = true
        return false
      }
      await using engine = await openEngine(settings, { mode: "read" })
      return await isSame(engine)
    })
    await inTheEnd?.(dataDir)
  } finally {
    await last.kill()
  }
}

/** @param texts the expected text of each page, by address */
export async function holdsExactly(engine: Engine, texts: ReadonlyMap<string, string>): Promise<boolean> {
  if ((await engine.stats()).pages !== texts.size) return false
  const pages = await Promise.all([...texts.keys()].map((url) => engine.get(url as PageUrl)))
  return pages.every((page) => page !== null && page.markdown.trim() === texts.get(page.url))
}
