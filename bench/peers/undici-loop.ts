import { Parser } from "htmlparser2"
import { Agent, request } from "undici"

/** The report of a crawler in the crawl bench. */
export interface CrawlReport {
  /** Number of HTML pages read. */
  readonly pages: number
  readonly requests: number
  /** Time from the first request to the last page. */
  readonly seconds: number
}

/** The simplest possible crawler: a list of addresses, undici, htmlparser2, a set of seen addresses. */
export async function undiciLoop(start: string, concurrency: number): Promise<CrawlReport> {
  const began = performance.now()
  const dispatcher = new Agent({ connections: concurrency })
  const seen = new Set([start])
  const waiting = [start]
  let pages = 0
  const working = new Set<Promise<void>>()
  while (waiting.length > 0 || working.size > 0) {
    while (waiting.length > 0 && working.size < concurrency) {
      const visiting: Promise<void> = visit(waiting.shift() ?? start).finally(() => working.delete(visiting))
      working.add(visiting)
    }
    await Promise.race(working)
  }
  await dispatcher.close()
  return { pages, requests: seen.size, seconds: (performance.now() - began) / 1000 }

  async function visit(url: string): Promise<void> {
    const { statusCode, headers, body } = await request(url, { dispatcher })
    if (statusCode !== 200 || !String(headers["content-type"]).startsWith("text/html")) return body.dump()
    const html = await body.text()
    pages++
    for (const link of linksOf(html)) {
      const to = URL.parse(link, url)
      if (!to) continue
      to.hash = ""
      if (!to.href.startsWith(start) || seen.has(to.href)) continue
      seen.add(to.href)
      waiting.push(to.href)
    }
  }
}

function linksOf(html: string): string[] {
  const links: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      const href = name === "a" ? attributes["href"] : undefined
      if (href !== undefined) links.push(href)
    },
  })
  parser.end(html)
  return links
}
