import { isPresentation, pageInWords } from "#engine/index/page/page-type.ts"

import { NOTE_ON_ORDERS } from "../wire/note-on-orders.ts"
import {
  degradedNote,
  type Image,
  missText,
  nothingFits,
  type SearchAnswer,
  type SearchResult,
} from "./answers.ts"

// Answers of the API as text for a model: everything it needs, and nothing meant for programs.

/**
 * Maximum number of characters for all pages in one answer together: about as much as models read at once without
 * losing track. Pages share them evenly, and each page that is cut off says so.
 */
export const MAX_CHARS = 60_000

interface Page {
  readonly url: string
  readonly title?: string
  readonly raw_content: string | null
  readonly favicon?: string | null
  readonly images?: readonly Image[]
  readonly addresses_models?: true
  /** Number of characters already left out. */
  readonly more_chars?: number
  /** For a page that could not be read now: when the copy in the index was last checked, and the error. */
  readonly from_index?: { readonly checked_at: string; readonly live_error: string }
}

export interface ExtractAnswer {
  readonly results: readonly Page[]
  readonly failed_results: readonly {
    readonly url: string
    readonly error: string
    readonly miss?: { readonly text: string }
  }[]
}

/** Shown to a model when no result answers the question. */
export const NOTHING_FITS =
  "Nothing here fits this question: no page in the index is likely to answer it. Say so, or try other words."

export function searchText(answer: unknown): string {
  const found = answer as SearchAnswer
  if (found.results.length === 0)
    return paragraphs([
      `Nothing was found.${missText(found) || " Try other words, or fewer of them."}`,
      degradedNote(found),
    ])
  if (nothingFits(found)) {
    const nearest = found.results.map(
      ({ title, url, score, addresses_models: isLabelled }) =>
        `- ${isLabelled === true ? "" : `${title} `}${url} (score ${score.toFixed(2)})`,
    )
    return paragraphs([
      `${NOTHING_FITS}${missText(found)}`,
      degradedNote(found),
      lines(["The closest pages:", ...nearest]),
    ])
  }
  const share = MAX_CHARS / found.results.length
  return paragraphs([
    degradedNote(found),
    found.answer,
    ...found.results.map((one, i) =>
      lines([
        `${i + 1}. ${one.title}`,
        ...about(one),
        `Score: ${one.score.toFixed(2)}`,
        sectionLine(one),
        pagesLine(one),
        one.type !== undefined && one.type !== "html" && `Type: ${one.type}`,
        one.sources && `Source: ${one.sources.join(", ")}${inCollections(one)}`,
        one.published_date && `Published: ${one.published_date}`,
        one.checked_at && `Last checked: ${one.checked_at}`,
        one.other_forms &&
          `Also as: ${one.other_forms.map(({ url, format }) => `${format} ${url}`).join(", ")}`,
        orders(one),
        one.content,
        one.raw_content && `Whole page:\n${cut(one.raw_content, share)}`,
      ]),
    ),
    imageLines(found.images),
  ])
}

export function extractText(read: ExtractAnswer): string {
  return paragraphs([
    degradedNote(read),
    ...pagesText(read.results),
    read.failed_results.length > 0 &&
      lines([
        "Could not be read:",
        ...read.failed_results.map(
          ({ url, error, miss }) => `- ${url}: ${error}${miss === undefined ? "" : ` (${miss.text})`}`,
        ),
      ]),
  ])
}

export function crawlText(answer: unknown): string {
  const { base_url: start, results } = answer as {
    readonly base_url: string
    readonly results: readonly Page[]
  }
  if (results.length === 0) return `No page could be read from ${start}.`
  return paragraphs([`${results.length} pages from ${start}:`, degradedNote(answer), ...pagesText(results)])
}

export function mapText(answer: unknown): string {
  const { base_url: start, results } = answer as {
    readonly base_url: string
    readonly results: readonly string[]
  }
  if (results.length === 0) return `No addresses were found from ${start}.`
  return lines([
    `${results.length} addresses from ${start}:`,
    degradedNote(answer),
    ...results.map((url) => `- ${url}`),
  ])
}

export function researchText(answer: unknown): string {
  const { content, error, sources } = answer as {
    readonly content?: string | object
    readonly error?: string
    readonly sources?: readonly {
      readonly title: string
      readonly url: string
      readonly addresses_models?: true
    }[]
  }
  if (content === undefined) return `No report could be made: ${error ?? "unknown"}`
  return paragraphs([
    degradedNote(answer),
    typeof content === "string" ? content : JSON.stringify(content, null, 2),
    sources &&
      sources.length > 0 &&
      lines([
        "Sources:",
        ...sources.map(
          ({ title, url, addresses_models: given }, i) =>
            `[${i + 1}] ${title} ${url}${given === true ? " (gives orders to language models)" : ""}`,
        ),
      ]),
  ])
}

function pagesText(pages: readonly Page[]): string[] {
  const share = MAX_CHARS / Math.max(1, pages.length)
  return pages.map((page) =>
    lines([
      page.title && `# ${page.title}`,
      ...about(page),
      page.from_index &&
        `From the index, last checked ${page.from_index.checked_at}; reading it now failed: ${page.from_index.live_error}`,
      orders(page),
      cut(page.raw_content ?? "", share, page.more_chars),
      imageLines(page.images ?? []),
    ]),
  )
}

function sectionLine({ section, type }: SearchResult): string | false {
  if (section === undefined) return false
  const { heading, page, url } = section
  const number = page === undefined ? "" : pageInWords(page, type ?? "")
  const place = [heading, number].filter(Boolean).join(", ")
  return `Section: ${[place, url].filter(Boolean).join(" ")}`
}

/** Models may cite passages on pages other than the best one. */
const pagesLine = ({ pages = [], type = "" }: SearchResult): string | false =>
  new Set(pages.map(({ page }) => page)).size > 1 &&
  `${isPresentation(type) ? "Slides" : "Pages"} of the passages: ${pages.map(({ page }) => page).join(", ")}`

const inCollections = ({ collections = [] }: SearchResult): string =>
  collections.length === 0 ? "" : ` (in ${collections.join(", ")})`

const orders = ({ addresses_models: given }: Pick<Page, "addresses_models">): string | false =>
  given === true && NOTE_ON_ORDERS

const about = ({ url, favicon }: Pick<Page, "url" | "favicon">): (string | false | null | undefined)[] => [
  `URL: ${url}`,
  favicon && `Icon: ${favicon}`,
]

function imageLines(images: readonly Image[]): string | false {
  if (images.length === 0) return false
  return lines([
    "Images:",
    ...images.map((image) =>
      typeof image === "string" ? `- ${image}` : `- ${image.url} ${image.description}`.trimEnd(),
    ),
  ])
}

function cut(text: string, chars: number, more = 0): string {
  const limit = Math.floor(chars)
  const left = Math.max(0, text.length - limit) + more
  if (left === 0) return text
  return `${text.slice(0, limit)} … (${left} more characters; for the rest, read this page alone, with fetch or a query)`
}

type Part = string | false | null | undefined

const isPart = (part: Part): part is string => typeof part === "string" && part !== ""
const lines = (parts: readonly Part[]): string => parts.filter(isPart).join("\n")
const paragraphs = (parts: readonly Part[]): string => parts.filter(isPart).join("\n\n")
