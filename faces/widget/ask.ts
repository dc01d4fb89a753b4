import { type AnswerOf, FossickClient, FossickError } from "../../api/client/client.ts"
import { isIn, type Options, type Version } from "./options.ts"

export type Found = AnswerOf<"POST /search">
export type Result = Found["results"][number]
export type Suggestion = AnswerOf<"GET /suggest">["suggestions"][number]

/** Whether pages were found, but none is likely to answer the question. */
export const isDoubtful = ({ miss, results }: Found): boolean => miss !== undefined && results.length > 0

const MOST_RESULTS = 8
const MOST_SUGGESTIONS = 20
const SHOWN_SUGGESTIONS = 5
const MOST_TRIES = 3
/** How long to wait if the appliance is busy: a visitor would rather see a message than wait longer. */
const LONGEST_WAIT_SECONDS = 5

/** The widget's requests to the appliance, with the public key of its page. */
export interface Asking {
  suggest(typed: string, version: Version, signal: AbortSignal): Promise<readonly Suggestion[]>
  search(question: string, version: Version, signal: AbortSignal): Promise<Found>
  /** Like `search`, with an answer. */
  answer(question: string, version: Version, signal: AbortSignal): Promise<Found>
}

export function openAsking({ appliance, key }: Pick<Options, "appliance" | "key">): Asking {
  const client = new FossickClient({ url: appliance, key })
  const withoutKey = new FossickClient({ url: appliance })
  const search = (query: string, { paths }: Version, signal: AbortSignal, isAnswered: boolean) =>
    patiently(signal, () =>
      client.call("POST /search", {
        body: {
          query,
          max_results: MOST_RESULTS,
          chunks_per_source: 1,
          ...(paths.length > 0 && { paths: [...paths] }),
          ...(isAnswered && { include_answer: "basic" as const }),
        },
        signal,
      }),
    )
  return {
    async suggest(typed, version, signal) {
      // The key is in the address rather than in a header, because the browser would otherwise send a preflight request
      // for each letter.
      const query = { q: typed, limit: MOST_SUGGESTIONS, key }
      const { suggestions } = await withoutKey.call("GET /suggest", { query, signal })
      return suggestions.filter(({ url }) => isIn(version, url)).slice(0, SHOWN_SUGGESTIONS)
    },
    search: (question, version, signal) => search(question, version, signal, false),
    answer: (question, version, signal) => search(question, version, signal, true),
  }
}

/** Retries if the appliance is too busy and says how long to wait. */
async function patiently<Answer>(signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      const isBusy = error instanceof FossickError && (error.status === 429 || error.status === 503)
      const seconds = isBusy ? Number(error.headers.get("Retry-After") ?? 1) : NaN
      if (tries === MOST_TRIES || !(seconds <= LONGEST_WAIT_SECONDS)) throw error
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
      signal.throwIfAborted()
    }
  }
}

/** The error, in words for readers of the page. The browser's console shows what the page's author has to fix. */
export function inWords(error: unknown): string {
  if (!(error instanceof FossickError)) {
    return "The search cannot be reached. Check your connection and try again."
  }
  if (error.status === 429) return "Too many searches at once. Wait a moment and search again."
  if (error.status >= 500) return "The search is having trouble. Try again in a moment."
  console.warn(`Fossick: ${error.detail}`)
  return "This page is not allowed to search. Its authors can find the reason in the browser's console."
}
