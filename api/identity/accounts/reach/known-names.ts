import { didYouMean } from "#base/text/near-names.ts"

import { badRequest } from "../../../errors.ts"
import type { Collections } from "./collections.ts"
import { limitsPages } from "../keys/key-scope.ts"
import { type Limited, type LimitParts, namesLeft, pageLimits } from "./scoped-pages.ts"

/** Names in a request: one, several, or none. */
export interface AskedNames {
  readonly sources?: string | readonly string[] | undefined
  readonly collections?: string | readonly string[] | undefined
}

/** A page's sources and collections. */
export interface Filed {
  readonly sources: readonly string[]
  readonly collections: readonly string[]
}

/** The names of sources and collections that a caller may use and see. For the caller, other names don't exist. */
export interface KnownNames {
  /**
   * The requested sources: those named, and those of the collections; undefined when none were requested.
   * @throws ApiError 400 naming the first unknown name, with similar ones
   */
  named(asked: AskedNames): Promise<readonly string[] | undefined>
  /** All names that the caller may know, sorted. */
  all(): Promise<{ readonly sources: readonly string[]; readonly collections: readonly string[] }>
  /** Returns a function that finds the known sources among a page's sources, and the collections that contain any of these. */
  filing(): Promise<(sources: readonly string[]) => Filed>
}

/** For callers that aren't shown any names: names in their requests are not read. */
export const NAMELESS: Pick<KnownNames, "named"> = { named: async () => undefined }

export interface NameParts extends Pick<LimitParts, "readers"> {
  readonly collections: Pick<Collections, "sourcesOf" | "list">
  /** Names of all sources; empty if they are unknown, as with an index that another machine fills. */
  readonly sourceNames: () => Promise<readonly string[]>
}

/**
 * A limited caller knows the sources and collections within its scope and no other names; a caller limited only by
 * domains knows none. Neither errors nor results reveal more.
 */
export function knownNames(limited: Limited, parts: NameParts): KnownNames {
  const { scope } = limited
  const { collections, sourceNames } = parts
  /** The sources that the caller may know; null for all. */
  const limits = async () => {
    const mine = await pageLimits(limited, parts)
    const isOfAll = mine === null || (mine.sources === null && mine.domains === null)
    if (isOfAll && !mine?.readable?.hidden.length) return null
    return namesLeft(mine, mine?.sources ?? (await sourceNames()))
  }
  const knownCollections = async (mine: readonly string[] | null) => {
    const all = await collections.list()
    if (mine === null) return all
    const named = limitsPages(scope) ? all.filter(({ name }) => scope.collections?.includes(name)) : all
    // A collection is hidden when all its sources are.
    return named.filter(({ sources }) => limitsPages(scope) || sources.some((name) => mine.includes(name)))
  }
  return {
    async named({ sources = [], collections: asked = [] }) {
      const wanted = { sources: [sources].flat(), collections: [asked].flat() }
      if (wanted.sources.length + wanted.collections.length === 0) return undefined
      const mine = await limits()
      const known = mine ?? (await sourceNames())
      // If no source is known at all, every name is accepted.
      if (mine !== null || known.length > 0) requireKnown("sources", wanted.sources, known)
      const sets = await knownCollections(mine)
      requireKnown(
        "collections",
        wanted.collections,
        sets.map(({ name }) => name),
      )
      const held = sets.filter(({ name }) => wanted.collections.includes(name)).flatMap((one) => one.sources)
      return [...new Set([...wanted.sources, ...held])]
    },
    async all() {
      const mine = await limits()
      return {
        sources: (mine ?? (await sourceNames())).toSorted(),
        collections: (await knownCollections(mine)).map(({ name }) => name),
      }
    },
    async filing() {
      const mine = await limits()
      const sets = await knownCollections(mine)
      return (sources) => {
        const shown = mine === null ? sources : sources.filter((name) => mine.includes(name))
        const holding = sets.filter((one) => one.sources.some((name) => shown.includes(name)))
        return { sources: shown, collections: holding.map(({ name }) => name) }
      }
    },
  }
}

const ONE = { sources: "source", collections: "collection" } as const

function requireKnown(field: keyof typeof ONE, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const near = didYouMean(unknown, known) || "."
  throw badRequest(
    `Invalid ${field}. There is no ${ONE[field]} ${JSON.stringify(unknown.slice(0, 100))}${near}`,
  )
}
