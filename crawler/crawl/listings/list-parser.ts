import { writtenDate } from "#base/text/written-date.ts"
import { type Handler, Parser } from "htmlparser2"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { PageUrl } from "#engine"
import type { ListedAddress } from "../frontier/frontier.ts"

/** A further sitemap, named by an index of them. */
export interface NamedSitemap {
  readonly url: PageUrl
  /** Milliseconds since 1970. */
  readonly modifiedAt: number | null
}

/** A part of what a sitemap or feed lists. */
export interface Listed {
  readonly pages: ListedAddress[]
  readonly sitemaps: NamedSitemap[]
}

/** Takes text in pieces and reports what it finds to the {@link Take} it was made with. */
export interface ListParser {
  write(text: string): void
  end(): void
}

export interface Take {
  page(page: ListedAddress): void
  sitemap(sitemap: NamedSitemap): void
}

/** sitemaps.org: one file lists at most 50,000 addresses. */
const MAX_ADDRESSES = 50_000
/** Parsed in one go; between two the event loop gets its turn. */
const SLICE_BYTES = 128 * 1024

/** What a list holds, some at a time. `parserFor` is given the text's beginning. */
export async function* listed(
  body: Uint8Array,
  parserFor: (beginning: string, take: Take) => ListParser,
): AsyncGenerator<Listed> {
  const decoder = new TextDecoder()
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
    if (from + SLICE_BYTES >= body.byteLength) parser.end()
    yield found
    if (total >= MAX_ADDRESSES) return
    found = { pages: [], sitemaps: [] }
    await nextTurn()
  }
}

/** Deeper than any list, and any page that a feed quotes. The parser's own time for each element grows with its depth. */
const MAX_DEPTH = 1000

class TooDeep extends Error {}

/** Parses XML, up to where it is nested deeper than a list can be meant. */
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
    end: () => {
      unlessOver(() => {
        parser.end()
      })
      atEnd()
    },
  }
}

const DAY_MS = 24 * 3_600_000

/** {@link writtenDate} of a change: a day without a time counts as its end, since the change may come after a visit. */
export function listedChange(text: string): number | null {
  const time = writtenDate(text)
  return time !== null && /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? time + DAY_MS - 1 : time
}
