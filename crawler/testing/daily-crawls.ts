import type { Job } from "../job.ts"
import { settleRemovals } from "../upkeep/removals/settle-removals.ts"
import type { SourceSpec } from "../source.ts"
import { CrawlFixture } from "./crawl-fixture.ts"

export const DAY_MS = 24 * 3_600_000

/** Crawls in this process, each a day after the previous one and each followed by its judgement. */
export class DailyCrawls extends CrawlFixture {
  now = Date.UTC(2026, 0, 1)
  readonly clock = (): number => this.now

  async crawlNextDay(spec: SourceSpec, trigger?: Job["trigger"]) {
    this.now += DAY_MS
    const { db, engine, clock } = this
    const job = await this.crawl(spec, { clock, ...(trigger !== undefined && { trigger }) })
    return { job, settled: await settleRemovals({ db, engine, job, clock }) }
  }
}
