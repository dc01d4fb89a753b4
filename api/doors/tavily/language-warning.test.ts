import { afterAll, beforeAll, expect, test } from "vitest"

import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { TEST_KEY } from "../../testing/serve-app.ts"

// An index of English pages, with a few German ones that only some keys see; its vectors are labelled with the name of
// the English model.

const GERMAN = "wie wird die Pumpe entlüftet und befüllt?"
const FEW = "The question is in German, but few or none of the pages searched are."
const MODEL =
  "The multilingual embedding model reads both the question and the pages; the index's model does not; see docs/embedding-models.md."

const opened = new AsyncDisposableStack()
let app: ServedAccounts

beforeAll(async () => {
  const { engine } = await openDataFolder(opened, new HashingEmbedder("all-MiniLM-L6-v2:test"))
  await engine.index([
    ...["prime", "clean", "drain", "store"].map((verb) =>
      aPage(`en/${verb}`, { title: `How to ${verb} the pump`, markdown: `To ${verb} the pump, stop it.` }),
    ),
    aPage("de/pumpe", {
      title: "Die Pumpe",
      markdown: "Wie die Pumpe entlüftet und befüllt wird.",
      language: "de",
      source: "german",
    }),
  ])
  await engine.settled()
  app = opened.use(await serveAccounts({ engine }))
})
afterAll(() => opened.disposeAsync())

const warnings = async (body: object, key = TEST_KEY) => {
  const { status, body: answer } = await app.call("/search", key, body)
  expect(status).toBe(200)
  return answer.warnings
}
const language = (...sentences: string[]) => [{ code: "language", field: "query", text: sentences.join(" ") }]

test("a search warns when hardly any page is in the question's language and another model would read it", async () => {
  expect(await warnings({ query: GERMAN, sources: ["docs"] })).toEqual(language(FEW, MODEL))
  expect(await warnings({ query: GERMAN })).toEqual(language(MODEL))
  expect(await warnings({ query: "как заполняют насос" })).toEqual(
    language("The question is in Cyrillic script, but few or none of the pages searched are.", MODEL),
  )
  expect(await warnings({ query: "水泵怎么用", search_depth: "fast" })).toEqual(
    language("The question is in Chinese or Japanese, but few or none of the pages searched are."),
  )
})

test("a search does not warn about a suitable question, or a caller who names the language", async () => {
  expect(await warnings({ query: "how is the pump primed?" })).toBeUndefined()
  expect(await warnings({ query: "Pumpe XR-7" })).toBeUndefined()
  expect(await warnings({ query: GERMAN, sources: ["docs"], language: "en" })).toBeUndefined()
})

test("a key with a limited scope learns about the pages it may see, and nothing about the model", async () => {
  const english = await app.key({ scope: readScope({ sources: ["docs"] }) })
  const german = await app.key({ scope: readScope({ sources: ["german"] }) })
  const nothing = await app.key({ scope: readScope({ sources: ["nowhere"] }) })
  expect(await warnings({ query: GERMAN }, english)).toEqual(language(FEW))
  expect(await warnings({ query: GERMAN }, german)).toBeUndefined()
  expect(await warnings({ query: GERMAN }, nothing)).toBeUndefined()
})

test("streamed answers and searches over the Firecrawl API say the same", async () => {
  const headers = { Accept: "text/event-stream", "Content-Type": "application/json" }
  const response = await fetch(`${app.url}/search`, {
    method: "POST",
    headers: { ...headers, Authorization: `Bearer ${TEST_KEY}` },
    body: JSON.stringify({ query: GERMAN, sources: ["docs"], include_answer: true }),
  })
  const frames = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"))
  expect(JSON.parse(frames[0]!.slice(6)).warnings).toEqual(language(FEW, MODEL))
  const { body } = await app.call("/v2/search", TEST_KEY, { query: "¿cómo se limpia la bomba?" })
  expect(body.warning).toBe(`${FEW.replace("German", "Spanish")} ${MODEL}`)
})
