import type { PageUrl } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"
import type { ContentField, Source, SourceSpec } from "../../source.ts"
import type { AddressGuard } from "../guard/address-guard.ts"
import type { FetchOptions, FetchResult } from "../fetch.ts"

/** A page of a {@link Content}, before it is read. */
export interface ContentEntry {
  readonly url: PageUrl
  /** When it last changed, in milliseconds since 1970. Any value other than the previous one means that it must be read again. */
  readonly changedAt: number
  /** Size in bytes, if the list states it. */
  readonly bytes?: number
}

/** The options of a fetch that make sense without a network. */
export type ContentLoadOptions = Pick<FetchOptions, "maxBytes" | "memory" | "validators" | "signal">

/** How to reach content that is not on this machine. */
export interface ContentReach {
  /** Allows only connections to hosts that the source may reach. */
  readonly guard: AddressGuard
  readonly signal?: AbortSignal | undefined
}

export interface ContentListOptions {
  readonly signal: AbortSignal
  /** Called with a note for the operator about parts that could not be listed. */
  readonly onTrouble: (note: string) => Promise<void>
}

/** Where the pages of a source come from when they do not come from websites. */
export interface Content {
  /** Where its pages are located, as displayed by `why` and in messages: `/srv/handbook`. */
  readonly place: string
  /** The noun for one item in messages that count items, before it becomes a page: `file`. */
  readonly noun: string
  /** Checks whether the content can be read, to the extent that this machine can tell without a network. @throws KnownError that says why not */
  check(): Promise<void>
  /** Must be called before a run lists or loads anything. @throws KnownError that says why nothing can be read, such as a share that is not mounted */
  open(reach: ContentReach): Promise<void>
  /** All current pages, one batch at a time. @throws KnownError as {@link open} */
  list(options: ContentListOptions): AsyncIterable<readonly ContentEntry[]>
  /** A value that changes when the content changes, or when nothing can be read. Called by the watcher named by {@link ContentKind.watchedBy}. */
  fingerprint(): Promise<string>
  /** As `fetchPage`: problems with a page are returned as values. `gone` means that it is certainly gone. */
  load(url: PageUrl, options: ContentLoadOptions): Promise<FetchResult>
}

/** The part of a source that describes its content. */
export type OfContent = Pick<Source, "name" | "seeds"> & Partial<Pick<Source, ContentField | "folderReaders">>

export interface ContentNeeds {
  /** `null` in the process that watches content, and before the first start, since neither has a state. */
  readonly db: StateStore | null
}

/** A start, such as a path, that is recognized by a kind of content. */
export interface RecognizedStart {
  /** The kind's field, with its value. */
  readonly fields: Partial<Pick<SourceSpec, ContentField>>
  /** The most distinctive part of the start in a word or two, such as the last part of a folder's path. */
  readonly name: string
  /** The address at which people open the content, with the addresses of its pages below it; left out if the appliance displays the content. */
  readonly address?: string
  /** The proposed schedule; left out if changes are noticed automatically, or if a person starts the runs. */
  readonly schedule?: SourceSpec["schedule"]
  /** Several addresses in place of `address`, if the pages have addresses of their own. */
  readonly addresses?: readonly string[]
}

/** A kind of source other than a website. Reading the sources file loads every kind, so only `make` loads the code that reads the content. */
export interface ContentKind {
  /** The field that marks a source as this kind. */
  readonly field: ContentField
  /** Problems with the field and the options used with it. The `path` of a problem leads to a field, as in `SourceProblem`. */
  problems(spec: SourceSpec): { readonly path: readonly (string | number)[]; readonly message: string }[]
  /**
   * Who notices changes between runs. `process`: a separate process, because a check may block it; `crawler`: the
   * crawler, because a check is cheap; `null`: no process, because only a schedule or a person starts runs. @param source a
   * source whose field is set
   */
  watchedBy(source: OfContent): "process" | "crawler" | null
  /** Loads the code that reads such content. @param source a source whose field is set */
  make(source: OfContent, needs: ContentNeeds): Promise<Content>
  /** How `fossick sources add` interprets a start; `null` if the start is not of this kind. */
  recognize(start: string): Promise<RecognizedStart | null>
}
