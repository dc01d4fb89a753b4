import { escapeXml } from "../../faces/handbook/escape-html.ts"

/** A result in a CSV or RSS file. */
export interface Listed {
  readonly url: string
  readonly title: string
  readonly content: string
  readonly engine: string
  readonly score: number
  /** ISO 8601 without a zone, in UTC. */
  readonly publishedDate: string | null
}

const csvLine = (values: readonly (string | number)[]): string =>
  `${values
    .map(String)
    .map((one) => (/[",\r\n]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one))
    .join(",")}\r\n`

/** Results in SearXNG's format for `format=csv` (RFC 4180). */
export function resultsAsCsv(results: readonly Listed[]): string {
  const lines = results.map(({ title, url, content, engine, score }) =>
    csvLine([title, url, content, new URL(url).host, engine, score, "result"]),
  )
  return [csvLine(["title", "url", "content", "host", "engine", "score", "type"]), ...lines].join("")
}

/** Results in SearXNG's format for `format=rss` (RSS 2.0 with the elements of OpenSearch 1.1). @param self address of the search */
export function resultsAsRss(query: string, results: readonly Listed[], self: string): string {
  const asked = escapeXml(query)
  const items = results.map(
    ({ title, url, content, publishedDate }) => `<item>
<title>${escapeXml(title)}</title>
<type>result</type>
<link>${escapeXml(url)}</link>
<description>${escapeXml(content)}</description>${publishedDate === null ? "" : `\n<pubDate>${new Date(`${publishedDate}Z`).toUTCString()}</pubDate>`}
</item>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>Fossick search: ${asked}</title>
<link>${escapeXml(`${self}?q=${encodeURIComponent(query)}`)}</link>
<description>Search results for "${asked}"</description>
<opensearch:totalResults>${results.length}</opensearch:totalResults>
<opensearch:startIndex>1</opensearch:startIndex>
<opensearch:itemsPerPage>${results.length}</opensearch:itemsPerPage>
<opensearch:Query role="request" searchTerms="${asked}" startPage="1"/>
${items.join("\n")}
</channel>
</rss>
`
}
