import { Refusal } from "#base/errors.ts"
import { WorkError } from "#base/process/threads/work-threads.ts"
import type { Page, PageUrl } from "#engine"

import type { ChatModel } from "../../../services/chat-models/chat-model.ts"
import { ApiError } from "../../../errors.ts"
import { writeAsHtml } from "../../../services/pages/page-html.ts"
import { textAddressesModels } from "../../../core/read/addresses-models.ts"
import type { Material } from "../../../core/read/read-or-stored.ts"
import { modelLabel } from "../../../server/wire/model-label.ts"
import { trackChange } from "./change-tracking.ts"
import { jsonOf, summaryOf } from "./model-formats.ts"
import type { ScrapeRequest } from "../scrape-request.ts"

/** A page in the format that Firecrawl's clients expect. */
export interface FirecrawlDocument {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly [format: string]: unknown
}

export interface DocumentParts {
  readonly chatModel: ChatModel | null
  /** The page in the index, if the caller may see it. */
  readonly stored: () => Promise<Page | null>
  readonly signal: AbortSignal
  /** Id of the call, or of the job. */
  readonly scrapeId: string
}

/** Whether these formats can be made from the page in the index. */
export const isOfIndex = ({
  rawHtml,
  links,
  screenshot,
  changeTracking,
}: ScrapeRequest["formats"]): boolean => !rawHtml && !links && screenshot === null && changeTracking === null

/**
 * A document with the requested formats.
 * @param given the address as the caller wrote it
 * @throws ApiError 400 for a format that needs something the appliance does not have, 500 when a model returns nothing
 * usable
 * @throws WorkError for a page that cannot be processed
 */
export async function documentOf(
  given: string,
  material: Material,
  { formats, warnings }: ScrapeRequest,
  { chatModel, stored, signal, scrapeId }: DocumentParts,
): Promise<FirecrawlDocument> {
  const page = material.kind === "read" ? material.reading.extracted : material.page
  const url: PageUrl = material.kind === "read" ? material.reading.url : material.page.url
  const { markdown, title } = page
  const notes = [...warnings]
  const live = material.kind === "read" ? material.reading : null
  if (live?.emptyBecause !== undefined) notes.push(live.emptyBecause)
  const raw = formats.rawHtml ? live?.html : undefined
  if (formats.rawHtml && raw === undefined)
    notes.push("rawHtml was left out: the page isn't HTML or is too large.")
  if (formats.screenshot !== null && live?.screenshot === undefined) {
    notes.push("The screenshot was left out: the page didn't load in time or isn't HTML.")
  }
  const model = formats.json !== null || formats.summary ? requireModel(chatModel) : null
  return {
    ...(formats.markdown && { markdown }),
    ...(formats.html && { html: await writeAsHtml(markdown, url, signal) }),
    ...(raw !== undefined && { rawHtml: raw }),
    ...(formats.links && { links: [...new Set((live?.extracted.links ?? []).map((link) => link.url))] }),
    ...(formats.images && { images: page.images.map((image) => image.url) }),
    ...(formats.screenshot !== null &&
      live?.screenshot && {
        screenshot: `data:${live.screenshot.type};base64,${Buffer.from(live.screenshot.bytes).toString("base64")}`,
      }),
    ...(formats.json !== null && { json: await jsonOf(page, formats.json, model!, signal) }),
    ...(formats.summary && { summary: await summaryOf(page, model!, signal) }),
    ...(formats.changeTracking !== null && {
      changeTracking: await trackChange(markdown, await stored(), { ...formats.changeTracking, signal }),
    }),
    ...(notes.length > 0 && { warning: notes.join(" ") }),
    metadata: {
      title,
      ...(page.description !== null && { description: page.description }),
      ...(page.language !== null && { language: page.language }),
      ...(page.author !== null && { author: page.author }),
      ...(page.publishedAt !== null && { publishedTime: page.publishedAt.toISOString() }),
      ...(page.favicon !== null && { favicon: page.favicon }),
      sourceURL: given,
      url,
      statusCode: live?.status ?? 200,
      ...(live !== null && { contentType: live.contentType }),
      scrapeId,
      proxyUsed: "basic",
      ...(material.kind === "read"
        ? { cacheState: "miss" }
        : { cacheState: "hit", cachedAt: material.checkedAt.toISOString() }),
      ...modelLabel(await textAddressesModels(`${title}\n${markdown}`, signal)),
    },
  }
}

/** @throws ApiError 400 if the appliance has no model */
export function requireModel(chatModel: ChatModel | null): ChatModel {
  if (chatModel !== null) return chatModel
  throw new ApiError(
    400,
    "Invalid formats. json and summary need a language model, and this appliance has none; its operator can set one with FOSSICK_LLM_URL.",
  )
}

/** The error for a job's page that could not be turned into a document. */
export function unmadeReason(error: unknown): string | null {
  if (error instanceof Refusal) return error.message
  return error instanceof WorkError ? "The page cannot be processed." : null
}
