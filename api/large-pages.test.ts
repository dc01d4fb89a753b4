import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { createReader, crawlerSettings, type Reader } from "#crawler"
import { startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import { readSettings } from "#base/settings.ts"

import { FakeEngine, hit } from "./testing/fake-engine.ts"
import { type Answer, type ServedApp, serveApp } from "./testing/serve-app.ts"

// Pages that are deliberately slow to process. While one caller is waiting for them, others are answered.

/** Markdown marks that open and close nothing, and links without text, all on one line: a lot of work without any words. */
const ONE_LINE = "[](x)*_".repeat(250_000)
const WORDS_IN_ONE_LINE = "pumps, seals *and* [valves](x) wear out. ".repeat(50_000)
const QUESTIONS = Array.from({ length: 6000 }, (_, i) => `# What is pump ${i}?\n\nx.\n`)
  .join("\n")
  .slice(0, 190_000)
const STRUCK = Array.from({ length: 4000 }, (_, i) => `~~Not ${i}.~~ Pump ${i} is a good pump.`)
  .join("\n\n")
  .slice(0, 190_000)

const opened = new AsyncDisposableStack()
let site: TestSite
let reader: Reader
let app: ServedApp
/** Called when a page has been read or found: from then on its text is being processed. */
let onText: () => void = () => {}

class NotedEngine extends FakeEngine {
  override async search(...given: Parameters<FakeEngine["search"]>) {
    const found = await super.search(...given)
    onText()
    return found
  }
}

beforeAll(async () => {
  const markdown =
    (text: string): Parameters<typeof startTestSite>[0][string] =>
    (_, response) => {
      response.writeHead(200, { "Content-Type": "text/markdown" }).end(`# Pumps\n\nA pump.\n\n${text}`)
    }
  site = opened.use(
    await startTestSite({ "/marks": markdown(ONE_LINE), "/words": markdown(WORDS_IN_ONE_LINE) }),
  )
  const inner = opened.use(
    createReader({
      ...readSettings(crawlerSettings, {
        FOSSICK_FETCH_TIMEOUT_MS: "120000",
        FOSSICK_READ_TIMEOUT_MS: "120000",
      }),
      allowedNetworks: [site.authority],
    }),
  )
  reader = {
    async read(...given) {
      const result = await inner.read(...given)
      if (result.kind === "read") onText()
      return result
    },
    sitemap: async () => [],
    [Symbol.asyncDispose]: async () => {},
  }
  const page = (text: string) => hit({ markdown: text, passages: [] })
  const engine = new NotedEngine([page(QUESTIONS), page(STRUCK), page(WORDS_IN_ONE_LINE), page(ONE_LINE)])
  app = opened.use(await serveApp({ reader, engine }))
})
afterAll(() => opened.disposeAsync())

/** The number of other requests answered while the call is processing its text. */
async function answeredDuring(path: string, body: object): Promise<{ others: number; answer: Answer }> {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  onText = resolve
  const state = { isOver: false }
  const call = app.post(path, body).finally(() => {
    state.isOver = true
  })
  // A call that fails ends without any text.
  await Promise.race([begun, call])
  let others = 0
  while (!state.isOver) {
    await (await fetch(`${app.url}/healthz`)).text()
    if (!state.isOver) others++
  }
  return { others, answer: await call }
}

/** If code blocked the event loop, at most the waiting request and one more would be answered. */
const SOME = 10

describe("other requests are answered during", () => {
  test.each<[string, string, (at: TestSite) => object]>([
    [
      "/extract cuts a line of marks",
      "/extract",
      (at) => ({ urls: [at.url("/marks")], query: "pumps", timeout: 60 }),
    ],
    [
      "/extract makes text of it",
      "/extract",
      (at) => ({ urls: [at.url("/marks")], format: "text", timeout: 60 }),
    ],
    [
      "/extract weighs a line of words",
      "/extract",
      (at) => ({ urls: [at.url("/words")], query: "worn seals", timeout: 60 }),
    ],
    ["/crawl does", "/crawl", (at) => ({ url: at.url("/marks"), instructions: "pumps", timeout: 150 })],
    ["/crawl makes text", "/crawl", (at) => ({ url: at.url("/marks"), format: "text", timeout: 150 })],
    [
      "/search answers from pages",
      "/search",
      () => ({ query: "what is a good pump?", include_answer: "advanced" }),
    ],
    ["/search makes text of pages", "/search", () => ({ query: "pumps", include_raw_content: "text" })],
  ])("%s", async (_, path, body) => {
    const { others, answer } = await answeredDuring(path, body(site))
    expect(answer.status).toBe(200)
    expect(answer.body.results.length).toBeGreaterThan(0)
    expect(others).toBeGreaterThan(SOME)
  })
})
