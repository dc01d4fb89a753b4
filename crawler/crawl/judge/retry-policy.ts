import type { CrawlerConfig } from "../../settings.ts"
import type { FrontierEntry } from "../../frontier/host-queues.ts"
import { HostFailures } from "./host-failures.ts"
import type { Visit } from "../../reading.ts"
import { isAnswer, isInVain, type Unread } from "./visit-outcome.ts"

/** A host that was tried in vain this often in a row is given up for this crawl. */
const HOST_ROUNDS = 10

/** What is to be done after a visit that brought nothing to read. Times are told by `steadyNow()`. */
export type NextTry =
  /** The host is given up with all its addresses. */
  | { readonly kind: "give-up-host" }
  | {
      readonly kind: "host-goes-on"
      /** Until when the host is left alone; null: it need not be. */
      readonly hostRestsUntil: number | null
      /** When the address is tried again; null: the visit was its last. */
      readonly again: number | null
    }

/** Decides when an address is tried again, when its host has a rest, and when the host is given up. One for each run. */
export class RetryPolicy {
  readonly #patience = new HostFailures()
  readonly #config: Pick<CrawlerConfig, "retryDelayMs" | "maxWaitMs" | "maxTries">

  constructor(config: Pick<CrawlerConfig, "retryDelayMs" | "maxWaitMs" | "maxTries">) {
    this.#config = config
  }

  /** Notes how a visit ended: a host that answers has all patience again. */
  note(host: string, visit: Visit): void {
    if (isAnswer(visit)) this.#patience.answered(host)
  }

  /** @param startedAt when the visit began */
  after(
    { host, tries }: Pick<FrontierEntry, "host" | "tries">,
    visit: Unread,
    startedAt: number,
    now: number,
  ): NextTry {
    const { retryDelayMs, maxWaitMs, maxTries } = this.#config
    let hostRestsUntil: number | null = null
    if (isInVain(visit)) {
      const rounds = this.#patience.failed(host, startedAt, now)
      if (rounds >= HOST_ROUNDS) return { kind: "give-up-host" }
      if (rounds > 1) hostRestsUntil = now + Math.min(retryDelayMs * 2 ** (rounds - 2), maxWaitMs)
    }
    const again = this.#again(visit, tries, now)
    if (again === null || again - now > maxWaitMs || tries + 1 >= maxTries) {
      return { kind: "host-goes-on", hostRestsUntil, again: null }
    }
    if (visit.kind === "postponed") hostRestsUntil = Math.max(hostRestsUntil ?? 0, again)
    return { kind: "host-goes-on", hostRestsUntil, again }
  }

  #again(visit: Unread, tries: number, now: number): number | null {
    if (visit.kind === "postponed") return visit.until.getTime()
    if (visit.kind === "failed" && visit.transient) return now + this.#config.retryDelayMs * 2 ** tries
    return null
  }
}
