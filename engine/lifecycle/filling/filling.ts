import { type Embedder, TEXTS_AT_A_TIME } from "../../embedder.ts"
import type { KnownVectors } from "./known-vectors.ts"
import { type Urgency, byUrgency, isAwaited } from "./waiting-pages.ts"
import { steadyNow } from "#base/steady-time.ts"

/** So many parts of {@link TEXTS_AT_A_TIME} texts are with the embedder, so that it has work while one is put together. */
const PARTS_AT_A_TIME = 2
/** A commit costs tens of milliseconds and leaves a small file, or a task on a server: vectors are committed in batches. */
const COMMIT_AT = 512
const COMMIT_WITHIN_MS = 10_000
/** Vectors that wait for a commit under way; with more, embedding waits for it. */
const MOST_UNCOMMITTED = 4 * COMMIT_AT

/** A page with the texts of its passages, and whatever else its adapter wants to have back with the vectors. */
export interface PageToFill<P> {
  readonly id: string
  readonly revision: number
  readonly urgency: Urgency
  readonly page: P
  /** By position. */
  readonly texts: readonly string[]
}

export interface FilledPage<P> {
  readonly page: P
  /** By position. */
  readonly vectors: readonly Float32Array[]
}

/** The adapter's side of a fill. */
export interface FillingParts<P> {
  readonly embedder: Pick<Embedder, "embed">
  readonly known: KnownVectors
  readonly signal: AbortSignal
  /**
   * The next pages, without those of which `inHand` has the revision; none when no other waits. With `moreUrgentThan` only
   * pages that are; asked often, so an answer at hand is wanted.
   */
  take(inHand: ReadonlyMap<string, number>, moreUrgentThan?: Urgency): Promise<readonly PageToFill<P>[]>
  /** Whether such a page may wait. */
  mayWait(inHand: ReadonlyMap<string, number>, moreUrgentThan: Urgency): boolean
  /** Whether questions are asked at present: they go first. Asked before each part. */
  areAsked(): Promise<boolean>
  commit(pages: readonly FilledPage<P>[]): Promise<void>
  /** Told of passages that have got their vectors. */
  onVectors(passages: number): void
  /** Told of pages whose vectors could not be made. */
  onFailed(ids: readonly string[]): void
}

interface Work<P> extends PageToFill<P> {
  readonly vectors: (Float32Array | undefined)[]
  /** Position of the first text that is not being embedded yet. */
  next: number
  missing: number
}

interface Place<P> {
  readonly work: Work<P>
  readonly position: number
}

/**
 * Makes vectors until no page waits, or until it is stopped: then what is embedded is committed.
 *
 * Texts go to the embedder in parts, so that a page that is more urgent is embedded between two parts of a long one, and
 * committed as soon as it is done. The urgent page with the fewest texts left goes first; all others go in the order they are
 * taken in.
 *
 * @throws the error of the embedder or of a commit, after all finished work is committed.
 */
export async function fill<P>(parts: FillingParts<P>): Promise<void> {
  await new Fill(parts).run()
}

class Fill<P> {
  readonly #parts: FillingParts<P>
  /** In the order they were taken in; a page stays until it is committed. */
  readonly #works = new Map<string, Work<P>>()
  readonly #flying = new Set<Promise<void>>()
  /** What the texts at the embedder are for. */
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

  /** Takes pages when the texts at hand do not fill a part, or when there may be more urgent ones. */
  async #take(): Promise<void> {
    if (this.#rows >= MOST_UNCOMMITTED) return
    let texts = 0
    let most: Urgency = "new"
    for (const work of this.#works.values()) {
      const left = work.texts.length - work.next
      if (left === 0) continue
      // The most urgent of those that have texts left.
      if (texts === 0 || byUrgency(work.urgency, most) < 0) most = work.urgency
      texts += left
    }
    const inHand = new Map([...this.#works.values()].map(({ id, revision }) => [id, revision]))
    const hasEnough = texts >= TEXTS_AT_A_TIME
    if (hasEnough && !this.#parts.mayWait(inHand, most)) return
    const pages = hasEnough ? await this.#parts.take(inHand, most) : await this.#parts.take(inHand)
    this.#isExhausted = pages.length === 0 && !hasEnough
    for (const page of pages) {
      // If a page changed meanwhile, its earlier texts are useless.
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

  /** The texts to embed next, equal ones once. */
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
    // It changed meanwhile.
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
    // The caller that changed a page looks for it now. Many pages share few commits.
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
