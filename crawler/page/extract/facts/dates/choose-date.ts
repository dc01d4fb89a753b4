import { toPageUrl } from "#engine/index/page/page-url.ts"
import { headingText } from "../../html/anchors.ts"
import type { Element } from "../../html/tree.ts"
import type { DocumentFacts, JsonObject } from "../metadata.ts"
import { isNextTo, namesDay, statedDate, type StatedDate } from "./parse-date.ts"
import { type SeenDocument, visibleDate } from "./visible-date.ts"
import type { DateWriting } from "./written-days.ts"

const ARTICLE_TYPES =
  /article|posting|report|webpage|product|recipe|howto|question|book|event|course|techarticle/i

const DATE_MEMBERS = ["datePublished", "dateCreated", "uploadDate"]
const ADDRESS_MEMBERS = ["url", "@id", "mainEntityOfPage"]

/** Names of `meta` tags that are read first. */
const META_NAMES = [
  "article:published_time",
  "og:article:published_time",
  "datepublished",
  "pubdate",
  "publishdate",
  "publish-date",
  "dc.date.issued",
  "dcterms.created",
  "parsely-pub-date",
  "sailthru.date",
  "citation_publication_date",
  "article.published",
  "og:published_time",
  "created",
]
/** Names that many sites use for the day of the last change. */
const VAGUE_NAMES = ["date", "dc.date", "dcterms.date"]
/** Matches names that sites made up for the day of publication. */
const PUBLISHED_NAME =
  /(?:publi|pub|issue|creat|post|release|original|online).*(?:date|time|_at$|_on$)|date.*(?:publi|issue|creat|post)/
const OTHER_NAME = /modif|updat|change|expir|unpub|valid|event|start|end|image|video|birth|crawl|cache/

const DAY_MS = 86_400_000
const ADDRESS_DAY =
  /[/_-]((?:19|20)\d\d)(?:[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])|(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))(?=[/._-]|$)/

/** The information, besides a page's facts, from which its date is determined. */
export interface DatedPage {
  readonly url: string
  readonly title: string
  /** Elements that readers don't see. */
  readonly unseen: ReadonlySet<Element>
  readonly writing: DateWriting
}

/**
 * When a page was published, according to its data, its address or its visible text. If the data contain a time in UTC
 * and readers see the day before or after, the day that readers see is used.
 */
export function readPublishedAt(facts: DocumentFacts, page: DatedPage): Date | null {
  const { url, writing } = page
  const stated = statedDates(facts, page)
  const isCertain = stated.length > 0
  const [said = null] = isCertain ? stated : vagueDates(facts, writing)
  if (said !== null && isCertain && !said.isUtc) return onDay(said, said.day)
  const address = addressDate(url, writing)
  const seen = visibleDate(seenDocument(facts, page), writing)
  // The address is created only once, so its day is used; the visible day may be that of a change.
  const shown = address !== null && (seen === null || !isNextTo(seen.day, address.day)) ? address : seen
  const isBetter = seen?.rank === 3 || (said !== null && shown !== null && shown.day < said.day)
  if (said === null || (!isCertain && isBetter)) return shown === null ? null : onDay(shown, shown.day)
  const local = stated.find(({ time, isUtc }) => !isUtc && Math.abs(time - said.time) < DAY_MS)
  const days = said.isUtc ? [seen, address, local].map((one) => one?.day ?? null) : []
  const day = days.find((one) => one !== null && (one === said.day || isNextTo(one, said.day)))
  return onDay(said, day ?? said.day)
}

/** The time in a UTC day that is nearest to a given time. */
const onDay = ({ time }: StatedDate, day: number): Date =>
  new Date(Math.min(Math.max(time, day), day + DAY_MS - 1))

/** Minimum length of a heading. Shorter ones are found at the start of many titles by chance. */
const MIN_TITLE_CHARS = 10

function seenDocument({ dates, headings }: DocumentFacts, { title, unseen }: DatedPage): SeenDocument {
  const name = sameText(title)
  const texts = dates.headings.map((heading) => ({
    heading,
    text: sameText(headingText(heading.element, 500)),
  }))
  const same = texts.filter(({ text }) => text === name && name !== "")
  // In the title tag, the site's name may follow the title.
  const begun = texts.filter(({ text }) => text.length >= MIN_TITLE_CHARS && name.startsWith(text))
  const named = (same.length > 0 ? same : begun).map(({ heading }) => heading)
  // A single first-level heading is the page's, even if its title tag differs.
  const [main] = headings
  const alone = headings.length === 1 ? dates.headings.filter(({ element }) => element === main) : []
  return { ...dates, unseen, titles: [...new Set([...named, ...alone])] }
}

const sameText = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")

/** Dates in the data of a page, most likely first. */
const statedDates = (facts: DocumentFacts, { url, title, writing }: DatedPage): readonly StatedDate[] =>
  [
    ...ownObjects(facts, url, title).flatMap((object) => DATE_MEMBERS.map((name) => object[name])),
    ...publishedMetas(facts),
  ].flatMap((value) => (namesDay(value) ? (statedDate(value, writing) ?? []) : []))

/** Dates that might belong to a change. A month or year alone counts as its first day. */
const vagueDates = (facts: DocumentFacts, writing: DateWriting): readonly StatedDate[] =>
  [...VAGUE_NAMES.map((name) => facts.meta.get(name)), ...publishedMetas(facts)].flatMap(
    (value) => statedDate(value, writing) ?? [],
  )

const publishedMetas = ({ meta }: DocumentFacts): readonly (string | undefined)[] => [
  ...META_NAMES.map((name) => meta.get(name)),
  ...[...meta].flatMap(([name, value]) => (PUBLISHED_NAME.test(name) && !OTHER_NAME.test(name) ? value : [])),
]

/** Objects that describe this page and not other articles listed on it. */
function ownObjects(facts: DocumentFacts, url: string, title: string): readonly JsonObject[] {
  const { jsonLd, baseUrl, canonical } = facts
  const articles = jsonLd.filter(
    (object) =>
      ARTICLE_TYPES.test(JSON.stringify(object["@type"] ?? "")) &&
      DATE_MEMBERS.some((name) => name in object),
  )
  const name = sameText(title)
  const isOwn = (object: JsonObject): boolean =>
    ADDRESS_MEMBERS.some((member) => {
      const address = typeof object[member] === "string" ? toPageUrl(object[member], baseUrl) : null
      return address !== null && (address === url || address === canonical)
    }) ||
    (typeof object["headline"] === "string" && sameText(object["headline"]) === name)
  const own = articles.filter(isOwn)
  if (own.length > 0) return own
  const headlines = new Set(articles.map((object) => object["headline"] ?? object["name"]))
  return headlines.size > 1 && !headlines.has(undefined) ? [] : articles
}

/** The day in an address, such as `/2016/12/23/` or `/20161223/`. */
function addressDate(url: string, writing: DateWriting): StatedDate | null {
  const [, year, month, day, packedMonth, packedDay] = ADDRESS_DAY.exec(url) ?? []
  if (year === undefined) return null
  const parts = [year, month ?? packedMonth!, day ?? packedDay!].map((part) => part.padStart(2, "0"))
  return statedDate(parts.join("-"), writing)
}
