import { AsyncLocalStorage } from "node:async_hooks"

/**
 * Parts that an answer can do without when they are late, busy or out of order, and the effect on the answer as the
 * rest of a sentence for readers. The names are those used in the wire format of `degraded`.
 */
export const DEGRADED_PARTS = {
  index: "the index is being rebuilt, so no page could be found",
  meaning: "pages were judged by their words alone",
  order: "there was no time to reread all pages with close scores",
  reranker: "pages were ranked without the reranker",
  pages: "long pages were read only in part",
  peers: "not all peers answered",
  answer_meaning: "the answer was chosen by words alone",
  answer_reranker: "the unit reader did not read all pieces from which the answer was chosen",
  language_model: "the language model did not answer, so the answer consists of the pages' own sentences",
  coverage: "how complete the index is could not be determined",
  state:
    "the server that keeps the state could not be reached, so keys, sources and rules are a few minutes old, and page details other than the text are missing",
} as const

export type DegradedPart = keyof typeof DEGRADED_PARTS

const ORDER = Object.keys(DEGRADED_PARTS) as DegradedPart[]

/** Whether this is the name of such a part: other names in a peer's answer are not passed on. */
export const isDegradedPart = (name: string): name is DegradedPart => Object.hasOwn(DEGRADED_PARTS, name)

/** The missing parts of an answer as a sentence; null when it is complete. */
export const degradedText = (parts: readonly DegradedPart[] = []): string | null =>
  parts.length === 0
    ? null
    : `Part of the appliance was busy or out of order: ${parts.map((part) => DEGRADED_PARTS[part]).join("; ")}.`

/** The missing parts of one answer. */
export class Degraded {
  readonly #found = new Set<DegradedPart>()
  readonly #onFound: ((part: DegradedPart) => void) | undefined

  /** @param onFound called once for each part */
  constructor(onFound?: (part: DegradedPart) => void) {
    this.#onFound = onFound
  }

  /** The missing parts, in the order of {@link DEGRADED_PARTS}; empty for a complete answer. */
  get parts(): readonly DegradedPart[] {
    return ORDER.filter((part) => this.#found.has(part))
  }

  /** Whether the pages themselves, or their ranking, may differ because of the missing parts. */
  get hasOtherPages(): boolean {
    return this.#found.has("index") || this.#found.has("meaning") || this.#found.has("peers")
  }

  add(part: DegradedPart): void {
    if (this.#found.has(part)) return
    this.#found.add(part)
    this.#onFound?.(part)
  }

  /** Runs `work`, and collects the parts that it and everything it calls leave out. */
  collect<T>(work: () => T): T {
    return collecting.run(this, work)
  }
}

const collecting = new AsyncLocalStorage<Degraded>()

/**
 * Records that the current answer is made without a part. Code that catches a late or failed part and carries on calls
 * this, so that no answer changes silently; outside an answer it does nothing.
 */
export const leaveOut = (part: DegradedPart): void => collecting.getStore()?.add(part)

const counted = new Map<DegradedPart, number>(ORDER.map((part) => [part, 0]))

/** Number of answers that this process made without a part, for each part. */
export const degradedCounts = (): ReadonlyMap<DegradedPart, number> => counted

/**
 * Counts missing parts in {@link degradedCounts}.
 * @param isWanted returns false once no caller is waiting for the answer: missing parts then don't matter
 */
export const countedDegraded = (isWanted: () => boolean = () => true): Degraded =>
  new Degraded((part) => {
    if (isWanted()) counted.set(part, counted.get(part)! + 1)
  })
