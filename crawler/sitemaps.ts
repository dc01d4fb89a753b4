import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { Parser } from "htmlparser2"
import { type PageUrl, toPageUrl } from "#engine"
import { MAX_URL_CHARS } from "./frontier.ts"
import type { PageReader } from "./reader.ts"
import { unlessAborted } from "./unless-aborted.ts"

const gunzipAsync = promisify(gunzip)

/** sitemaps.org: one file lists at most 50,000 addresses in 50 MB. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024
const MAX_ADDRESSES = 50_000
const MAX_FILES = 200
/** Parsed in one go; between two the event loop gets its turn. */
const SLICE_BYTES = 128 * 1024

interface SitemapOptions {
  /** Milliseconds to wait before this file is fetched, as its host's manners ask. */
  readonly pauseMs: (file: PageUrl) => number
  readonly signal: AbortSignal
}

/**
 * The addresses in a site's sitemaps, some at a time: XML, plain text, indexes of sitemaps, gzipped or not.
 * What cannot be read is left out, since links lead to the same pages.
 */
export async function* readSitemaps(
  reader: PageReader,
  sitemaps: readonly string[],
  { pauseMs, signal }: SitemapOptions,
): AsyncGenerator<PageUrl[]> {
  const waiting = sitemaps.slice(0, MAX_FILES).flatMap((url) => toPageUrl(url) ?? [])
  const seen = new Set(waiting)
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    await sleep(pauseMs(file), undefined, { signal }).catch(() => undefined)
    if (signal.aborted || (await unlessAborted(reader.disallowed(file), signal))) continue
    const fetched = await reader.fetch(file, { accepts: () => true, maxBytes: MAX_SITEMAP_BYTES, signal })
    if (fetched.kind !== "fetched") continue
    const body = await unzipped(fetched.body)
    if (body === null) continue
    for await (const { pages, indexes } of listed(body, file)) {
      if (signal.aborted) return
      for (const index of indexes) {
        if (seen.has(index) || seen.size >= MAX_FILES) continue
        seen.add(index)
        waiting.push(index)
      }
      yield pages
    }
  }
}

async function unzipped(body: Uint8Array): Promise<Uint8Array | null> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body
  try {
    return await gunzipAsync(body, { maxOutputLength: MAX_SITEMAP_BYTES })
  } catch {
    return null
  }
}

interface Listed {
  /** Absolute. */
  readonly pages: PageUrl[]
  /** Further sitemaps, absolute. */
  readonly indexes: PageUrl[]
}

interface SitemapParser {
  write(text: string): void
  end(): void
}

async function* listed(body: Uint8Array, base: PageUrl): AsyncGenerator<Listed> {
  const decoder = new TextDecoder()
  let parser: SitemapParser | null = null
  let found: Listed = { pages: [], indexes: [] }
  let total = 0
  const take = (url: PageUrl | null, list: "pages" | "indexes") => {
    if (url === null || total >= MAX_ADDRESSES) return
    total += 1
    found[list].push(url)
  }
  for (let from = 0; from < body.byteLength; from += SLICE_BYTES) {
    const text = decoder.decode(body.subarray(from, from + SLICE_BYTES), { stream: true })
    parser ??= /^\s*</.test(text) ? xmlParser(base, take) : textParser(take)
    parser.write(text)
    if (from + SLICE_BYTES >= body.byteLength) parser.end()
    yield found
    if (total >= MAX_ADDRESSES) return
    found = { pages: [], indexes: [] }
    await nextTurn()
  }
}

type Take = (url: PageUrl | null, list: keyof Listed) => void

function textParser(take: Take): SitemapParser {
  let rest = ""
  const line = (text: string) => {
    if (text.length <= MAX_URL_CHARS) take(toPageUrl(text.trim()), "pages")
  }
  return {
    write(text) {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      // What is longer is no address, however it goes on.
      if (rest.length > MAX_URL_CHARS) rest = " ".repeat(MAX_URL_CHARS + 1)
      for (const one of lines) line(one)
    },
    end() {
      line(rest)
    },
  }
}

function xmlParser(base: PageUrl, take: Take): SitemapParser {
  let inside = ""
  let loc: string | null = null
  return new Parser(
    {
      onopentagname(name) {
        const local = name.slice(name.indexOf(":") + 1)
        if (local === "url" || local === "sitemap") inside = local
        // <image:loc> and <video:…> name no pages.
        else if (name === "loc" || (local === "loc" && !/^(?:image|video):/.test(name))) loc = ""
      },
      ontext(piece) {
        if (loc !== null && loc.length <= MAX_URL_CHARS) loc += piece
      },
      onclosetag(name) {
        if (loc === null || name.slice(name.indexOf(":") + 1) !== "loc") return
        if (loc.length <= MAX_URL_CHARS) {
          take(toPageUrl(loc.trim(), base), inside === "sitemap" ? "indexes" : "pages")
        }
        loc = null
      },
    },
    { xmlMode: true },
  )
}
