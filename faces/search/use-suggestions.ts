import { useEffect, useState } from "preact/hooks"

import type { AnswerOf } from "../../api/client/client.ts"
import { appliance } from "../session/appliance.ts"

type Answer = AnswerOf<"GET /suggest">

export interface Suggestion {
  readonly text: string
  readonly kind: Answer["suggestions"][number]["kind"] | "query"
}

/** Other users' questions first, then titles and headings; each text once. */
function merged({ suggestions, questions = [] }: Answer): readonly Suggestion[] {
  const asked = questions.map((text): Suggestion => ({ text, kind: "query" }))
  const known = new Set(questions.map((text) => text.toLowerCase()))
  return [...asked, ...suggestions.filter(({ text }) => !known.has(text.toLowerCase()))].slice(0, MOST)
}

const MOST = 8
/** Fast typists press a key every 80 ms: one call for the whole word, not one for each letter. */
const REST_MS = 70

/** Suggestions for a text while the user types; empty while `isWanted` is false. */
export function useSuggestions(text: string, isWanted: boolean): readonly Suggestion[] {
  const [suggestions, setSuggestions] = useState<readonly Suggestion[]>([])
  const typed = text.trim()
  useEffect(() => {
    const given = new AbortController()
    const ask = async () => {
      try {
        const query = { q: typed, limit: MOST }
        setSuggestions(merged(await appliance.call("GET /suggest", { query, signal: given.signal })))
      } catch {
        // A question can be asked without suggestions.
        if (!given.signal.aborted) setSuggestions([])
      }
    }
    const isAsked = isWanted && typed !== ""
    if (!isAsked) setSuggestions([])
    const timer = isAsked ? setTimeout(() => void ask(), REST_MS) : undefined
    return () => {
      clearTimeout(timer)
      given.abort()
    }
  }, [typed, isWanted])
  return suggestions
}
