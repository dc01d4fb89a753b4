import type { CitedPage, Source } from "../sources/evidence.ts"
import type { CitationFormat } from "../request.ts"

/** How a report names its sources. */
export interface Citations {
  /** The citation after a statement. @param pages as in `ReportText` */
  mark(places: readonly number[], pages?: Readonly<Record<number, CitedPage>>): string
  /** The list of sources at the end of the report, as Markdown; empty if nothing was cited. */
  list(): string
  /** Sources in the order in which they were first cited, with the pages cited. */
  readonly cited: readonly Source[]
}

const HEADINGS: Readonly<Record<CitationFormat, string>> = {
  numbered: "Sources",
  mla: "Works Cited",
  apa: "References",
  chicago: "Bibliography",
}

/**
 * Names sources in the requested style: numbers in brackets in the order of their first use, or author (otherwise
 * title) and year in parentheses, with a letter after the year where two would look the same. The lists follow MLA 9,
 * APA 7 and the author-date form of Chicago 17, insofar as web pages have the data they need. Pages of documents follow
 * the year, or are in the list of numbered sources, whose links open the first of the pages.
 */
export function citationsOf(sources: readonly Source[], format: CitationFormat): Citations {
  const order: number[] = []
  const pages = new Map<number, CitedPage[]>()
  const number = (place: number): number => {
    const at = order.indexOf(place)
    return at >= 0 ? at + 1 : order.push(place)
  }
  const withPages = (place: number): Source => {
    const cited = pages.get(place)
    return { ...sources[place]!, ...(cited && { pages: inOrder(cited) }) }
  }
  const letters = format === "numbered" ? new Map<number, string>() : lettersFor(sources, format)
  return {
    mark(places, on = {}) {
      const numbers = places.map(number)
      for (const place of places) {
        const known = pages.get(place) ?? []
        const at = on[place]
        if (at !== undefined && known.every(({ page }) => page !== at.page)) pages.set(place, [...known, at])
      }
      if (format === "numbered") return numbers.map((one) => `[${one}]`).join("")
      const named = places.map((place) => {
        const name = inText(sources[place]!, format, letters.get(place) ?? "")
        return on[place] === undefined ? name : `${name}${behindName(format, on[place])}`
      })
      return `(${named.join("; ")})`
    },
    list() {
      if (order.length === 0) return ""
      const entries = order.map((place) => ({ source: withPages(place), letter: letters.get(place) ?? "" }))
      if (format === "numbered") {
        const lines = entries.map(
          ({ source }, i) => `${i + 1}. ${link(source.title, source)}${pagesOf(source)}${datesOf(source)}`,
        )
        return [`## ${HEADINGS[format]}`, lines.join("\n")].join("\n\n")
      }
      const lines = entries.map(({ source, letter }) => fullEntry(source, format, letter)).sort()
      return [`## ${HEADINGS[format]}`, ...lines].join("\n\n")
    },
    get cited() {
      return order.map(withPages)
    },
  }
}

type Style = Exclude<CitationFormat, "numbered">

const who = ({ author, title }: Source): string => author ?? `“${short(title)}”`
const SHORT_TITLE = 40
const short = (title: string): string =>
  title.length <= SHORT_TITLE ? title : `${title.slice(0, SHORT_TITLE).replace(/\s+\S*$/, "")} …`

function inText(source: Source, style: Style, letter: string): string {
  if (style === "mla") return who(source) + (letter === "" ? "" : ` ${letter}`)
  const year = yearOf(source)
  const dated = year === "n.d." && letter !== "" ? `n.d.-${letter}` : `${year}${letter}`
  return style === "apa" ? `${who(source)}, ${dated}` : `${who(source)} ${dated}`
}

/** A letter for each source whose citation would otherwise look the same as another's. */
function lettersFor(sources: readonly Source[], style: Style): Map<number, string> {
  const alike = Map.groupBy(sources.keys(), (place) => inText(sources[place]!, style, ""))
  const letters = new Map<number, string>()
  for (const places of alike.values()) {
    if (places.length > 1) for (const [i, place] of places.entries()) letters.set(place, letterAt(i))
  }
  return letters
}

const letterAt = (i: number): string =>
  i < 26 ? String.fromCharCode(97 + i) : `${letterAt(Math.floor(i / 26) - 1)}${letterAt(i % 26)}`

