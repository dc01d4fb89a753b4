import type { PageUrl } from "#engine"
import type { FetchOptions, FetchResult } from "../fetch.ts"

/** A page of a {@link Content}, before it is read. */
export interface ContentEntry {
  readonly url: PageUrl
  /** When it changed last, in milliseconds since 1970: any other value than before means that it must be read again. */
  readonly changedAt: number
}

/** Those options of a fetch that mean something without a network. */
export type ContentLoadOptions = Pick<FetchOptions, "maxBytes" | "memory" | "validators" | "signal">

export interface ContentListOptions {
  readonly signal: AbortSignal
  /** Called with a note for the operator for what could not be listed. */
  readonly onTrouble: (note: string) => Promise<void>
}

/** Where the pages of a source come from when they do not come from websites. */
export interface Content {
  /** Where its pages are, as `why` and messages say it: `/srv/handbook`. */
  readonly place: string
  /** @throws KnownError that says why nothing can be read, such as a share that is not mounted */
  open(): Promise<void>
  /** All pages as they are now, some at a time. @throws KnownError as {@link open} */
  list(options: ContentListOptions): AsyncIterable<readonly ContentEntry[]>
  /** Differs from what it was when anything changed since, or when nothing can be read. May hold up the process that asks. */
  fingerprint(): Promise<string>
  /** As `fetchPage`: whatever is wrong with a page is a value. `gone` means that it certainly is. */
  load(url: PageUrl, options: ContentLoadOptions): Promise<FetchResult>
}
