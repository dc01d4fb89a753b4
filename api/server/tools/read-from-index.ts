import { MAX_CHARS, type ExtractAnswer } from "./answer-text.ts"
import { Refused, storedPage } from "./answers.ts"
import { type Api } from "../operation/tool.ts"

/**
 * Reads pages from the index that could not be read from the web: pages of networks that live calls may not reach, pages behind a login,
 * pages of a site that is down.
 */
export async function readFailedFromIndex(api: Api, answer: unknown): Promise<ExtractAnswer> {
  const given = answer as ExtractAnswer
  const { results, failed_results: failed } = given
  if (failed.length === 0) return given
  const limit = Math.floor(MAX_CHARS / (results.length + failed.length))
  const tried = await Promise.all(
    failed.map(async (one) => ({ one, page: await storedOrNull(api, one.url, limit) })),
  )
  return {
    ...given,
    results: [
      ...results,
      ...tried.flatMap(({ one, page }) =>
        page === null
          ? []
          : {
              url: one.url,
              title: page.title,
              raw_content: page.content,
              more_chars: page.total_chars - (page.next_offset ?? page.total_chars),
              from_index: { checked_at: page.checked_at, live_error: one.error },
              ...(page.addresses_models === true && { addresses_models: true as const }),
            },
      ),
    ],
    failed_results: tried.flatMap(({ one, page }) => (page === null ? one : [])),
  }
}

async function storedOrNull(api: Api, url: string, limit: number) {
  try {
    return await storedPage(api, url, { limit })
  } catch (error) {
    if (error instanceof Refused) return null
    throw error
  }
}
