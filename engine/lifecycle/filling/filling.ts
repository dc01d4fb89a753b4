import { type Embedder, TEXTS_AT_A_TIME } from "../../embedder.ts"
import type { KnownVectors } from "./known-vectors.ts"
import { type Urgency, byUrgency, isAwaited } from "./waiting-pages.ts"
import { steadyNow } from "#base/steady-time.ts"

/** Number of parts, of {@link TEXTS_AT_A_TIME} texts each, that the embedder gets at a time, so that it has work while the next one is assembled. */
const PARTS_AT_A_TIME = 2
/** Number of vectors per commit: a commit costs tens of milliseconds and leaves behind a small file, or a task on a server. */
const COMMIT_AT = 512
const COMMIT_WITHIN_MS = 10_000
/** Maximum number of vectors waiting for a commit in progress; if there are more, embedding waits for the commit. */
const MOST_UNCOMMITTED = 4 * COMMIT_AT

/** A page with the texts of its passages, and anything else that its adapter wants returned with the vectors. */
export interface PageToFill<P> {
  readonly id: string
  readonly revision: number
  readonly urgency: Urgency
  readonly page: P
  /** Texts by position. */
  readonly texts: readonly string[]
}

export interface FilledPage<P> {
  readonly page: P
  /** Vectors by position. */
  readonly vectors: readonly Float32Array[]
}

/** The adapter's side of a fill. */
export interface FillingParts<P> {
  readonly embedder: Pick<Embedder, "embed">
  readonly known: KnownVectors
  readonly signal: AbortSignal
  /**
   * Returns the next pages, except those whose revision is in `inHand`; empty if no others are waiting. With
   * `moreUrgentThan`, only more urgent pages; called often, so it should return without delay.
   */
  take(inHand: ReadonlyMap<string, number>, moreUrgentThan?: Urgency): Promise<readonly PageToFill<P>[]>
  /** Whether a more urgent page might be waiting. */
  mayWait(inHand: ReadonlyMap<string, number>, moreUrgentThan: Urgency): boolean
  /** Whether questions are being asked at present: they take precedence. Called before each part. */
  areAsked(): Promise<boolean>
  commit(pages: readonly FilledPage<P>[]): Promise<void>
  /** Called with the number of passages that have received their vectors. */
  onVectors(passages: number): void
  /** Called with pages whose vectors couldn't be created. */
  onFailed(ids: readonly string[]): void
}

interface Work<P> extends PageToFill<P> {
  readonly vectors: (Float32Array | undefined)[]
  /** Position of the first text that hasn't been sent to the embedder yet. */
  next: number
  missing: number
}

interface Place<P> {
  readonly work: Work<P>
  readonly position: number
}

/**
 * Creates vectors until no pages are waiting, or until it is stopped, in which case finished embeddings are committed.
 *
 * Texts are sent to the embedder in parts, so that a more urgent page can be embedded between two parts of a long one,
 * and committed as soon as it is done. The urgent page with the fewest texts left goes first; all others are embedded
 * in the order in which they are taken.
 *
 * @throws the error of the embedder or of a commit, after all finished work is committed.
 */
export async function fill<P>(parts: FillingParts<P>): Promise<void> {
  await new Fill(parts).run()
}

class Fill<P> {
  readonly #parts: FillingParts<P>
  /** The pages being filled, in the order in which they were taken; a page stays until it is committed. */
  readonly #works = new Map<string, Work<P>>()
  readonly #flying = new Set<Promise<void>>()
  /** Which pages the texts being embedded belong to. */
  readonly #places = new Map<string, Place<P>[]>()
  #done: Work<P>[] = []
  #rows = 0
  #doneSince = 0
  #committing: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined
  #isExhausted = false

  constructor(parts: FillingParts<P>) {
    this.#parts = parts
  }

