import { steadyNow } from "#base/steady-time.ts"
import { concealedVisit } from "../../fetch/concealed.ts"
import type { SourceAuthor } from "../../source.ts"
import type { CrawlerConfig } from "../../settings.ts"
import type { FrontierEntry } from "../frontier/host-queues.ts"
import type { KnownAddress } from "../frontier/known-addresses.ts"
import { isMissing } from "../../outcome-name.ts"
import type { Visit } from "../../reading.ts"
import type { CrawlParts } from "../crawl-parts.ts"
import { PageJudge, type PageJudgeOptions } from "./page-judge.ts"
import { RetryPolicy } from "./retry-policy.ts"
import type { Unread } from "./visit-outcome.ts"

export interface VisitJudgeOptions extends PageJudgeOptions {
  readonly config: CrawlerConfig
  /**
   * Determines who can read the run's progress: callers of the API must not learn which names lead into a private
   * network.
   */
  readonly author: SourceAuthor
}

/** Settles visits: records their results, tries again if a later try may succeed, and closes the rest. */
export class VisitJudge {
  readonly #parts: CrawlParts
  readonly #pages: PageJudge
  readonly #retries: RetryPolicy
  readonly #conceals: boolean

  constructor(options: VisitJudgeOptions) {
    this.#conceals = options.author === "api"
    this.#parts = options.parts
    this.#pages = new PageJudge(options)
    this.#retries = new RetryPolicy(options.config, {
      concealsNames: options.author === "api",
      hasRead: options.parts.limits.pages > 0,
    })
  }

  /**
   * @param before what earlier runs know about the address
   * @param startedAt when the visit began, on the `steadyNow()` clock
   */
  async settle(
    entry: FrontierEntry,
    visit: Visit,
    before: KnownAddress | null,
    startedAt: number,
  ): Promise<void> {
    // The next step after a visit can be observed too, so it is based on the concealed form of the visit.
    const seen = this.#conceals ? concealedVisit(visit) : visit
    if (this.#retries.note(entry.host, seen)) await this.#parts.hosts.answers(entry.host)
    if (visit.kind === "read") {
      this.#parts.limits.bytes += visit.reading.bytes
      await this.#pages.take(entry, visit.reading, before)
    } else if (visit.kind === "unmodified") {
      await this.#pages.keep(entry, visit, before)
    } else if (visit.kind !== "failed" || visit.because !== "cancelled") {
      await this.#closeOrRetry(entry, visit, seen === visit ? visit : (seen as Unread), startedAt)
    }
    // A visit cut short by a stop has no outcome: it is made again when the crawl continues.
  }

  /** @param seen the visit as shown to people who watch the run's progress; the real visit is recorded */
  async #closeOrRetry(entry: FrontierEntry, visit: Unread, seen: Unread, startedAt: number): Promise<void> {
    const { discovery, frontier, duplicates, recorder } = this.#parts
    const next = this.#retries.after(entry, seen, startedAt, steadyNow())
    if (next.kind === "give-up-host" || this.#parts.hosts.isGivenUp(entry.host)) {
      if (!this.#parts.hosts.isGivenUp(entry.host)) await this.#parts.hosts.giveUp(entry.host, visit)
      await recorder.close(entry.url, visit)
      return
    }
    if (next.hostRestsUntil !== null) {
      frontier.block(entry, next.hostRestsUntil)
      await this.#parts.hosts.waits(entry.host, next.hostRestsUntil, visit)
    }
    if (visit.kind === "failed" && isMissing(visit.status)) {
      const leftOut = await duplicates.missing(entry.url)
      if (leftOut) await frontier.add([leftOut], { how: "link", on: entry.url, depth: entry.depth })
      const copy = discovery.copyOf(entry.url)
      if (copy) await frontier.add([copy], { how: "llms", on: entry.url, depth: entry.depth })
    }
    if (next.again === null) await recorder.close(entry.url, visit)
    else await frontier.postpone(entry, next.again, next.tries)
  }
}
