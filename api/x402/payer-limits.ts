/** How long a payer whose payment could not be settled may have one payment under way only. */
const REMEMBERED_MS = 3600_000
/** Payers remembered at most; the oldest failure is forgotten first. */
const MAX_PAYERS = 10_000

/**
 * A payer can have many payments verified against one balance at the same time, and get a search done for each though
 * only one can be settled. After a payment that could not be settled there is one at a time for that payer.
 */
export class PayerLimits {
  readonly #underWay = new Map<string, number>()
  readonly #failedAt = new Map<string, number>()

  /** Whether this payer may start one now; then `leave` must follow. */
  enter(payer: string): boolean {
    const running = this.#underWay.get(payer) ?? 0
    if (running > 0 && (this.#failedAt.get(payer) ?? 0) > Date.now() - REMEMBERED_MS) return false
    this.#underWay.set(payer, running + 1)
    return true
  }

  leave(payer: string): void {
    const running = (this.#underWay.get(payer) ?? 0) - 1
    if (running > 0) this.#underWay.set(payer, running)
    else this.#underWay.delete(payer)
  }

  failed(payer: string): void {
    this.#failedAt.delete(payer)
    this.#failedAt.set(payer, Date.now())
    const [oldest] = this.#failedAt.keys()
    if (this.#failedAt.size > MAX_PAYERS && oldest !== undefined) this.#failedAt.delete(oldest)
  }
}
