import { sourcesIn } from "../../index/page-record.ts"

/**
 * Which pages get their vectors first: those whose text in the index has changed, then those that a question would have
 * compared, then those of the source that the operator prioritizes, then all others; the pages of the last two groups
 * in the order in which they arrived.
 */
export const URGENCIES = ["changed", "asked", "first", "new"] as const
export type Urgency = (typeof URGENCIES)[number]

interface Waiting {
  readonly id: string
  readonly revision: number
  readonly passages: number
  /** Names of the page's sources, as written by `sourceText`. */
  readonly source: string
}

export interface TakenPage extends Waiting {
  readonly urgency: Urgency
}

/** The pages that are waiting for vectors, each once, in the order in which they will get them. */
export class WaitingPages {
  readonly #pages: Readonly<Record<Urgency, Map<string, Waiting>>> = {
    changed: new Map(),
    asked: new Map(),
    first: new Map(),
    new: new Map(),
  }
  #passages = 0
  #firstSource: string | null = null

  get size(): number {
    return URGENCIES.reduce((sum, urgency) => sum + this.#pages[urgency].size, 0)
  }

  /** Total number of passages on all waiting pages. */
  get passages(): number {
    return this.#passages
  }

  /** The revision that is waiting. */
  revisionOf(id: string): number | undefined {
    return this.#find(id)?.revision
  }

  /** Adds a page. A page that is already waiting keeps its place, unless it is now more urgent. */
  add(page: Waiting, urgency: "changed" | "asked" | "new"): void {
    this.#put(page, urgency === "new" && this.#isOfFirst(page) ? "first" : urgency)
  }

  #put(page: Waiting, urgency: Urgency): void {
    const had = URGENCIES.find((one) => this.#pages[one].has(page.id))
    const isSooner = had !== undefined && URGENCIES.indexOf(had) <= URGENCIES.indexOf(urgency)
    const place = isSooner ? had : urgency
    if (had !== undefined && had !== place) this.delete(page.id)
    this.#passages += page.passages - (this.#pages[place].get(page.id)?.passages ?? 0)
    this.#pages[place].set(page.id, page)
  }

  delete(id: string): void {
    for (const urgency of URGENCIES) {
      this.#passages -= this.#pages[urgency].get(id)?.passages ?? 0
      this.#pages[urgency].delete(id)
    }
  }

  /** Records pages that a question would have compared. */
  askFor(ids: Iterable<string>): void {
    for (const id of ids) {
      const page = this.#pages.first.get(id) ?? this.#pages.new.get(id)
      if (page) this.#put(page, "asked")
    }
  }

  /** Puts the pages of a source before pages that no question needed; with `null`, no source is preferred. */
  preferSource(name: string | null): void {
    if (name === this.#firstSource) return
    this.#firstSource = name
    const { first, new: others } = this.#pages
    const all = [...first.values(), ...others.values()]
    first.clear()
    others.clear()
    for (const page of all) (this.#isOfFirst(page) ? first : others).set(page.id, page)
  }

  /** Puts pages behind all others because they couldn't be embedded; others might succeed. */
  putBack(ids: Iterable<string>): void {
    for (const id of ids) {
      const page = this.#find(id)
      if (!page) continue
      this.delete(id)
      this.#put(page, "new")
    }
  }

  /**
   * The next pages, all of the same urgency: as many as contain `passages` passages in total, but at most `pages`.
   * Leaves out those whose waiting revision is in `except`, and, with `moreUrgentThan`, pages that aren't more urgent.
   */
  next(
    most: { readonly pages: number; readonly passages: number },
    except: ReadonlyMap<string, number>,
    moreUrgentThan?: Urgency,
  ): TakenPage[] {
    const end = moreUrgentThan === undefined ? URGENCIES.length : URGENCIES.indexOf(moreUrgentThan)
    for (const urgency of URGENCIES.slice(0, end)) {
      const taken: TakenPage[] = []
      let passages = 0
      for (const page of this.#pages[urgency].values()) {
        if (except.get(page.id) === page.revision) continue
        taken.push({ ...page, urgency })
        passages += page.passages
        if (taken.length >= most.pages || passages >= most.passages) break
      }
      if (taken.length > 0) return taken
    }
    return []
  }

  #isOfFirst({ source }: Waiting): boolean {
    return this.#firstSource !== null && sourcesIn(source).includes(this.#firstSource)
  }

  #find(id: string): Waiting | undefined {
    for (const urgency of URGENCIES) {
      const page = this.#pages[urgency].get(id)
      if (page) return page
    }
    return undefined
  }
}

/** Whether a caller is waiting for a page of this urgency now. */
export const isAwaited = (urgency: Urgency): boolean => urgency === "changed" || urgency === "asked"

/** Negative if the first page goes before the second. */
export const byUrgency = (one: Urgency, other: Urgency): number =>
  URGENCIES.indexOf(one) - URGENCIES.indexOf(other)
