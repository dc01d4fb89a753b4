import { afterAll, beforeAll, expect, test } from "vitest"

import { Jobs, Sources, type StateStore } from "#crawler"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { OtherForms } from "#crawler/crawl/duplicates/other-forms.ts"
import { epub } from "#crawler/testing/documents.ts"
import { article, bytes, startTestSite, status, type TestSite } from "#crawler/testing/test-site.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"

import { sourceSites } from "../../identity/accounts/reach/source-sites.ts"
import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { searchText } from "../../server/tools/answer-text.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { runSource } from "#crawler/testing/run-source.ts"

// A manual as a web page, EPUB and text, crawled into a real index, and the formats that searches list for it.

const opened = new AsyncDisposableStack()
let db: StateStore
let site: TestSite
let engine: EmbeddedEngine
let sources: Sources
let app: ServedAccounts
/** The tool output that models received for the last search. */
let told = ""

const MANUAL = Array.from(
  { length: 40 },
  (_, at) =>
    `Seal ${"abcdefghij"[at % 10]}${"klmn"[at >> 3]} of the pump is taken out with tool ${"opqrstuvwx"[(at * 3) % 10]}, cleaned of oil and put back.`,
)
const asText = (lines: readonly string[]) =>
  bytes(`Pump manual\n\n${lines.join("\n\n")}`, { "content-type": "text/plain" })

beforeAll(async () => {
  const data = await openDataFolder(opened)
  const { dir } = data
  ;({ db, engine } = data)
  const html = MANUAL.map((line) => `<p>${line}</p>`).join("")
  site = opened.use(
    await startTestSite({
      "/": article("Front", { links: ["/m/manual.txt", "/m/epub/manual.epub", "/m/manual.html", "/prices"] }),
      "/prices": article("Prices of pumps"),
      "/m/manual.html": `<!doctype html><html lang="en"><head><title>Pump manual</title></head><body><main><h1>Pump manual</h1>${html}</main></body></html>`,
      "/m/manual.txt": asText(MANUAL),
      "/m/epub/manual.epub": bytes(epub([`<h1>Pump manual</h1>${html}`], { title: "Pump manual" }), {
        "content-type": "application/epub+zip",
      }),
    }),
  )
  const jobs = new Jobs(db)
  sources = new Sources(db, jobs)
  await sources.put({ name: "all", seeds: [site.url("/")], removal: { maxShare: 1 } })
  await sources.put({
    name: "web-only",
    seeds: [site.url("/m/manual.html"), site.url("/prices")],
    exclude: ["*.txt", "*.epub"],
  })
  app = opened.use(
    await serveAccounts({ dir, engine, forms: new OtherForms(db), sites: sourceSites(db, jobs) }),
  )
  await run("all")
  await run("web-only")
})
afterAll(() => opened.disposeAsync())

async function run(name: string): Promise<void> {
  expect((await runSource(name, db, engine))?.state).toBe("finished")
}

async function found(scope: Parameters<typeof app.key>[0]) {
  const { body } = await app.call("/search", await app.key(scope), { query: "pump seal", max_results: 20 })
  told = searchText(body)
  return body.results as { readonly url: string; readonly other_forms?: unknown }[]
}

const text = { url: "/m/manual.txt", format: "txt" }
const book = { url: "/m/epub/manual.epub", format: "epub" }
const full = (forms: readonly (typeof text)[]) => forms.map((form) => ({ ...form, url: site.url(form.url) }))

test("a result names the other formats of its document, if it has any", async () => {
  const results = await found({})
  const manual = results.filter(({ url }) => url.includes("/m/"))
  expect(manual.map(({ url }) => url)).toEqual([site.url("/m/manual.html")])
  expect(manual[0]!.other_forms).toEqual(full([book, text]))
  expect(told).toContain(`Also as: epub ${site.url(book.url)}, txt ${site.url(text.url)}\n`)
  expect(results.length).toBeGreaterThan(1)
  for (const other of results.filter(({ url }) => !url.includes("/m/")))
    expect(other).not.toHaveProperty("other_forms")
})

test("a key limited to sources never sees addresses outside them", async () => {
  const ofManual = async (source: string) =>
    (await found({ scope: readScope({ sources: [source] }) })).find(({ url }) => url.endsWith("manual.html"))
  expect((await ofManual("all"))?.other_forms).toEqual(full([book, text]))
  const limited = await ofManual("web-only")
  expect(limited).toBeDefined()
  expect(limited).not.toHaveProperty("other_forms")
})

test("a format that is gone from the site is no longer listed", async () => {
  site.serve({ "/m/manual.txt": status(410) })
  await run("all")
  const manual = (await found({})).find(({ url }) => url.endsWith("manual.html"))
  expect(manual?.other_forms).toEqual(full([book]))
})
