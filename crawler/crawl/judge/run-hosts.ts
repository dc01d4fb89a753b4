import { steadyNow } from "#base/steady-time.ts"

import type { Frontier } from "../frontier/frontier.ts"
import type { HostWaits } from "../../fetch/hosts/host-waits.ts"
import { outcomeName } from "../../outcome-name.ts"
import type { NoPage } from "./verdict.ts"
import { detailOf } from "./visit-outcome.ts"

export interface RunHostsOptions {
  readonly job: number
  readonly waits: HostWaits
  readonly frontier: Pick<Frontier, "giveUp">
  /** Called when all addresses of a host were closed at once. */
  readonly onGivenUp: (host: string, last: NoPage) => Promise<void>
}

const SKIPPED: NoPage = { kind: "failed", because: "cancelled", detail: "the operator skipped it" }

/** The reason without the time of the next try, which is shown separately. */
function whyOf(last: NoPage): string {
  if (last.kind === "postponed")
    return last.status === undefined
      ? "the site asked to come back later"
      : `the site answered ${last.status}`
  return detailOf(last) ?? last.kind
}

/** The hosts that one run is waiting for, and those it has abandoned. */
export class RunHosts {
  readonly #options: RunHostsOptions
  readonly #givenUp = new Map<string, NoPage>()

  constructor(options: RunHostsOptions) {
    this.#options = options
  }

  /** @param until on the `steadyNow()` clock */
  async waits(host: string, until: number, last: NoPage): Promise<void> {
    const { job, waits } = this.#options
    const why = whyOf(last)
    await waits.note(job, {
      host,
      until: new Date(Date.now() + until - steadyNow()),
      outcome: outcomeName(last),
      why,
    })
  }

  async answers(host: string): Promise<void> {
    await this.#options.waits.forget(this.#options.job, host)
  }

  isGivenUp(host: string): boolean {
    return this.#givenUp.has(host)
  }

  /** The outcome for addresses of a host that was abandoned; `null` if it was not. */
  ending(host: string): NoPage | null {
    return this.#givenUp.get(host) ?? null
  }

  /** Closes all addresses of a host, including those found later, with the outcome of its last visit. */
  async giveUp(host: string, last: NoPage): Promise<void> {
    const { job, waits, frontier, onGivenUp } = this.#options
    const why = detailOf(last) ?? last.kind
    const detail = `${host} was given up: ${why}`
    this.#givenUp.set(host, last.kind === "failed" ? { ...last, detail } : last)
    await waits.forget(job, host)
    await frontier.giveUp(host, outcomeName(last), detail)
    await onGivenUp(host, last)
  }

  /** Call this when the run has ended, or stops for now. */
  async end(): Promise<void> {
    await this.#options.waits.forgetAll(this.#options.job)
  }

  /** Gives up on hosts that the operator asked to skip. */
  async skipAsked(): Promise<void> {
    const { job, waits } = this.#options
    for (const host of await waits.skipped(job)) {
      if (!this.isGivenUp(host)) await this.giveUp(host, SKIPPED)
      await waits.forget(job, host)
    }
  }
}
