import { steadyNow } from "#base/steady-time.ts"
/** How long a payer is remembered after a payment could not be settled for lack of funds. */
const REMEMBERED_MS = 3600_000
/** Maximum number of payers remembered; the one with the oldest failure is forgotten first. */
const MAX_PAYERS = 10_000
/** Once a payer may have this many payments in progress, they are trusted again. */
const TRUSTED = 16

/**
 * A payer can have many payments verified against the same balance at once, and so make us run a search for each,
 * although only one can be settled. After a payment without funds, that payer may have only one in progress at a time;
 * each settled payment doubles that limit, as a sender does after a loss (slow start, RFC 5681).
 */
export class PayerLimits {
  readonly #underWay = new Map<string, number>()
  readonly #limited = new Map<string, { readonly atOnce: number; readonly until: number }>()

  /** Whether this payer may start a payment now; if so, `leave` must follow. */
  enter(payer: string): boolean {
    const running = this.#underWay.get(payer) ?? 0
    const limit = this.#limited.get(payer)
    if (limit !== undefined && limit.until >= steadyNow() && running >= limit.atOnce) return false
    this.#underWay.set(payer, running + 1)
    return true
  }

  leave(payer: string): void {
    const running = (this.#underWay.get(payer) ?? 0) - 1
    if (running > 0) this.#underWay.set(payer, running)
    else this.#underWay.delete(payer)
  }

  /** @param began when the settlement began, by the monotonic clock: a settlement that began before a failure says nothing about the payer's current funds */
  settled(payer: string, began: number): void {
    const limit = this.#limited.get(payer)
    if (limit === undefined || began < limit.until - REMEMBERED_MS) return
    if (limit.atOnce * 2 >= TRUSTED) this.#limited.delete(payer)
    else this.#limited.set(payer, { ...limit, atOnce: limit.atOnce * 2 })
  }

  withoutCover(payer: string): void {
    this.#limited.delete(payer)
    this.#limited.set(payer, { atOnce: 1, until: steadyNow() + REMEMBERED_MS })
    const [oldest] = this.#limited.keys()
    if (this.#limited.size > MAX_PAYERS) this.#limited.delete(oldest!)
  }
}
