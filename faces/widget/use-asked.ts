import { useEffect, useState } from "preact/hooks"

import { type Asking, type Found, inWords, type Suggestion } from "./ask.ts"
import type { Version } from "./options.ts"

/**
 * How long to wait for the next letter: suggestions are fetched for nearly every letter, results once the user pauses.
 */
const SUGGEST_MS = 70
const SEARCH_MS = 250
/** Minimum length of the text: one letter would match everything. */
const LEAST_CHARS = 2

/** The results for the typed text. */
export interface Asked {
  readonly suggestions: readonly Suggestion[]
  /** Results for an earlier text while {@link isAsking}; null if nothing was asked. */
  readonly found: Found | null
  /** The question that {@link found} answers. */
  readonly question: string
  readonly isAsking: boolean
  readonly problem: string | null
}

const NOTHING: Asked = { suggestions: [], found: null, question: "", isAsking: false, problem: null }

/** Asks while the user types. Earlier requests are cancelled. */
export function useAsked(asking: Asking, text: string, version: Version): Asked {
  const [asked, setAsked] = useState(NOTHING)
  const typed = text.trim()
  useEffect(() => {
    const given = new AbortController()
    const { signal } = given
    const change = (next: Partial<Asked>) => {
      if (!signal.aborted) setAsked((now) => ({ ...now, ...next }))
    }
    if (typed.length < LEAST_CHARS) setAsked(NOTHING)
    else change({ isAsking: true, problem: null })
    const suggest = async () => {
      // Results are shown even without suggestions.
      change({ suggestions: await asking.suggest(typed, version, signal).catch(() => []) })
    }
    const search = async () => {
      try {
        const found = await asking.search(typed, version, signal)
        change({ found, question: typed, isAsking: false })
      } catch (error) {
        if (!signal.aborted) change({ ...NOTHING, problem: inWords(error) })
      }
    }
    const timers =
      typed.length < LEAST_CHARS
        ? []
        : [setTimeout(() => void suggest(), SUGGEST_MS), setTimeout(() => void search(), SEARCH_MS)]
    return () => {
      for (const timer of timers) clearTimeout(timer)
      given.abort()
    }
  }, [typed, version])
  return asked
}

/** An answer, or the error from the request for one. */
export interface Answered {
  readonly question: string
  /** Null until the answer is complete. */
  readonly found: Found | null
  readonly problem: string | null
}

/** The answer to the current text; a new text discards it. */
export function useAnswer(asking: Asking, text: string, version: Version) {
  const [answered, setAnswered] = useState<Answered | null>(null)
  const [wanted, setWanted] = useState<{ readonly question: string; readonly version: Version } | null>(null)
  const typed = text.trim()
  // Effects run after the page is painted; a key pressed before that must not find the answer to the previous text.
  const isWanted = wanted !== null && wanted.question === typed && wanted.version === version
  useEffect(() => {
    if (!isWanted) {
      // An answer requested in the meantime is kept.
      setWanted((now) => (now === wanted ? null : now))
      setAnswered(null)
      return undefined
    }
    const given = new AbortController()
    setAnswered({ question: typed, found: null, problem: null })
    asking.answer(typed, version, given.signal).then(
      (found) => setAnswered({ question: typed, found, problem: null }),
      (error: unknown) => {
        if (!given.signal.aborted) setAnswered({ question: typed, found: null, problem: inWords(error) })
      },
    )
    return () => given.abort()
  }, [isWanted])
  return { answered: isWanted ? answered : null, ask: () => setWanted({ question: typed, version }) }
}
