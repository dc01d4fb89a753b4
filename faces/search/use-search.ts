import { EventSourceParserStream } from "eventsource-parser/stream"
import { useEffect, useState } from "preact/hooks"

import { FossickError, type AnswerOf, type GivenTo } from "../../api/client/client.ts"
import type { DegradedPart } from "../reading/degraded.ts"
import { appliance, inWords } from "../session/appliance.ts"
import { type Asked, FILTERS } from "./asked.ts"

export type Found = AnswerOf<"POST /search">
export type Result = Found["results"][number]

/** Whether pages were found, but none is likely to answer the question. */
export const isDoubtful = (found: Pick<Found, "miss" | "results">): boolean =>
  found.miss !== undefined && found.results.length > 0

/** A field by which results can be narrowed down, with the number of pages for each value. */
export type Facet = NonNullable<Found["facets"]>[number]

export interface Searched {
  /** The question that these results belong to. */
  readonly question: string
  /** Null until the results have arrived. */
  readonly found: Found | null
  /** The answer so far, or null. */
  readonly answer: string | null
  readonly followUps: readonly string[]
  readonly isAnswering: boolean
  /** Everything that was missing, if known. */
  readonly degraded: readonly DegradedPart[]
  readonly problem: { readonly text: string; readonly status: number | null } | null
}

const NOTHING: Searched = {
  question: "",
  found: null,
  answer: null,
  followUps: [],
  isAnswering: false,
  degraded: [],
  problem: null,
}

type SearchBody = GivenTo<"POST /search">["body"]

function bodyOf({ question, filters, count }: Asked, isAdmin: boolean): SearchBody {
  const [language] = filters.language
  const [year] = filters.published
  return {
    query: question,
    max_results: count,
    include_answer: true,
    include_images: true,
    include_image_descriptions: true,
    include_published_date: true,
    include_facets: FILTERS,
    ...(filters.source.length > 0 && { sources: filters.source }),
    ...(filters.domain.length > 0 && { include_domains: filters.domain }),
    ...(filters.path.length > 0 && { paths: filters.path }),
    ...(filters.version.length > 0 && { versions: filters.version }),
    ...(filters.topic.length > 0 && { topics: filters.topic as SearchBody["topics"] }),
    ...(filters.type.length > 0 && { types: filters.type as SearchBody["types"] }),
    ...(language !== undefined && { language, filter_by_language: true }),
    ...(year !== undefined && {
      start_date: `${year}-01-01`,
      end_date: `${year}-12-31`,
      filter_by_published_date: true,
    }),
    ...(isAdmin && { explain: true }),
  }
}

/** Asks whenever the question or a filter changes, and cancels the previous request. Results come before the answer. */
export function useSearch(asked: Asked, isAdmin: boolean): Searched {
  const [state, setState] = useState(NOTHING)
  const body = JSON.stringify(bodyOf(asked, isAdmin))
  useEffect(() => {
    const given = new AbortController()
    const { signal } = given
    const change = (next: Partial<Searched>) => {
      if (!signal.aborted) setState((now) => ({ ...now, ...next }))
    }
    if (asked.question === "") setState(NOTHING)
    else {
      setState((now) => ({ ...now, question: asked.question, isAnswering: true, problem: null }))
      follow(JSON.parse(body) as SearchBody, signal, change).catch((error: unknown) => {
        const status = error instanceof FossickError ? error.status : null
        change({ ...NOTHING, question: asked.question, problem: { text: inWords(error), status } })
      })
    }
    return () => given.abort()
  }, [body])
  return state
}

interface AnswerEvent {
  readonly answer: string | null
  readonly follow_up_questions: readonly string[] | null
  readonly degraded?: readonly DegradedPart[]
}

interface PieceEvent {
  readonly choices: readonly { readonly delta: { readonly content: string } }[]
}

async function follow(
  body: SearchBody,
  signal: AbortSignal,
  change: (next: Partial<Searched>) => void,
): Promise<void> {
  const headers = { Accept: "text/event-stream" }
  const response = await appliance.stream("POST /search", { body, signal, headers })
  const events = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  let written = ""
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const { event, data } = next.value
    if (event === "search.results") {
      const found = JSON.parse(data) as Found
      change({ found, answer: null, followUps: [], degraded: found.degraded ?? [] })
    } else if (event === "chat.completion.chunk") {
      written += (JSON.parse(data) as PieceEvent).choices[0]?.delta.content ?? ""
      change({ answer: written })
    } else if (event === "search.answer") {
      const { answer, follow_up_questions: followUps, degraded = [] } = JSON.parse(data) as AnswerEvent
      change({ answer, followUps: followUps ?? [], degraded, isAnswering: false })
    } else if (event === "error") {
      change({ isAnswering: false })
    }
  }
  change({ isAnswering: false })
}
