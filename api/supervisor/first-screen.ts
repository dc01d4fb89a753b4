/** What `npm start` shows once everything is up. */
export function firstScreen(facts: {
  readonly url: string
  /** Only on the start that made it. */
  readonly apiKey: string | null
  readonly operatorKey: boolean
}): string {
  const { url, apiKey, operatorKey } = facts
  const known = operatorKey ? "the one in FOSSICK_API_KEY" : "the one shown on the first start"
  return `
Fossick is up.

  Address    ${url}
  Handbook   ${url}/docs/
  API key    ${apiKey ?? known}${apiKey === null ? "" : "\n             (shown only this once: keep it)"}

Ask it something:

  curl -s ${url}/search \\
    -H 'Authorization: Bearer ${apiKey ?? "YOUR_API_KEY"}' \\
    -H 'Content-Type: application/json' \\
    -d '{"query": "how do I schedule a crawl?", "max_results": 1}'

Crawl a site with  npm run crawl -- https://example.com --limit 100
Stop with          Ctrl-C
`
}
