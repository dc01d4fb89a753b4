import { hash } from "node:crypto"
import type { PageUrl } from "#engine"
import { toPlainText } from "../../page/extract/markdown/plain-text.ts"

/** The markdown copy of a page: it shows whether the page has changed, and is never stored in its place. */
export interface MarkdownCopy {
  /** Where the copy is requested: the page's own address, or another one on the same origin. */
  readonly at: PageUrl
  /** The copy's {@link digestOf}; `null` until a copy has been compared with the page as it was last read. */
  readonly digest: string | null
  /** Size of the page in bytes: the download that a check saves. */
  readonly pageBytes: number
  /** When the page itself was last read, in milliseconds since 1970. */
  readonly readAt: number
  /** Visits since then that requested only the copy. */
  readonly checks: number
}

/** A copy doesn't show links, canonical addresses and robots tags, which can change too, so every fourth visit reads the page. */
const MAX_CHECKS = 3
/** A visit after this many days reads the page too, however few visits came before it. */
const MAX_DAYS = 14
const DAY_MS = 86_400_000
/** Maximum size of a copy, as a share of its page's size: a larger copy saves too little, and may lack parts of the page. */
export const MAX_SHARE = 0.5
/**
 * The share of a page's distinct words that its copy must contain. Of 530 pairs of a page and its markdown, written by
 * the page's author or produced by another program, 95% reach this share; with the last quarter of the markdown cut
 * off, 1.3% do, and with half cut off, 0.2%. With a threshold of 95%, the figures would be 96, 3.2 and 0.8%.
 */
const MIN_WORDS = 0.97
/** Markdown's marks never make text more than twice as long. */
const MARKS = 2

/** Whether a visit may request only the copy. */
export const mayStand = ({ digest, checks, readAt }: MarkdownCopy, now: number): boolean =>
  digest !== null && checks < MAX_CHECKS && now - readAt < MAX_DAYS * DAY_MS

/** A digest of the text and of the headers about robots and readers: if one changes, the visit must read the page itself. */
export function digestOf(body: Uint8Array, robotsTag: string | string[] | undefined): string {
  const tag = hash("sha256", JSON.stringify(robotsTag ?? null), "base64url")
  return hash("sha256", Buffer.concat([Buffer.from(tag), body]), "base64url")
}

/** Whether a body is markdown rather than a web page sent as markdown. */
export const isMarkdown = (text: string): boolean =>
  !text.includes("\0") && !/^\s*<(?:!doctype|html|head|body)[\s>]/i.test(text)

/** Whether a copy contains the main content of its page; both are markdown. */
export function holdsText(copy: string, page: string): boolean {
  if (page.length > copy.length * MARKS) return false
  const words = wordsOf(toPlainText(page))
  const held = wordsOf(copy)
  let found = 0
  for (const word of words) if (held.has(word)) found += 1
  return found >= words.size * MIN_WORDS
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu),
  )

/**
 * The copy's record after its page was read and judged. If the copy stayed the same while its page changed, it cannot
 * be used to detect changes.
 */
export function copyAfter(
  copy: MarkdownCopy | undefined,
  before: MarkdownCopy | null | undefined,
  isUnchanged: boolean,
): MarkdownCopy | null {
  if (copy === undefined) return null
  return isUnchanged || copy.digest !== before?.digest ? copy : { ...copy, digest: null }
}
