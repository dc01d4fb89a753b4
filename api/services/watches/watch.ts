import type { Page, PageUrl } from "#engine"
import type { KnownNames } from "../../identity/accounts/reach/known-names.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import type { AskedQuery } from "../misses/narrow-filters.ts"

/** The kinds of changes to a watched page. */
export const CHANGES = ["new", "changed", "gone"] as const

export type Change = (typeof CHANGES)[number]

/** The subject of a watch: pages that a question finds, pages of a source, or one page. */
export type Subject =
  | {
      readonly kind: "question"
      /** A body of POST /search. */
      readonly search: Readonly<Record<string, unknown>>
    }
  | {
      readonly kind: "source"
      readonly source: string
      /** Patterns for addresses, like those of a source. */
      readonly include: readonly string[]
      readonly exclude: readonly string[]
    }
  | {
      readonly kind: "page"
      /** The address as given, and the address under which the index had the page at that time. */
      readonly urls: readonly PageUrl[]
    }

/** The settings of a watch that its owner may change. */
export interface WatchOptions {
  /** The watch's name; empty if it has none. */
  readonly name: string
  readonly changes: readonly Change[]
  readonly webhook: string | null
  readonly emails: readonly string[]
  /** Minimum number of minutes between messages; with 0, messages are sent at once. */
  readonly everyMinutes: number
  /** Whether messages are withheld. */
  readonly paused: boolean
}

/** A question, source or page whose changes a user wants to hear about. */
export interface Watch extends WatchOptions {
  readonly id: string
  /** Id of the key that owns the watch. */
  readonly key: string
  readonly subject: Subject
  readonly createdAt: Date
  /** When the watch finished recording existing pages; it reports changes since then. `null` while it is still recording them. */
  readonly readyAt: Date | null
}

/** One change of one page, reported once. */
export interface Entry {
  /** The entry's number, which increases from entry to entry. */
  readonly seq: number
  /** The same id in the feed, in messages and in answers. */
  readonly id: string
  readonly watch: string
  readonly change: Change
  readonly url: PageUrl
  readonly title: string
  /** The sources and readers of the page, to decide later whether a key may see it. */
  readonly sources: readonly string[]
  readonly readers?: Page["readers"]
  /** Diff of the Markdown, in unified format; `null` if the page is new or gone, the earlier text was not stored, or the texts could not be compared. */
  readonly diff: string | null
  readonly at: Date
}

/** A watch's record of a page as last seen. */
export interface SeenPage {
  readonly url: PageUrl
  /** Hash of title and text. */
  readonly hash: string
  readonly title: string
  readonly sources: readonly string[]
  readonly readers?: Page["readers"]
}

/** A question in the form in which a watch asks it. */
export interface SavedQuestion {
  readonly query: AskedQuery
  /** Number of results that the question's body asks for; `null` if the body doesn't specify one. */
  readonly results: number | null
}

/**
 * Reads a watch's stored question: a search body, in the format of the API that accepts it.
 * @throws ApiError 400 naming the field that is wrong or not allowed in a watch
 */
export type ReadQuestion = (
  search: Readonly<Record<string, unknown>>,
  limits: SearchLimits,
  names: Pick<KnownNames, "named">,
) => Promise<SavedQuestion>
