import { decodeText } from "../../page/charset.ts"
import type { Extracted } from "../../page/extract/extracted.ts"
import { type PageUrl, toPageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import type { HostCredit } from "./host-credit.ts"
import { digestOf, holdsText, isMarkdown, type MarkdownCopy, MAX_SHARE, mayStand } from "./markdown-copy.ts"

/** A host's answer to a request for a markdown copy. */
export interface CopyBody {
  readonly body: Uint8Array
  /** The value as in the header. */
  readonly robotsTag: string | string[] | undefined
}

export interface CopyChecksOptions {
  readonly credit: HostCredit
  readonly clock: Clock
  /** Requests `text/markdown` of at most `maxBytes`; `null` if anything else was sent. */
  readonly load: (at: PageUrl, maxBytes: number) => Promise<CopyBody | null>
  /** Called for each copy with its size in bytes, and with the size of the page download that it saved, or 0. */
  readonly onCopy: (bytes: number, spared: number) => void
}

/** The result of asking for a copy. */
export type CopyAnswer =
  /** The page has not changed. */
  | { readonly kind: "same"; readonly copy: MarkdownCopy }
  /** The visit must read the page; this text may be the page's copy. */
  | { readonly kind: "other"; readonly at: PageUrl; readonly digest: string; readonly text: string }
  | { readonly kind: "none" }

/** The parts of a page that its copy is compared with. */
interface ReadPage {
  readonly url: PageUrl
  readonly bytes: number
  readonly extracted: Pick<Extracted, "markdown" | "markdownAt" | "isListing" | "type">
}

/** Maximum size of a copy. Comparing a copy of this size with its page blocks the event loop for about 20 ms. */
const MAX_COPY_BYTES = 128 * 1024
/** Maximum length of a copy's address: the state keeps it with the page, and the site chooses its length. */
const MAX_ADDRESS_CHARS = 2000

/** Requests a page's markdown copy before the page, to save downloading pages that have not changed. */
export class CopyChecks {
  readonly #options: CopyChecksOptions

  constructor(options: CopyChecksOptions) {
    this.#options = options
  }

  /** Requests a copy, unless it is time to read the page or copies never help for its host. @returns null when nothing was requested */
  async ask(copy: MarkdownCopy): Promise<CopyAnswer | null> {
    const { credit, clock, load, onCopy } = this.#options
    const isCheck = copy.digest !== null
    if (isCheck && !mayStand(copy, clock())) return null
    const { host } = new URL(copy.at)
    if (!(await credit.take(host, clock(), isCheck))) return null
    const answer = await load(copy.at, Math.min(MAX_COPY_BYTES, Math.floor(copy.pageBytes * MAX_SHARE)))
    if (answer === null) return { kind: "none" }
    const digest = digestOf(answer.body, answer.robotsTag)
    const isSame = digest === copy.digest
    onCopy(answer.body.byteLength, isSame ? copy.pageBytes : 0)
    if (isSame) {
      await credit.earn(host)
      return { kind: "same", copy: { ...copy, checks: copy.checks + 1 } }
    }
    return { kind: "other", at: copy.at, digest, text: decodeText(answer.body, null, "text") }
  }

  /**
   * The record of a page's copy after the page was read. A page that lists other pages has no record, because each
   * visit reads it for its links.
   * @param answer the copy that this visit requested; `null` if it requested none
   * @param before the record of this page's copy before the visit
   */
  learned(
    { url, bytes, extracted }: ReadPage,
    answer: CopyAnswer | null,
    before: MarkdownCopy | null,
  ): MarkdownCopy | undefined {
    const { markdownAt, isListing, markdown, type } = extracted
    if (markdownAt === undefined || isListing === true || type !== "html") return undefined
    const at = toPageUrl(markdownAt)
    if (at === null || at.length > MAX_ADDRESS_CHARS || new URL(at).origin !== new URL(url).origin)
      return undefined
    const known = { at, pageBytes: bytes, readAt: this.#options.clock(), checks: 0 }
    if (answer === null) return { ...known, digest: before?.at === at ? before.digest : null }
    const stands =
      answer.kind === "other" &&
      answer.at === at &&
      isMarkdown(answer.text) &&
      holdsText(answer.text, markdown)
    return { ...known, digest: stands ? answer.digest : null }
  }
}
