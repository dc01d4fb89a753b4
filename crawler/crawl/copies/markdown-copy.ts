import { hash } from "node:crypto"
import type { PageUrl } from "#engine"
import { toPlainText } from "../../page/extract/markdown/plain-text.ts"

/** The markdown copy of a page, which tells whether the page has changed and is never stored in its place. */
export interface MarkdownCopy {
  /** Where it is asked for: at the page's own address, or at another of its origin. */
  readonly at: PageUrl
  /** As {@link digestOf}; null while no copy is known to hold the text of the page as it was read last. */
  readonly digest: string | null
  /** Bytes of the page, which a check spares. */
  readonly pageBytes: number
  /** When the page itself was read last, in milliseconds since 1970. */
  readonly readAt: number
  /** Visits since then that asked for the copy alone. */
  readonly checks: number
}

/** A copy says nothing of links, canonical and robots marks, which change too: every fourth visit reads the page. */
const MAX_CHECKS = 3
/** So does a visit after so long, for pages that are visited seldom. */
const MAX_DAYS = 14
const DAY_MS = 86_400_000
/** A copy that is larger spares too little for what it may miss. */
export const MAX_SHARE = 0.5
/**
 * Share of a page's different words that its copy must hold. Of 530 pairs of a page and its markdown, by its author or by
 * another program, 95 % hold so many; of the same pairs with the last quarter of the markdown cut off 1.3 %, with half
 * 0.2 %. At 95 % it would be 96, 3.2 and 0.8 %.
 */
const MIN_WORDS = 0.97
/** What marks add to a text is less than the text. */
const MARKS = 2

/** Whether the copy is to be asked instead of the page. */
export const mayStand = ({ digest, checks, readAt }: MarkdownCopy, now: number): boolean =>
  digest !== null && checks < MAX_CHECKS && now - readAt < MAX_DAYS * DAY_MS

/** Of all that a copy's answer says: where X-Robots-Tag says something else, the page itself has to be read. */
export function digestOf(body: Uint8Array, robotsTag: string | string[] | undefined): string {
  const tag = hash("sha256", JSON.stringify(robotsTag ?? null), "base64url")
  return hash("sha256", Buffer.concat([Buffer.from(tag), body]), "base64url")
}

/** Whether a body is markdown, and no web page under its type. */
export const isMarkdown = (text: string): boolean =>
  !text.includes("\0") && !/^\s*<(?:!doctype|html|head|body)[\s>]/i.test(text)

/** Whether a copy holds the main content of its page, both as markdown. */
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
 * What is known of a copy after its page was read and judged. One that stayed as it was while the page changed does not
 * stand for the page.
 */
export function copyAfter(
  copy: MarkdownCopy | undefined,
  before: MarkdownCopy | null | undefined,
  isUnchanged: boolean,
): MarkdownCopy | null {
  if (copy === undefined) return null
  return isUnchanged || copy.digest !== before?.digest ? copy : { ...copy, digest: null }
}
