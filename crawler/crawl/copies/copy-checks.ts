import { decodeText } from "../../page/charset.ts"
import type { Extracted } from "../../page/extract/extracted.ts"
import { type PageUrl, toPageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import type { HostCredit } from "./host-credit.ts"
import { digestOf, holdsText, isMarkdown, type MarkdownCopy, MAX_SHARE, mayStand } from "./markdown-copy.ts"

/** What a host sent for a markdown copy. */
export interface CopyBody {
  readonly body: Uint8Array
  /** As in the header. */
  readonly robotsTag: string | string[] | undefined
}

export interface CopyChecksOptions {
  readonly credit: HostCredit
  readonly clock: Clock
  /** Asks for `text/markdown` of at most so many bytes; null: something else came. */
  readonly load: (at: PageUrl, maxBytes: number) => Promise<CopyBody | null>
  /** Told of the bytes of each copy, and of those of the page that it spared. */
  readonly onCopy: (bytes: number, spared: number) => void
}

/** What asking for a copy brought. */
export type CopyAnswer =
  /** The page has not changed. */
  | { readonly kind: "same"; readonly copy: MarkdownCopy }
  /** The page has to be read; this may be its copy. */
  | { readonly kind: "other"; readonly at: PageUrl; readonly digest: string; readonly text: string }
  | { readonly kind: "none" }

/** A page that was read, as far as its copy is compared with it. */
interface ReadPage {
  readonly url: PageUrl
  readonly bytes: number
  readonly extracted: Pick<Extracted, "markdown" | "markdownAt" | "isListing" | "type">
}

/** A copy is compared with its page on the event loop, which takes 20 ms for so much. */
const MAX_COPY_BYTES = 128 * 1024
/** The address of a copy is kept with that of its page, and the site may write what it likes there. */
const MAX_ADDRESS_CHARS = 2000

/** Asks for the markdown copies of pages before the pages, to spare those that have not changed. */
export class CopyChecks {
  readonly #options: CopyChecksOptions

  constructor(options: CopyChecksOptions) {
    this.#options = options
  }

  /** Asks for a copy, unless it is time to read the page or its host never helps. @returns null when nothing was asked */
  async ask(copy: MarkdownCopy): Promise<CopyAnswer | null> {
    const { credit, clock, load, onCopy } = this.#options
    const isCheck = copy.digest !== null
    if (isCheck && !mayStand(copy, clock())) return null
    const { host } = new URL(copy.at)
    if (!credit.take(host, clock(), isCheck)) return null
    const answer = await load(copy.at, Math.min(MAX_COPY_BYTES, Math.floor(copy.pageBytes * MAX_SHARE)))
    if (answer === null) return { kind: "none" }
    const digest = digestOf(answer.body, answer.robotsTag)
    const isSame = digest === copy.digest
    onCopy(answer.body.byteLength, isSame ? copy.pageBytes : 0)
    if (isSame) {
      credit.earn(host)
      return { kind: "same", copy: { ...copy, checks: copy.checks + 1 } }
    }
    return { kind: "other", at: copy.at, digest, text: decodeText(answer.body, null, "text") }
  }

  /**
   * What is known of a page's copy now that the page was read. Pages that list others have none, since they are read for
   * their links.
   * @param answer of the copy that was asked for at this visit; null: none was
   * @param before what was known of the copy of this very page
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
