/** The state of the first crawl of the appliance's own handbook. */
export type HandbookState = "read" | "being-read" | "not-read"

const intro: Readonly<Record<HandbookState, string>> = {
  read: "Ask it something:",
  "being-read":
    "Fossick is still reading its handbook, and will say here when it is done. Then ask it something:",
  "not-read": "Fossick could not read its own handbook, so ask it something once you have crawled a site:",
}

/** Shown instead of the status `being-read`. */
const WAITS_FOR_ROOM =
  "Fossick will read its handbook when the disk has room, and will say here when it is done. Then ask it something:"

/** Printed after a first screen that said `being-read`. */
export const handbookNews: Readonly<Record<Exclude<HandbookState, "being-read">, string>> = {
  read: "Fossick has read its handbook: ask away.\n",
  "not-read": "Fossick could not read its handbook: crawl a site, then ask about it.\n",
}

interface ScreenFacts {
  readonly url: string
  /** Present only on the start that created the key. */
  readonly apiKey: string | null
  readonly operatorKey: boolean
  readonly ready: boolean
  readonly handbook: HandbookState
  /** Whether searches are for sale; null: selling isn't set up. */
  readonly sales: string | null
  /** The notice that keys and sources were lost, and what to do; `null` if they were not. */
  readonly lostState: string | null
  /** The notice that the disk is full, or so nearly full that crawls have to wait; `null` if there is room. */
  readonly lowDisk: string | null
  /** The notice of a read-only appliance; `null` if it isn't read-only. */
  readonly readOnly: string | null
}

/** The first screen for programs. */
export const screenOnWire = ({
  url,
  apiKey,
  ready,
  handbook,
  sales,
  lostState,
  lowDisk,
  readOnly,
}: ScreenFacts): object => ({
  url,
  apiKey,
  ready,
  handbook,
  sales,
  lostState,
  lowDisk,
  readOnly,
})

/** The text that `fossick start` shows once everything is up, or when that takes longer than a newcomer should wait. */
export function firstScreen(facts: ScreenFacts): string {
  const { url, apiKey, operatorKey, ready, handbook, sales, lostState, lowDisk, readOnly } = facts
  const known = operatorKey ? "the one in FOSSICK_API_KEY" : "the one shown on the first start"
  return `
${ready ? "Fossick is up." : `Fossick is not ready yet; ${url}/readyz says what is missing.`}
${readOnly === null ? "" : `${readOnly}\n`}${[lostState, lowDisk].map((text) => (text === null ? "" : `\nWARNING: ${text}\n`)).join("")}
  Address    ${url}
  Console    ${url}/console${readOnly === null ? "  (add a site there; sign in with the API key)" : ""}
  Handbook   ${url}/docs/
  API key    ${apiKey ?? known}${apiKey === null ? "" : "\n             (shown only once: store it now)"}${sales === null ? "" : `\n  Paid       ${sales}`}

${handbook === "being-read" && lowDisk !== null ? WAITS_FOR_ROOM : intro[handbook]}

  curl -s ${url}/search \\
    -H 'Authorization: Bearer ${apiKey ?? "YOUR_API_KEY"}' \\
    -H 'Content-Type: application/json' \\
    -d '{"query": "${apiKey === null && !operatorKey ? "your question" : "how do I schedule a crawl?"}", "include_answer": true, "max_results": 1}'

${readOnly === null ? "Crawl a site with  npx fossick crawl https://example.com --limit 100\n" : ""}Stop with          Ctrl-C
`
}