  async run(): Promise<void> {
    const { signal } = this.#parts
    try {
      while (!signal.aborted && !this.#failure) {
        await this.#take()
        while (this.#flying.size < PARTS_AT_A_TIME && this.#rows < MOST_UNCOMMITTED) {
          const part = this.#nextPart()
          if (part.length === 0) break
          this.#start(part)
        }
        if (this.#shouldCommit()) this.#commit()
        const underWay = [...this.#flying, ...(this.#committing ? [this.#committing] : [])]
        if (underWay.length > 0) await Promise.race(underWay)
        else if (this.#done.length === 0 && this.#isExhausted) break
      }
    } finally {
      await Promise.all(this.#flying)
      await this.#committing
      if (this.#done.length > 0) this.#commit()
      await this.#committing
    }
    if (this.#failure && !signal.aborted) throw this.#failure.error
  }

  /** Takes pages if the available texts don't fill a part, or if there might be more urgent ones. */
  async #take(): Promise<void> {
    if (this.#rows >= MOST_UNCOMMITTED) return
    let texts = 0
    let most: Urgency = "new"
    for (const work of this.#works.values()) {
      const left = work.texts.length - work.next
      if (left === 0) continue
      // The most urgent page that has texts left.
      if (texts === 0 || byUrgency(work.urgency, most) < 0) most = work.urgency
      texts += left
    }
    const inHand = new Map([...this.#works.values()].map(({ id, revision }) => [id, revision]))
    const hasEnough = texts >= TEXTS_AT_A_TIME
    if (hasEnough && !this.#parts.mayWait(inHand, most)) return
    const pages = hasEnough ? await this.#parts.take(inHand, most) : await this.#parts.take(inHand)
    this.#isExhausted = pages.length === 0 && !hasEnough
    for (const page of pages) {
      // If a page changed in the meantime, its earlier texts are of no use.
      this.#works.delete(page.id)
      const vectors = page.texts.map((text) => this.#parts.known.get(text))
      const missing = vectors.filter((vector) => vector === undefined).length
      const work = { ...page, vectors, next: 0, missing }
      this.#works.set(page.id, work)
      if (missing === 0) {
        work.next = page.texts.length
        this.#finish(work)
      }
      if (missing < page.texts.length) this.#parts.onVectors(page.texts.length - missing)
    }
  }

  /** The texts to embed next, without duplicates. */
  #nextPart(): string[] {
    const part: string[] = []
    const waiting = [...this.#works.values()].filter(({ next, texts }) => next < texts.length)
    waiting.sort(
      (one, other) =>
        byUrgency(one.urgency, other.urgency) || (isAwaited(one.urgency) ? left(one) - left(other) : 0),
    )
    for (const work of waiting) {
      for (; work.next < work.texts.length && part.length < TEXTS_AT_A_TIME; work.next++) {
        if (work.vectors[work.next] !== undefined) continue
        const text = work.texts[work.next]!
        const place = { work, position: work.next }
        const places = this.#places.get(text)
        places?.push(place)
        if (places) continue
        this.#places.set(text, [place])
        part.push(text)
      }
    }
    return part
  }

  #start(part: readonly string[]): void {
    const flying = this.#embed(part)
      .catch((error: unknown) => {
        this.#failure ??= { error }
        const pages = part.flatMap((text) => this.#placesOf(text)).map(({ work }) => work.id)
        if (!this.#parts.signal.aborted) this.#parts.onFailed([...new Set(pages)])
      })
      .finally(() => this.#flying.delete(flying))
    this.#flying.add(flying)
  }

  async #embed(part: readonly string[]): Promise<void> {
    const { embedder, known, signal } = this.#parts
    const sparing = await this.#parts.areAsked()
    const vectors = await embedder.embed(part, { priority: "index", sparing, signal })
    for (const [i, text] of part.entries()) {
      const vector = vectors[i]!
      known.set(text, vector)
      const places = this.#placesOf(text)
      for (const { work, position } of places) {
        work.vectors[position] = vector
        work.missing--
        if (work.missing === 0) this.#finish(work)
      }
      this.#parts.onVectors(places.length)
    }
  }

  #placesOf(text: string): readonly Place<P>[] {
    const places = this.#places.get(text) ?? []
    this.#places.delete(text)
    return places
  }

  #finish(work: Work<P>): void {
    // The page changed in the meantime.
    if (this.#works.get(work.id) !== work) return
    if (this.#done.length === 0) this.#doneSince = steadyNow()
    this.#done.push(work)
    this.#rows += work.texts.length
  }

  #shouldCommit(): boolean {
    if (this.#committing || this.#done.length === 0) return false
    if (this.#rows >= COMMIT_AT || steadyNow() - this.#doneSince >= COMMIT_WITHIN_MS) return true
    const works = [...this.#works.values()].filter(({ missing }) => missing > 0)
    if (works.length === 0) return this.#isExhausted
    // The caller that changed this page needs to find it now. With many pages, commits are shared.
    const isUrgent = this.#done.some(({ urgency }) => isAwaited(urgency))
    return isUrgent && works.every(({ urgency }) => !isAwaited(urgency))
  }

  #commit(): void {
    const pages = this.#done
    const rows = this.#rows
    this.#done = []
    this.#committing = this.#parts
      .commit(pages.map(({ page, vectors }) => ({ page, vectors: vectors as Float32Array[] })))
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => {
        this.#committing = undefined
        this.#rows -= rows
        for (const work of pages) if (this.#works.get(work.id) === work) this.#works.delete(work.id)
      })
  }
}

const left = ({ texts, next }: { readonly texts: readonly string[]; readonly next: number }): number =>
  texts.length - next
