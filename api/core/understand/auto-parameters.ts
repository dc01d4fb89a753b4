import { getDomain, parse } from "tldts"

import type { SearchDepth } from "#engine"
import { analyseQuery } from "#engine/text/analysis/analyse.ts"

import { searchedText } from "./searched-text.ts"

export type SearchTopic = "general" | "news" | "finance"
/** Maximum time since pages were published. */
export type TimeRange = "day" | "week" | "month" | "year"

/** What a question already specifies besides its words. */
export interface Given {
  readonly depth?: SearchDepth | undefined
  readonly topic?: SearchTopic | undefined
  readonly hasCountry?: boolean
  readonly hasDates?: boolean
  readonly hasDomains?: boolean
}

/** The parameters chosen for a question, without those the caller set. */
export interface Chosen {
  readonly depth?: SearchDepth
  readonly topic?: SearchTopic
  readonly since?: TimeRange
  /** Domains whose pages are boosted. */
  readonly domains?: readonly string[]
}

/** Words that have a meaning in several fields ("stock", "bond", "share") are included only if the next word settles which field is meant. */
const FINANCE =
  /\b(?:stocks|(?:stock|share) (?:price|market|split|exchange)s?|market cap\w*|dividends?|earnings (?:call|report|per share|season)|quarterly (?:results|earnings|report)|nasdaq|nyse|dow jones|s&p 500|ftse|bond (?:yield|market)s?|(?:interest|exchange|inflation) rates?|hedge funds?|mutual funds?|etfs?|(?:bitcoin|gold|oil) price|price of (?:bitcoin|gold|oil)|balance sheets?|cash flow|central bank|wall street)\b/i
const NEWS =
  /\b(?:news|headlines|press releases?|current events|just announced|latest (?:on|about|developments?|updates? (?:on|about))|what(?:'s| is) happening)\b/i
/** "Used today" says nothing about when a page was written; "today's news" does. */
const TODAY = /\b(?:today|tonight|this morning)\b/i

/** A window covers at least the time that the words mean: on a Tuesday, "last week" reaches back up to nine days. */
const SPANS: readonly (readonly [TimeRange, RegExp])[] = [
  ["day", /\b(?:(?:past|last) (?:24 hours|day)|today's)\b/i],
  ["week", /\b(?:yesterday|this week|past week|(?:past|last) (?:few|seven|7) days)\b/i],
  [
    "month",
    /\b(?:last week|this month|past month|(?:past|last) (?:few|two|2) weeks|(?:past|last) 30 days)\b/i,
  ],
  ["year", /\b(?:last month|this year|past year|(?:past|last) (?:few|six|12|twelve) months)\b/i],
]

/** "Compare two strings" describes one task; a real comparison names two things. */
const COMPARISON =
  /\b(?:vs\.?|versus|compared (?:to|with|against)|compar(?:e|es|ing)\b.{1,80}?\s(?:and|with|to|against|or)\s|comparison (?:of|between)|(?:differences?|similarities|choos(?:e|ing)|decid(?:e|ing)) between|differs? from|pros and cons|trade-?offs?|(?:better|faster|cheaper|safer) than|which is (?:better|faster|cheaper|safer))/i
const SECOND_QUESTION = /\?.*\?|\b(?:and|or) (?:how|why|what|when|which|who|where)\b/is
/** Maximum number of distinctive words in a simple question; a question with more such words has several parts, whatever its form. */
const MANY_WORDS = 12

const NAMED_HOST =
  /(?:\b(?:on|from|at|according to)\s+|https?:\/\/|\b(?=www\.))((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})/giu

/**
 * Chooses the parameters that a question leaves open, based on its words about time, subject and sites, and on whether
 * it asks for one thing or several. English only; where the words give no indication, the defaults stay. Never chooses
 * between an answer and whole pages, and never chooses the number of results.
 */
export function choose(question: string, given: Given, now: Date): Chosen {
  const text = searchedText(question)
  // A country given by the caller works only with the general topic, and values given by the caller take precedence.
  const topic = given.topic ?? (given.hasCountry ? "general" : topicOf(text))
  const since = given.hasDates ? undefined : sinceOf(text, topic, now)
  const domains = given.hasDomains ? [] : namedHosts(text)
  return {
    ...(given.depth === undefined && { depth: depthOf(text) }),
    ...(given.topic === undefined && { topic }),
    ...(since !== undefined && { since }),
    ...(domains.length > 0 && { domains }),
  }
}

function topicOf(text: string): SearchTopic {
  if (FINANCE.test(text)) return "finance"
  return NEWS.test(text) ? "news" : "general"
}

function sinceOf(text: string, topic: SearchTopic, now: Date): TimeRange | undefined {
  if (topic !== "general" && TODAY.test(text)) return "day"
  const span = SPANS.find(([, words]) => words.test(text))
  if (span !== undefined) return span[0]
  // The current year asks for new pages. A past year is a subject: pages about 2019 were also written later.
  return new RegExp(`\\b${now.getUTCFullYear()}\\b`).test(text) ? "year" : undefined
}

function depthOf(text: string): SearchDepth {
  const several = COMPARISON.test(text) || SECOND_QUESTION.test(text)
  return several || analyseQuery(text, null).terms.length > MANY_WORDS ? "advanced" : "basic"
}

/** Sites that the query mentions. They are boosted, not required: `main.rs` can look like a site, too. */
function namedHosts(text: string): string[] {
  const hosts = [...text.matchAll(NAMED_HOST)].map(([, host]) => host!.toLowerCase())
  return [...new Set(hosts)].filter((host) => parse(host).isIcann === true && getDomain(host) !== null)
}
