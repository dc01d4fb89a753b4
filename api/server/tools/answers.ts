import { type DegradedPart, degradedText } from "#base/flow/degraded.ts"

import { NO_ANSWER } from "../../services/answers/cited-text.ts"
import { DOUBTFUL } from "../../services/misses/miss-threshold.ts"
import type { Api } from "../operation/tool.ts"
import type { Warning } from "../wire/warnings.ts"

// Responses of the API, in the form that tools and resources use.

/** A call that the API refused. */
export class Refused extends Error {
  readonly status: number

  constructor({ status, body }: { readonly status: number; readonly body: unknown }) {
    const detail = (body as { detail?: { error?: string; failed_results?: unknown } } | null)?.detail
    const failed = detail?.failed_results === undefined ? "" : ` ${JSON.stringify(detail.failed_results)}`
    super(`Error ${status}: ${detail?.error ?? "the answer could not be read"}${failed}`)
    this.status = status
  }
}

/** A stored page, as returned by GET /pages. */
export interface StoredPage {
  readonly url: string
  readonly title: string
  readonly description: string | null
  readonly author: string | null
  readonly sources: readonly string[]
  readonly type: string
  readonly language: string | null
  readonly published_at: string | null
  readonly crawled_at: string
  readonly changed_at: string | null
  readonly checked_at: string
  readonly content: string
  readonly offset: number
  readonly total_chars: number
  readonly next_offset: number | null
  readonly addresses_models?: true
}

/** The index's copy of a page, starting at character `offset`. */
export async function storedPage(
  api: Api,
  url: string,
  { offset = 0, limit }: { readonly offset?: number; readonly limit: number },
): Promise<StoredPage> {
  const query = new URLSearchParams({ url, offset: String(offset), limit: String(limit) })
  return (await api.get(`/pages?${query.toString()}`)) as StoredPage
}

/** A source, as returned by GET /sources. */
export interface IndexedSource {
  readonly name: string
  readonly pages: number | null
  readonly starts: readonly string[]
  readonly checked_at: string | null
}

export interface IndexedSources {
  readonly about: string | null
  readonly sources: readonly IndexedSource[]
}

/** The fields of a search result that models get. */
export interface SearchResult {
  readonly url: string
  readonly title: string
  readonly content: string
  readonly score: number
  readonly raw_content: string | null
  readonly published_date?: string | null
  readonly checked_at?: string | null
  readonly language?: string | null
  readonly type?: string
  readonly sources?: readonly string[]
  readonly collections?: readonly string[]
  readonly section?: { readonly heading: string | null; readonly page?: string; readonly url?: string }
  readonly pages?: readonly { readonly page: string; readonly url?: string }[]
  readonly other_forms?: readonly { readonly url: string; readonly format: string }[]
  readonly favicon?: string | null
  readonly images?: readonly Image[]
  readonly addresses_models?: true
}

/** Warnings about request fields that the response does not honour. */
export interface Warned {
  readonly warnings?: readonly Warning[]
}

export type Image = string | { readonly url: string; readonly description: string }

export interface SearchAnswer extends Warned {
  readonly answer: string | null
  readonly results: readonly SearchResult[]
  readonly images: readonly Image[]
  /** Why nothing was found; left out if something was found. */
  readonly miss?: { readonly cause: string; readonly text: string }
  readonly coverage?: { readonly complete: boolean; readonly complete_as_of?: string }
}

/** A note for models that names missing parts of an answer; false if it is complete. */
export const degradedNote = (answer: unknown): string | false =>
  degradedText((answer as { readonly degraded?: readonly DegradedPart[] }).degraded) ?? false

/** Why a search found nothing, and as of when this is known; empty if unknown. */
export function missText({ miss, coverage }: SearchAnswer): string {
  if (miss === undefined) return ""
  const asOf = coverage?.complete_as_of
  return ` ${miss.text}${asOf === undefined ? "" : ` The sources searched are complete as of ${asOf}.`}`
}

/** Score threshold for searches that looked for an answer and found none. */
const DOUBTFUL_WITHOUT_ANSWER = 0.5

/** Whether, judging by scores, none of the pages found answers the question. */
export function nothingFits({ answer, results }: SearchAnswer): boolean {
  const best = results[0]?.score ?? 0
  if (answer === NO_ANSWER) return best < DOUBTFUL_WITHOUT_ANSWER
  return answer === null && best < DOUBTFUL
}
