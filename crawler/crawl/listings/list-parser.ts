import { writtenDate } from "#base/text/written-date.ts"
import { type Handler, Parser } from "htmlparser2"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { PageUrl } from "#engine"
import { charsetOf } from "../../page/charset.ts"
import type { ListedAddress } from "../frontier/frontier.ts"
import { MAX_ADDRESSES } from "./listing-limits.ts"

/** Another sitemap, named by a sitemap index. */
export interface NamedSitemap {
  readonly url: PageUrl
  /** Milliseconds since 1970. */
  readonly modifiedAt: number | null
}

/** A part of the contents of a sitemap or feed. */
export interface Listed {
  readonly pages: ListedAddress[]
  readonly sitemaps: NamedSitemap[]
  /** The fault found in the list so far. */
  readonly trouble?: ListTrouble
}

/**
 * Problems with a list:
 * - `cut-off`: its end is missing. Its complete entries are read.
 * - `too-long`: it lists more than {@link MAX_ADDRESSES}; the first are read.
 * - `web-page`, `no-list`: it is something else. `damaged`: it cannot be unpacked.
 */
export type ListTrouble = "cut-off" | "too-long" | "web-page" | "no-list" | "damaged"

/** Accepts text in pieces and reports its findings to the {@link Take} that it was created with. */
export interface ListParser {
  write(text: string): void
  /**
   * @param isCutOff whether the end is known to be missing
   * @returns whether the end is missing; an incomplete entry is left out
   */
  end(isCutOff: boolean): boolean
}

export interface Take {
  page(page: ListedAddress): void
  sitemap(sitemap: NamedSitemap): void
}

/** Size of a piece parsed in one go; the event loop gets a turn between pieces. */
const SLICE_BYTES = 128 * 1024

export interface ListOptions {
  /** From the Content-Type header. */
  readonly charset?: string | null
  /** Whether the answer, or the archive, ended before the list did. */
  readonly isCutOff?: boolean
}

/** The contents of a list, a few entries at a time. `parserFor` gets the beginning of the text. */
export async function* listed(
  body: Uint8Array,
  parserFor: (beginning: string, take: Take) => ListParser,
  { charset = null, isCutOff = false }: ListOptions = {},
): AsyncGenerator<Listed> {
  const decoder = new TextDecoder(charsetOf(body, charset, "xml"))
  let parser: ListParser | null = null
  let found: Listed = { pages: [], sitemaps: [] }
  let total = 0
  const take: Take = {
    page: (page) => {
      if (total++ < MAX_ADDRESSES) found.pages.push(page)
    },
    sitemap: (sitemap) => {
      if (total++ < MAX_ADDRESSES) found.sitemaps.push(sitemap)
    },
  }
  for (let from = 0; from < body.byteLength; from += SLICE_BYTES) {
    const text = decoder.decode(body.subarray(from, from + SLICE_BYTES), { stream: true })
    parser ??= parserFor(text, take)
    parser.write(text)
    const isLast = from + SLICE_BYTES >= body.byteLength
    const isCut = isLast && parser.end(isCutOff)
    if (total > MAX_ADDRESSES) {
      yield { ...found, trouble: "too-long" }
      return
    }
    yield isCut ? { ...found, trouble: "cut-off" } : found
    found = { pages: [], sitemaps: [] }
    await nextTurn()
  }
}

/** Maximum nesting: deeper than in any list, or in any page that a feed quotes. The parser's time per element grows with its depth. */
const MAX_DEPTH = 1000

class TooDeep extends Error {}

/** Parses XML until it ends, is cut off (elements still open are left out) or is nested deeper than any list. */
export function xmlListParser(handler: Partial<Handler>, atEnd: () => void): ListParser {
  let depth = 0
  let isOver = false
  const parser = new Parser(
    {
      ...handler,
      onopentagname(name) {
        depth += 1
        if (depth > MAX_DEPTH) throw new TooDeep()
        handler.onopentagname?.(name)
      },
      onclosetag(name, isImplied) {
        depth -= 1
        handler.onclosetag?.(name, isImplied)
      },
    },
    { xmlMode: true },
  )
  const unlessOver = (work: () => void) => {
    if (isOver) return
    try {
      work()
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error
      isOver = true
    }
  }
  return {
    write: (piece) => {
      unlessOver(() => {
        parser.write(piece)
      })
    },
    end: (isCutOff) => {
      const isCut = isCutOff || (depth > 0 && !isOver)
      if (!isCut) {
        unlessOver(() => {
          parser.end()
        })
      }
      atEnd()
      return isCut
    },
  }
}

/** Parses text line by line; `take` gets at most `maxChars` characters of each line. */
export function lineParser(maxChars: number, take: (line: string) => void): ListParser {
  let rest = ""
  return {
    write(text) {
      const lines = (rest + text).split("\n")
      rest = (lines.pop() ?? "").slice(0, maxChars)
      for (const line of lines) take(line.slice(0, maxChars))
    },
    end(isCutOff) {
      if (!isCutOff) take(rest)
      return isCutOff
    },
  }
}

const DAY_MS = 24 * 3_600_000

/** A date without a time, or at midnight, as written by programs that know only the day. */
const DAY_ALONE = /^\d{4}-\d{2}-\d{2}(?:[T ]00:00(?::00(?:\.0+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?)?$/i

/** The {@link writtenDate} of a change: a date without a time counts as the end of that day, since the page may change again after a visit. */
export function listedChange(text: string): number | null {
  const time = writtenDate(text)
  return time !== null && DAY_ALONE.test(text.trim()) ? time + DAY_MS - 1 : time
}