function fullEntry(source: Source, style: Style, letter: string): string {
  const { author, title, published, fetched } = source
  const site = hostOf(source)
  const address = site === null ? "" : ` ${source.url}`
  const by = author === null ? "" : `${author}. `
  const name = title.replace(/[.\s]+$/, "")
  switch (style) {
    case "mla": {
      const date = published === null ? "" : `${dayMonthYear(published)}, `
      const seen = fetched === null ? "" : ` Accessed ${dayMonthYear(fetched)}.`
      const of = letter === "" ? "" : ` (${letter})`
      return site === null
        ? `${by}“${name}.”${of}`
        : `${by}“${name}.”${of} *${site}*, ${date}${source.url}.${seen}`
    }
    case "apa": {
      const date =
        published === null
          ? `n.d.${letter === "" ? "" : `-${letter}`}`
          : `${yearOf(source)}${letter}, ${monthDay(published)}`
      return author === null
        ? `*${name}*. (${date}).${site === null ? "" : ` ${site}.`}${address}`
        : `${by}(${date}). *${name}*.${site === null ? "" : ` ${site}.`}${address}`
    }
    case "chicago": {
      const year = yearOf(source)
      const dated = year === "n.d." && letter !== "" ? `n.d.-${letter}` : `${year}${letter}`
      const day = published === null ? "" : ` ${monthDay(published)}.`
      const stop = dated.endsWith(".") ? "" : "."
      const lead = author === null ? `“${name}.” ${dated}${stop}` : `${by}${dated}${stop} “${name}.”`
      return `${lead}${site === null ? "" : ` ${site}.`}${day}${address === "" ? "" : `${address}.`}`
    }
    default:
      return style satisfies never
  }
}

/** The page as it follows the source's name in a citation: MLA and Chicago use only the number. */
function behindName(style: Style, at: CitedPage): string {
  if (at.kind === "page" && style !== "apa") return `${style === "mla" ? " " : ", "}${at.page}`
  return `, ${numbered([at])}`
}

/** The pages in the order of the document, without pages that begin or end a longer range. */
function inOrder(pages: readonly CitedPage[]): CitedPage[] {
  const placeOf = ({ anchor, page }: CitedPage) => Number(/\d+/.exec(anchor ?? page)?.[0] ?? 0)
  return pages
    .filter((one) => !pages.some(({ page }) => page !== one.page && page.split("–").includes(one.page)))
    .sort((a, b) => placeOf(a) - placeOf(b))
}

/** Formats pages: `p. 7`, `pp. 7–8, 12`, `slide 3`. All must be of the same kind. */
function numbered(pages: readonly CitedPage[]): string {
  const isMany = pages.length > 1 || pages.some(({ page }) => page.includes("–"))
  const names = { page: isMany ? "pp." : "p.", slide: isMany ? "slides" : "slide" }
  return `${names[pages[0]!.kind]} ${pages.map(({ page }) => page).join(", ")}`
}

const pagesOf = ({ pages }: Source): string => (pages === undefined ? "" : `, ${numbered(pages)}`)

/** The publication date of a page, or else the date when it was read. */
function datesOf(source: Source): string {
  const { published, fetched } = source
  if (hostOf(source) === null) return ""
  if (published !== null) return `, published ${dayMonthYear(published)}`
  return fetched === null ? "" : `, read ${dayMonthYear(fetched)}`
}

const yearOf = ({ published }: Source): string =>
  published === null ? "n.d." : String(new Date(published).getUTCFullYear())
const inEnglish = (time: number, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat("en-US", { timeZone: "UTC", ...options }).format(time)
const monthDay = (time: number): string => inEnglish(time, { month: "long", day: "numeric" })
const dayMonthYear = (time: number): string =>
  `${inEnglish(time, { day: "numeric" })} ${inEnglish(time, { month: "short" })} ${inEnglish(time, { year: "numeric" })}`

/** The host of a source; `null` for a file, which has none. */
const hostOf = ({ url }: Source): string | null => {
  const parsed = URL.parse(url)
  return parsed === null || parsed.protocol === "file:" ? null : parsed.hostname.replace(/^www\./, "")
}

/** A Markdown link, escaped so that its text and address cannot end it early. */
function link(text: string, { url, pages }: Source): string {
  const shown = text.replaceAll(/[[\]]/g, "\\$&").replaceAll(/\s+/g, " ")
  if (hostOf({ url } as Source) === null) return shown
  const anchor = url.includes("#") ? undefined : pages?.[0]?.anchor
  const address = anchor === undefined ? url : `${url}#${anchor}`
  return `[${shown}](${address.replaceAll("(", "%28").replaceAll(")", "%29")})`
}
