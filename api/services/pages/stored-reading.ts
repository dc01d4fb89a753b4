import { WorkError } from "#base/process/threads/work-threads.ts"
import { type Page, type PageUrl, sourcesOf } from "#engine"

import { typeOf } from "#engine/index/page/page-type.ts"

import { extractCost } from "../../identity/accounts/billing/credits.ts"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import { type Context, clientGone } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { addressMiss } from "../misses/address-miss.ts"
import type { MissKnowledge } from "../misses/miss-knowledge.ts"
import { textAddressesModels } from "../../core/read/addresses-models.ts"
import { modelLabel } from "../../server/wire/model-label.ts"
import { lastCheck } from "../../core/read/last-check.ts"
import { formatContent } from "../../core/read/page-text.ts"
import { sectionNamed, sectionsOf, type Stretch, stretchOf } from "./cut-page.ts"
import { findPage } from "../../core/read/find-page.ts"
import { writeAsHtml } from "./page-html.ts"
import type { PageKnowledge } from "./page-knowledge.ts"

export const PAGE_FORMATS = ["markdown", "text", "html"] as const

export type PageFormat = (typeof PAGE_FORMATS)[number]

/** Characters of one answer at most: nearly every page whole, and a bound for what one call takes in memory. */
export const MAX_CONTENT_CHARS = 1_000_000

/** Headings that a refusal names: enough to see how the page calls its sections. */
const HEADINGS_NAMED = 20

/** Which part of which page is wanted, and how. */
export interface AskedReading {
  readonly url: PageUrl
  readonly format: PageFormat
  /** Heading of the section that is wanted alone. */
  readonly section?: string | undefined
  readonly offset: number
  readonly limit: number
}

/** A page as the index holds it, or a stretch of it. */
export interface StoredReading {
  readonly page: Page
  /** Heading of the section that this is of; null: of the whole page. */
  readonly section: string | null
  readonly content: string
  readonly stretch: Stretch
  /** Of the whole that {@link stretch} is of. */
  readonly totalChars: number
  readonly addressesModels: boolean
}

const NOT_THERE = "The index holds no page at this address. GET /map or POST /search find addresses of pages."

/**
 * Reads a page from the index, as far as the key of the call may see it, and has the call pay for it as an extraction of
 * one page pays.
 * @throws ApiError 404 when there is none, 400 for a section that it does not have
 */
export async function readStored(
  ctx: Context,
  asked: AskedReading,
  knowledge: PageKnowledge,
  misses: MissKnowledge | null = null,
): Promise<{ readonly reading: StoredReading; readonly credits: number }> {
  const { bill, reach } = ctx.state
  const signal = clientGone(ctx)
  const cost = extractCost("basic", 1)
  await bill.reserve(cost)
  const page = await findPage(asked.url, { reach, knowledge, signal })
  if (page === null) {
    const miss =
      misses && (await addressMiss(asked.url, { reach, key: ctx.state.key, knowledge: misses, signal }))
    throw miss === null
      ? new ApiError(404, NOT_THERE)
      : new ApiError(404, `${NOT_THERE} ${miss.text}`, { miss })
  }
  try {
    const reading = await readingOf(page, asked, signal)
    const credits = await bill.settle(cost, { depth: "basic", query: undefined })
    return { reading, credits }
  } catch (error) {
    if (!(error instanceof WorkError)) throw error
    throw new ApiError(422, `The page cannot be given as ${asked.format}. Ask for markdown.`)
  }
}

async function readingOf(page: Page, asked: AskedReading, signal: AbortSignal): Promise<StoredReading> {
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
  throw badRequest(
    `Invalid section. The page has ${named.length === 0 ? "no headings" : `${named.join(", ")}${more}`}.`,
  )
}

/** What is said of a stored page beside its text, as it stands on the wire. */
export async function pageFacts(page: Page, knowledge: PageKnowledge, { names }: Pick<Reach, "names">) {
  const { changedAt } = await knowledge.visits(page.url, sourcesOf(page))
  const { sources, collections } = (await names.filing())(sourcesOf(page))
  return {
    url: page.url,
    title: page.title,
    description: page.description,
    author: page.author,
    sources,
    collections,
    type: typeOf(page),
    language: page.language,
    published_at: iso(page.publishedAt),
    crawled_at: page.fetchedAt.toISOString(),
    changed_at: iso(changedAt),
    checked_at: (await lastCheck(page, knowledge)).toISOString(),
  }
}

export const labelOf = ({ addressesModels }: StoredReading) => modelLabel(addressesModels)

const iso = (date: Date | null): string | null => date?.toISOString() ?? null
