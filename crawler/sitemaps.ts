import { gunzip } from "node:zlib"
import { promisify } from "node:util"
import { Parser } from "htmlparser2"
import { type PageUrl, toPageUrl } from "#engine"
import type { PageReader } from "./reader.ts"

const gunzipAsync = promisify(gunzip)

/** sitemaps.org: one file lists at most 50,000 addresses in 50 MB. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024
const MAX_FILES = 200

/**
 * The addresses in a site's sitemaps, file by file: XML, plain text, indexes of sitemaps, gzipped or not.
 * What cannot be read is left out, since links lead to the same pages.
 */
export async function* readSitemaps(
  reader: PageReader,
  sitemaps: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<PageUrl[]> {
  const waiting = sitemaps.flatMap((url) => toPageUrl(url) ?? [])
  const seen = new Set(waiting)
  for (let file = waiting.shift(); file !== undefined && seen.size <= MAX_FILES; file = waiting.shift()) {
    if (signal.aborted) return
    if (await reader.disallowed(file)) continue
    const fetched = await reader.fetch(file, { accepts: () => true, signal })
    if (fetched.kind !== "fetched") continue
    const text = await sitemapText(fetched.body)
    if (text === null) continue
    const { pages, indexes } = parseSitemap(text, file)
    for (const index of indexes) {
      if (seen.has(index)) continue
      seen.add(index)
      waiting.push(index)
    }
    yield pages
  }
}

async function sitemapText(body: Uint8Array): Promise<string | null> {
  try {
    const plain =
      body[0] === 0x1f && body[1] === 0x8b
        ? await gunzipAsync(body, { maxOutputLength: MAX_SITEMAP_BYTES })
        : body
    return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString("utf8")
  } catch {
    return null
  }
}

/** @returns pages and further sitemaps, absolute. */
export function parseSitemap(text: string, base: PageUrl): { pages: PageUrl[]; indexes: PageUrl[] } {
  const pages: PageUrl[] = []
  const indexes: PageUrl[] = []
  if (!/^\s*(?:\uFEFF\s*)?</.test(text)) {
    for (const line of text.replace(/^\uFEFF/, "").split(/\s*\n\s*/)) {
      const url = toPageUrl(line.trim())
      if (url !== null) pages.push(url)
    }
    return { pages, indexes }
  }
  let inside = ""
  let loc: string | null = null
  const parser = new Parser(
    {
      onopentagname(name) {
        const local = name.slice(name.indexOf(":") + 1)
        if (local === "url" || local === "sitemap") inside = local
        // <image:loc> and <video:…> name no pages.
        else if (name === "loc" || (local === "loc" && !/^(?:image|video):/.test(name))) loc = ""
      },
      ontext(piece) {
        if (loc !== null) loc += piece
      },
      onclosetag(name) {
        if (loc === null || name.slice(name.indexOf(":") + 1) !== "loc") return
        const url = toPageUrl(loc.trim(), base)
        if (url !== null) (inside === "sitemap" ? indexes : pages).push(url)
        loc = null
      },
    },
    { xmlMode: true },
  )
  parser.end(text)
  return { pages, indexes }
}
