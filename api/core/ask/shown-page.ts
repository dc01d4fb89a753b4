import { leaveOut } from "#base/flow/degraded.ts"
import { WorkError } from "#base/process/threads/work-threads.ts"
import type { OtherForm } from "#crawler/crawl/duplicates/other-forms.ts"
import { toPlainText } from "#crawler/page/extract/markdown/plain-text.ts"
import { type Hit, type PageImage, type PageUrl, routeOf, sourcesOf } from "#engine"

import type { Filed } from "../../identity/accounts/reach/known-names.ts"
import { peerOfSource } from "../../services/federation/peers-file.ts"
import { hitAddressesModels, textAddressesModels } from "../read/addresses-models.ts"
import { formatContent, joinPassages } from "../read/page-text.ts"
import type { Question } from "./question.ts"
import { type ImageKnowledge, pageImages } from "./search-images.ts"
import { snippetsOf } from "./snippets.ts"

/** Number of characters shown from the beginning of a page when no passage can be shown. */
const OPENING_CHARS = 500

/** A page that was found, limited to what the caller may be shown. */
export interface ShownPage {
  readonly hit: Hit
  /** The text that answers the question: the page's best passages, or a summary. */
  readonly content: string
  /** The whole page; null if it is not requested or cannot be shown. */
  readonly whole: string | null
  /** Whether the shown text contains instructions to language models. */
  readonly addressesModels: boolean
  /** The sources and collections of the page; undefined where no names are shown. */
  readonly filed: Filed | undefined
  /** The other appliance where the page was found; null if it comes from this appliance's own index. */
  readonly peer: string | null
  /** When a crawl last found the page; undefined where that is not shown. */
  readonly checkedAt: Date | undefined
  /** The section of the best passage; null if it has no name. */
  readonly section: ShownSection | null
  /** In a document with pages: the place of each passage of the content, in order; otherwise empty. */
  readonly pages: readonly ShownPlace[]
  readonly otherForms: readonly OtherForm[] | undefined
  /** Empty if no images were requested. */
  readonly images: readonly PageImage[]
}

export interface ShownSection extends Partial<ShownPlace> {
  /** The nearest heading above the passage, or null. */
  readonly heading: string | null
}

export interface ShownPlace {
  /** The page's label, as in `Passage`. */
  readonly page: string
  /** The address of the place; left out if there is none. */
  readonly url?: string
}

export async function showPage(
  question: Pick<Question, "query" | "whole" | "withImages">,
  hit: Hit,
  {
    images,
    filing,
    checkedAt,
    others,
  }: {
    readonly images: ImageKnowledge
    readonly filing: ((sources: readonly string[]) => Filed) | undefined
    readonly checkedAt: Date | undefined
    readonly others: ReadonlyMap<PageUrl, readonly OtherForm[]> | undefined
  },
): Promise<ShownPage> {
  const whole = await wholeOf(question.whole, hit.markdown)
  return {
    hit,
    ...contentOf(question, hit),
    whole: whole?.text ?? null,
    addressesModels: whole?.addressesModels === true || hitAddressesModels(hit),
    filed: filing?.(sourcesOf(hit)),
    peer: peerOfSource(hit.source),
    checkedAt,
    section: sectionOf(hit),
    otherForms: others?.get(hit.url),
    images: question.withImages ? await pageImages(hit, images) : [],
  }
}

/**
 * The place of the best passage: its nearest heading, its page in a document, and the address that links to it. Readers
 * who follow the address see that heading at the top; the page's title gives the wider context.
 */
function sectionOf({ url, passages: [best] }: Hit): ShownSection | null {
  if (best === undefined) return null
  const heading = best.beginsUnder ?? best.headings.at(-1) ?? null
  const { page, anchor } = best
  const address = addressOf(url, anchor)
  if (heading === null && address === undefined && page === undefined) return null
  return { heading, ...(page !== undefined && { page }), ...(address !== undefined && { url: address }) }
}

/** If a page's address already uses its fragment as a route, no other fragment can be added. */
const addressOf = (url: PageUrl, anchor: string | undefined): string | undefined =>
  anchor === undefined || routeOf(url) !== "" ? undefined : `${url}#${anchor}`

function contentOf({ query }: Pick<Question, "query">, hit: Hit): Pick<ShownPage, "content" | "pages"> {
  const snippets = snippetsOf(hit.passages)
  const summary = query.depth === "ultra-fast" ? hit.description : null
  if (summary !== null) return { content: summary, pages: [] }
  if (snippets.length > 0) {
    const places = snippets.flatMap(({ of: { page, anchor } }): ShownPlace[] => {
      const address = addressOf(hit.url, anchor)
      return page === undefined ? [] : [{ page, ...(address !== undefined && { url: address }) }]
    })
    const content = joinPassages(snippets.map(({ text }) => text))
    return { content, pages: places.length === snippets.length ? places : [] }
  }
  const opening = toPlainText(hit.markdown.slice(0, 4 * OPENING_CHARS)).slice(0, OPENING_CHARS)
  return { content: hit.description ?? opening, pages: [] }
}

async function wholeOf(
  format: Question["whole"],
  markdown: string,
): Promise<{ readonly text: string; readonly addressesModels: boolean } | null> {
  if (format === null) return null
  try {
    const text = await formatContent(markdown, format)
    return { text, addressesModels: await textAddressesModels(text) }
  } catch (error) {
    // A page that cannot be processed must not make the whole answer fail.
    if (!(error instanceof WorkError)) throw error
    leaveOut("pages")
    return null
  }
}
