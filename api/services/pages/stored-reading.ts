import { Refusal } from "#base/errors.ts"
import { type Page, type PageUrl, sourcesOf } from "#engine"

import { extractCost } from "../../identity/accounts/billing/credits.ts"
import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import type { Bill } from "../../identity/accounts/admission.ts"
import type { Filed } from "../../identity/accounts/reach/known-names.ts"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import { addressMiss } from "../misses/address-miss.ts"
import type { Miss } from "../misses/miss.ts"
import type { MissKnowledge } from "../misses/miss-knowledge.ts"
import { textAddressesModels } from "../../core/read/addresses-models.ts"
import { lastOf } from "../../core/read/last-check.ts"
import { formatContent } from "../../core/read/page-text.ts"
import { sectionNamed, sectionsOf, type Stretch, stretchOf } from "./cut-page.ts"
import { findPage } from "../../core/read/find-page.ts"
import { writeAsHtml } from "./page-html.ts"
import type { PageKnowledge } from "./page-knowledge.ts"

export const PAGE_FORMATS = ["markdown", "text", "html"] as const

export type PageFormat = (typeof PAGE_FORMATS)[number]

/** Maximum number of characters in one response: enough for nearly every whole page, and a limit on the memory that one call takes. */
export const MAX_CONTENT_CHARS = 1_000_000

/** Maximum number of characters in a section's name. */
export const MAX_SECTION_CHARS = 500

/** Number of headings that a refusal names: enough to see how the page names its sections. */
const HEADINGS_NAMED = 20

/** The requested part of a page, and the format. */
export interface AskedReading {
  readonly url: PageUrl
  readonly format: PageFormat
  /** Heading of the requested section; left out for the whole page. */
  readonly section?: string | undefined
  readonly offset: number
  readonly limit: number
}

/** The index's version of a page, or a stretch of it. */
export interface StoredReading {
  readonly page: Page
  /** Heading of the section that was read; `null` for the whole page. */
  readonly section: string | null
  readonly content: string
  readonly stretch: Stretch
  /** Number of characters in the whole text that {@link stretch} is part of. */
  readonly totalChars: number
  readonly addressesModels: boolean
  /** The sources of the page that may be named, and the collections that contain them. */
  readonly filed: Filed
  /** When a visit last found the page changed; null if none has. */
  readonly changedAt: Date | null
  readonly checkedAt: Date
}

/** The caller, and the parts needed to read a page. */
export interface ReadingParts {
  readonly reach: Reach
  readonly key: ApiKey
  readonly bill: Bill
  readonly knowledge: PageKnowledge
  /** Explains why a page is missing; if `null`, responses contain no explanation. */
  readonly misses: MissKnowledge | null
  readonly signal: AbortSignal
}

/**
 * Reads a page from the index, within the key's scope, and charges the call for extracting one page.
 * @returns the reading; if there is no such page, the reason, if known
 * @throws Refusal for a section that the page does not have
 * @throws WorkError if the page cannot be turned into this format
 */
export async function readStored(
  asked: AskedReading,
  { reach, key, bill, knowledge, misses, signal }: ReadingParts,
): Promise<(StoredReading & { readonly credits: number }) | { readonly miss: Miss | null }> {
  const cost = extractCost("basic", 1)
  await bill.reserve(cost)
  const page = await findPage(asked.url, { reach, knowledge, signal })
  if (page === null)
    return { miss: misses && (await addressMiss(asked.url, { reach, key, knowledge: misses, signal })) }
  const reading = await readingOf(page, asked, signal)
  const credits = await bill.settle(cost, { depth: "basic", query: undefined })
  const { changedAt, checkedAt } = await knowledge.visits(page.url, sourcesOf(page))
  const filed = (await reach.names.filing())(sourcesOf(page))
  return { ...reading, filed, changedAt, checkedAt: lastOf(page, checkedAt), credits }
}

async function readingOf(page: Page, asked: AskedReading, signal: AbortSignal) {
  const { format, offset, limit } = asked
  const section = asked.section === undefined ? null : sectionAsked(page, asked.section)
  const markdown = section === null ? page.markdown : page.markdown.slice(section.start, section.end)
  const whole = format === "text" ? await formatContent(markdown, "text", signal) : markdown
  const stretch = stretchOf(whole, offset, limit)
  const content = format === "html" ? await writeAsHtml(stretch.text, page.url, signal) : stretch.text
  return {
    page,
    section: section?.heading ?? null,
    content,
    stretch,
    totalChars: whole.length,
    addressesModels: await textAddressesModels(`${page.title}\n${stretch.text}`, signal),
  }
}

function sectionAsked(page: Page, name: string) {
  const sections = sectionsOf(page.markdown)
  const found = sectionNamed(sections, name)
  if (found !== null) return found
  const named = sections.slice(0, HEADINGS_NAMED).map(({ heading }) => JSON.stringify(heading))
  const more = sections.length > HEADINGS_NAMED ? ` and ${sections.length - HEADINGS_NAMED} more` : ""
  throw new Refusal(
    "wrong",
    `Invalid section. The page has ${named.length === 0 ? "no headings" : `${named.join(", ")}${more}`}.`,
  )
}
