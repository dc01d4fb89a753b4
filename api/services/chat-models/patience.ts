/** How long to wait for a reply: until its first sign of life, and from then on either until the same deadline or from one sign to the next. */
export class Patience implements Disposable {
  readonly #controller = new AbortController()
  readonly #silenceMs: number | null
  #timer: NodeJS.Timeout
  #endsAt: number
  #wasHeard = false
  /** The timeout that expired, in milliseconds. */
  limitMs: number

  /** @param silenceMs how long the reply may pause after its first sign of life; null: `firstMs` applies to the whole reply */
  constructor(firstMs: number, silenceMs: number | null) {
    this.limitMs = firstMs
    this.#silenceMs = silenceMs
    this.#endsAt = performance.now() + firstMs
    this.#timer = this.#endIn(firstMs)
  }

  /** Aborts when the time has run out. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get leftMs(): number {
    return this.#endsAt - performance.now()
  }

  get wasHeard(): boolean {
    return this.#wasHeard
  }

  /** Records a sign of life. */
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
