import { pause } from "#base/flow/pause.ts"
import type { NamedPages, Suggestions } from "../../search/suggestions/suggestions.ts"
import type { Backend } from "./backend.ts"

/** How often to look for pages written by other machines; takes one search. */
const LOOK_MS = 10_000
/** How often all pages are read to find deleted ones, which a search doesn't reveal: every tenth round. */
const ROUNDS = 10

export interface NamesOfOthersOptions {
  readonly suggestions: Suggestions
  readonly pages: NamedPages
  readonly changedSince: NonNullable<Backend["changedSince"]>
  readonly lookMs?: number | undefined
  readonly onProblem: (error: unknown) => void
}

/** Adds the names of pages written by other machines to this machine's names file, in the background. */
export class NamesOfOthers implements AsyncDisposable {
  readonly #options: NamesOfOthersOptions
  readonly #stop = new AbortController()
  readonly #work: Promise<void>

  constructor(options: NamesOfOthersOptions) {
    this.#options = options
    this.#work = this.#run()
  }

  async #run(): Promise<void> {
    const { lookMs = LOOK_MS, onProblem } = this.#options
    for (let round = 0; ; round++) {
      await pause(lookMs, this.#stop.signal)
      if (this.#stop.signal.aborted) return
      await this.#look(round % ROUNDS === 0).catch(onProblem)
    }
  }

  async #look(mayCompare: boolean): Promise<void> {
    const { suggestions, pages, changedSince } = this.#options
    const since = suggestions.followed
    const { changed, count, version } = await changedSince(since)
    await suggestions.bring(changed, pages)
    const isOther = since === 0 || (mayCompare && count !== suggestions.count)
    if (isOther) await suggestions.catchUp(pages)
    suggestions.followed = version
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#work
  }
}
