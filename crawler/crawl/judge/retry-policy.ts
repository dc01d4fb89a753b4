import type { CrawlerConfig } from "../../settings.ts"
import type { FrontierEntry } from "../frontier/host-queues.ts"
import { HostFailures } from "./host-failures.ts"
import type { Visit } from "../../reading.ts"
import { isAnswer, isInVain, type Unread } from "./visit-outcome.ts"

/**
 * A host with this many unsuccessful tries in a row is abandoned for this run. With the default FOSSICK_RETRY_DELAY_MS
 * that is after 155 seconds of pauses, long enough to restart a server.
 */
export const HOST_TRIES = 6
/** Number of tries that a timed-out visit counts as, because it has already used up patience. */
const TIMEOUT_COUNTS = 2
/**
 * A host that refuses its first connections in a run, or cannot be found, most likely has a mistyped address, and a
 * user may be waiting for the answer. It is tried a second time, after the time that a server takes to restart, and
 * then abandoned.
 */
const FIRST_TRIES = 2
const FIRST_REST_MS = 2000

/** What to do after a visit that found nothing to read. Times are on the `steadyNow()` clock. */
export type NextTry =
  /** The host is abandoned with all its addresses. */
  | { readonly kind: "give-up-host" }
  | {
      readonly kind: "host-goes-on"
      /** Time until which the host is left alone; `null` if it need not be. */
      readonly hostRestsUntil: number | null
      /** When the address is tried again; `null` if the visit was its last. */
      readonly again: number | null
      /** How often the address has been tried, including this time if the address itself was at fault. */
      readonly tries: number
    }

/** Decides when an address is tried again, when its host is given a pause, and when the host is abandoned. One per run. */
export class RetryPolicy {
  readonly #patience = new HostFailures()
  readonly #config: Pick<CrawlerConfig, "retryDelayMs" | "maxWaitMs" | "maxTries">
  readonly #concealsNames: boolean
  readonly #hasRead: boolean

  /**
   * @param concealsNames whether unknown names look like temporary failures
   * @param hasRead whether the run read pages before, in a process that was lost or stopped
   */
  constructor(
    config: Pick<CrawlerConfig, "retryDelayMs" | "maxWaitMs" | "maxTries">,
    { concealsNames = false, hasRead = false } = {},
  ) {
    this.#config = config
    this.#concealsNames = concealsNames
    this.#hasRead = hasRead
  }

  /** Records how a visit ended: a host that answers gets full patience again. @returns whether it had been in trouble */
  note(host: string, visit: Visit): boolean {
    return isAnswer(visit) && !this.#isInTrouble(host, visit) && this.#patience.answered(host)
  }

  /** @param startedAt when the visit began */
  after(
    { host, tries }: Pick<FrontierEntry, "host" | "tries">,
    visit: Unread,
    startedAt: number,
    now: number,
  ): NextTry {
    const { retryDelayMs, maxWaitMs, maxTries } = this.#config
    const isNew = !this.#patience.hasAnswered(host)
    const again = this.#again(visit, tries, now)
    const isTooLong = again !== null && again - now > maxWaitMs
    if (!this.#isInTrouble(host, visit)) {
      const isLast = again === null || isTooLong || tries + 1 >= maxTries
      return { kind: "host-goes-on", hostRestsUntil: null, again: isLast ? null : again, tries: tries + 1 }
    }
    // An invalid certificate or a non-existent name will not be fixed within a minute.
    if (isNew && (isForGood(visit) || isTooLong)) return { kind: "give-up-host" }
    const count = this.#patience.failed(host, startedAt, now, weightOf(visit))
    const isMistyped = isNew && this.#looksMistyped(visit)
    if (count >= (isMistyped ? FIRST_TRIES : HOST_TRIES)) return { kind: "give-up-host" }
    const pause = Math.min(retryDelayMs * 2 ** (count - 1), maxWaitMs)
    const rest = now + (isMistyped ? Math.min(pause, FIRST_REST_MS) : pause)
    const hostRestsUntil = visit.kind === "postponed" && !isTooLong ? Math.max(rest, again ?? 0) : rest
    // If the host is at fault, the address keeps all its tries.
    const isHosts = isNew || (visit.kind === "failed" && visit.because !== "timeout")
    if (isHosts && !isForGood(visit))
      return { kind: "host-goes-on", hostRestsUntil, again: hostRestsUntil, tries }
    const isLast = again === null || isTooLong || tries + 1 >= maxTries
    return {
      kind: "host-goes-on",
      hostRestsUntil,
      again: isLast ? null : Math.max(again, hostRestsUntil),
      tries: tries + 1,
    }
  }

  /** Whether nothing on the site has answered yet, in a run that has read no page before. */
  #looksMistyped(visit: Unread): boolean {
    if (visit.kind !== "failed" || this.#hasRead) return false
    // A name server that fails during the operator's own crawl does not mean a mistyped address.
    const isNoName = visit.because === "dns" && this.#concealsNames && !this.#patience.hasAnyAnswered
    return visit.because === "refused" || isNoName
  }

  /** Whether the host is in trouble, and not just the address. */
  #isInTrouble(host: string, visit: Visit): boolean {
    if (visit.kind === "read" || visit.kind === "unmodified") return false
    if (isInVain(visit)) return true
    // The answer to the host's first address is all that is known about the host.
    return (
      visit.kind === "failed" &&
      visit.status !== undefined &&
      visit.status >= 500 &&
      !this.#patience.hasAnswered(host)
    )
  }

  #again(visit: Unread, tries: number, now: number): number | null {
    if (visit.kind === "postponed") return visit.until.getTime()
    if (visit.kind === "failed" && visit.transient) return now + this.#config.retryDelayMs * 2 ** tries
    return null
  }
}

function isForGood(visit: Unread): boolean {
  return visit.kind === "failed" && !visit.transient && (visit.because === "tls" || visit.because === "dns")
}

/** How many unsuccessful tries a visit counts as. */
const weightOf = (visit: Unread): number =>
  visit.kind === "failed" && visit.because === "timeout" ? TIMEOUT_COUNTS : 1
