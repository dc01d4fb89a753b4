import type { Page, PageUrl } from "#engine"
import type { KnownNames } from "../../identity/accounts/reach/known-names.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import type { AskedQuery } from "../misses/narrow-filters.ts"

/** What can happen to a page that is watched. */
export const CHANGES = ["new", "changed", "gone"] as const

export type Change = (typeof CHANGES)[number]

/** What is watched: pages that a question finds, pages of a source, or one page. */
export type Subject =
  | {
      readonly kind: "question"
      /** A body of POST /search. */
      readonly search: Readonly<Record<string, unknown>>
    }
  | {
      readonly kind: "source"
      readonly source: string
      /** Patterns of addresses, as those of a source. */
      readonly include: readonly string[]
      readonly exclude: readonly string[]
    }
  | {
      readonly kind: "page"
      /** As it was given, and the one under which the index held it then. */
      readonly urls: readonly PageUrl[]
    }

/** What its owner may change of a watch. */
export interface WatchOptions {
  /** Empty for none. */
  readonly name: string
  readonly changes: readonly Change[]
  readonly webhook: string | null
  readonly emails: readonly string[]
  /** Messages are no closer together than this many minutes; 0 sends them at once. */
  readonly everyMinutes: number
  /** Whether messages wait. */
  readonly paused: boolean
}

/** A question, source or page whose changes somebody wants to be told of. */
export interface Watch extends WatchOptions {
  readonly id: string
  /** Id of the key whose watch it is. */
  readonly key: string
  readonly subject: Subject
  readonly createdAt: Date
  /** When it knew all that was there already: changes since are told. Null while it looks. */
  readonly readyAt: Date | null
}

/** One change of one page, told once. */
export interface Entry {
  /** Rises from entry to entry. */
  readonly seq: number
  /** The same in the feed, in messages and in answers. */
  readonly id: string
  readonly watch: string
  readonly change: Change
  readonly url: PageUrl
  readonly title: string
  /** The sources and readers of the page, for what a key may see of it later. */
  readonly sources: readonly string[]
  readonly readers?: Page["readers"]
  /** In the unified format, of its Markdown; null where there is none, or the text before was not kept. */
  readonly diff: string | null
  readonly at: Date
}

/** What a watch knows of a page since it last looked. */
export interface SeenPage {
  readonly url: PageUrl
  /** Of title and text. */
  readonly hash: string
  readonly title: string
  readonly sources: readonly string[]
  readonly readers?: Page["readers"]
}

/** A question as a watch asks it. */
export interface SavedQuestion {
  readonly query: AskedQuery
  /** Results that its body wants; null: it does not say. */
  readonly results: number | null
}

/**
 * Reads a question as watches keep it: a body of a search, in the words of the API that takes it.
 * @throws ApiError 400 naming what is wrong, or has no place in a watch
 */
export type ReadQuestion = (
  search: Readonly<Record<string, unknown>>,
  limits: SearchLimits,
  names: Pick<KnownNames, "named">,
) => Promise<SavedQuestion>
