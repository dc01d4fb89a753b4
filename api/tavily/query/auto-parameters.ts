import { getDomain, parse } from "tldts"

import { analyseQuery } from "#engine/text/analysis/analyse.ts"

import { searchedText } from "./searched-text.ts"
import type { SearchDepth, SearchBody, SearchRequest } from "../schema.ts"

/** What was chosen for a request, as it stands in the answer. */
export type AutoParameters = Partial<
  Pick<SearchRequest, "search_depth" | "topic" | "time_range" | "include_domains" | "include_domains_mode">
>

/** Words with a subject in more than one field ("stock", "bond", "share") count only where the next word settles it. */
const FINANCE =
  /\b(?:stocks|(?:stock|share) (?:price|market|split|exchange)s?|market cap\w*|dividends?|earnings (?:call|report|per share|season)|quarterly (?:results|earnings|report)|nasdaq|nyse|dow jones|s&p 500|ftse|bond (?:yield|market)s?|(?:interest|exchange|inflation) rates?|hedge funds?|mutual funds?|etfs?|(?:bitcoin|gold|oil) price|price of (?:bitcoin|gold|oil)|balance sheets?|cash flow|central bank|wall street)\b/i
const NEWS =
  /\b(?:news|headlines|press releases?|current events|just announced|latest (?:on|about|developments?|updates? (?:on|about))|what(?:'s| is) happening)\b/i
/** "Used today" says nothing about when a page was written; "news of today" does. */
const TODAY = /\b(?:today|tonight|this morning)\b/i

/** A window reaches back at least as far as the words do: on a Tuesday last week is up to nine days ago. */
const SPANS: readonly (readonly [SearchRequest["time_range"] & string, RegExp])[] = [
  ["day", /\b(?:(?:past|last) (?:24 hours|day)|today's)\b/i],
  ["week", /\b(?:yesterday|this week|past week|(?:past|last) (?:few|seven|7) days)\b/i],
  [
    "month",
    /\b(?:last week|this month|past month|(?:past|last) (?:few|two|2) weeks|(?:past|last) 30 days)\b/i,
  ],
  ["year", /\b(?:last month|this year|past year|(?:past|last) (?:few|six|12|twelve) months)\b/i],
]

/** "Compare two strings" is one thing to do; a comparison names two. */
const COMPARISON =
  /\b(?:vs\.?|versus|compared (?:to|with|against)|compar(?:e|es|ing)\b.{1,80}?\s(?:and|with|to|against|or)\s|comparison (?:of|between)|(?:differences?|similarities|choos(?:e|ing)|decid(?:e|ing)) between|differs? from|pros and cons|trade-?offs?|(?:better|faster|cheaper|safer) than|which is (?:better|faster|cheaper|safer))/i
const SECOND_QUESTION = /\?.*\?|\b(?:and|or) (?:how|why|what|when|which|who|where)\b/is
/** Telling words of a question; with more it has several parts, whatever its form. */
const MANY_WORDS = 12

const NAMED_HOST =
  /(?:\b(?:on|from|at|according to)\s+|https?:\/\/|\b(?=www\.))((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})/giu

/**
 * Chooses parameters that the request leaves open, by the words of its query: what it says of time, subject and
 * sites, and whether it asks for one thing or several. English words only; where none says anything, the
 * defaults stay. Never touches `include_answer`, `include_raw_content` and `max_results`.
 */
export function chooseParameters(body: SearchBody, now: Date): AutoParameters {
  const text = searchedText(body.query)
  // A country that is given counts with the general topic only, and what is given wins.
  const topic = body.topic ?? (body.country === undefined ? topicOf(text) : "general")
  const undated =
    body.time_range === undefined && body.start_date === undefined && body.end_date === undefined
  const range = undated && body.days === undefined ? timeRangeOf(text, topic, now) : undefined
  const anywhere = body.include_domains === undefined && body.include_domains_mode === undefined
  const hosts = anywhere ? namedHosts(text) : []
  return {
    ...(body.search_depth === undefined && { search_depth: depthOf(text) }),
    ...(body.topic === undefined && { topic }),
    ...(range !== undefined && { time_range: range }),
    ...(hosts.length > 0 && { include_domains: hosts, include_domains_mode: "boost" }),
  }
}

function topicOf(text: string): SearchRequest["topic"] {
  if (FINANCE.test(text)) return "finance"
  return NEWS.test(text) ? "news" : "general"
}

function timeRangeOf(text: string, topic: SearchRequest["topic"], now: Date): SearchRequest["time_range"] {
  if (topic !== "general" && TODAY.test(text)) return "day"
  const span = SPANS.find(([, words]) => words.test(text))
  if (span !== undefined) return span[0]
  // The year we are in asks for what is new. A year that is over is a subject: pages on 2019 were written later too.
  return new RegExp(`\\b${now.getUTCFullYear()}\\b`).test(text) ? "year" : undefined
}

function depthOf(text: string): SearchDepth {
  const several = COMPARISON.test(text) || SECOND_QUESTION.test(text)
  return several || analyseQuery(text, null).terms.length > MANY_WORDS ? "advanced" : "basic"
}

/** Sites that the query speaks of as such. Raised, not required: `main.rs` may be one, too. */
function namedHosts(text: string): string[] {
  const hosts = [...text.matchAll(NAMED_HOST)].map(([, host]) => host!.toLowerCase())
  return [...new Set(hosts)].filter((host) => parse(host).isIcann === true && getDomain(host) !== null)
}
