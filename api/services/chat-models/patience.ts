/** How long a reply is waited for: until its first sign, and from then on either to the same end or from sign to sign. */
export class Patience implements Disposable {
  readonly #controller = new AbortController()
  readonly #silenceMs: number | null
  #timer: NodeJS.Timeout
  #endsAt: number
  #wasHeard = false
  /** The time-out that expired, in milliseconds. */
  limitMs: number

  /** @param silenceMs how long it may be quiet after its first sign; null: `firstMs` applies to the whole reply */
  constructor(firstMs: number, silenceMs: number | null) {
    this.limitMs = firstMs
    this.#silenceMs = silenceMs
    this.#endsAt = performance.now() + firstMs
    this.#timer = this.#endIn(firstMs)
  }

  /** Aborts when it has run out. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get leftMs(): number {
    return this.#endsAt - performance.now()
  }

  get wasHeard(): boolean {
    return this.#wasHeard
  }

  /** Takes note of a sign. */
  heard(): void {
    this.#wasHeard = true
    if (this.#silenceMs === null) return
    clearTimeout(this.#timer)
    this.limitMs = this.#silenceMs
    this.#endsAt = performance.now() + this.#silenceMs
    this.#timer = this.#endIn(this.#silenceMs)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  #endIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#controller.abort(new DOMException("no patience left", "TimeoutError")), ms)
  }
}
