import { afterAll, beforeAll, expect, test } from "vitest"

import { Jobs, Sources, type StateStore } from "#crawler"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { removeAskedPages } from "#crawler/upkeep/removals/remove-pages.ts"
import { article, startTestSite, status, type TestSite } from "#crawler/testing/test-site.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"

import { type ServedAccounts, serveAccounts } from "../../../testing/serve-accounts.ts"
import { readScope, scopeOfCollections } from "../keys/key-scope.ts"
import { runSource, shareOfRuns } from "#crawler/testing/run-source.ts"

// Two sources whose pages overlap, crawled into a real index, and the results of keys limited to one of them.

const opened = new AsyncDisposableStack()
const share = opened.use(shareOfRuns())
let db: StateStore
let site: TestSite
let engine: EmbeddedEngine
let sources: Sources
let app: ServedAccounts

beforeAll(async () => {
  const data = await openDataFolder(opened)
  const { dir } = data
  ;({ db, engine } = data)
  site = opened.use(
    await startTestSite({
      "/": article("Front of pumps", { links: ["/manual/", "/prices"] }),
      "/prices": article("Prices of pumps"),
      "/manual/": article("Manual of pumps", { links: ["/manual/seals"] }),
      "/manual/seals": article("Seals of pumps"),
    }),
  )
  const jobs = new Jobs(db)
  sources = new Sources(db, jobs)
  await sources.put({ name: "everything", seeds: [site.url("/")], removal: { maxShare: 1 } })
  const manual = { name: "manual", seeds: [site.url("/manual/")], scope: "prefix" as const }
  await sources.put({ ...manual, removal: { maxShare: 1 } })
  app = opened.use(await serveAccounts({ dir, engine }))
  await app.accounts.collections.set("for-support", ["manual"])
})
afterAll(() => opened.disposeAsync())

async function run(name: string): Promise<void> {
  expect((await runSource(name, db, engine, share))?.state).toBe("finished")
}

async function foundBy(scope: Parameters<typeof app.key>[0]): Promise<string[]> {
  const { body } = await app.call("/search", await app.key(scope), { query: "pumps", max_results: 20 })
  const results = body.results as { readonly url: string }[]
  return results.map((result) => result.url.slice(site.origin.length)).sort()
}

const everything = { scope: readScope({ sources: ["everything"] }) }
const manual = { scope: readScope({ sources: ["manual"] }) }
const support = { scope: scopeOfCollections(["for-support"]) }
const other = { scope: readScope({ sources: ["other"] }) }

test("a key finds its source's pages, whichever other source reads them too, until its own drops them", async () => {
  await run("everything")
  expect(await foundBy(manual)).toEqual([])
  await run("manual")
  for (let round = 0; round < 2; round++) {
    expect(await foundBy(everything)).toEqual(["/", "/manual/", "/manual/seals", "/prices"])
    expect(await foundBy(manual)).toEqual(["/manual/", "/manual/seals"])
    expect(await foundBy(support)).toEqual(["/manual/", "/manual/seals"])
    expect(await foundBy(other)).toEqual([])
    await run("everything")
  }
  // The page is gone for the source that has noticed its removal, and stays for the other source until that source
  // notices, too.
  site.serve({ "/manual/seals": status(410) })
  await run("manual")
  expect(await foundBy(manual)).toEqual(["/manual/"])
  expect(await foundBy(everything)).toEqual(["/", "/manual/", "/manual/seals", "/prices"])
  await run("everything")
  expect(await foundBy(everything)).toEqual(["/", "/manual/", "/prices"])

  await sources.delete("everything", { removePages: true })
  await removeAskedPages({ db, engine, sources, signal: new AbortController().signal })
  expect(await foundBy(everything)).toEqual([])
  expect(await foundBy(support)).toEqual(["/manual/"])
  expect(await foundBy({})).toEqual(["/manual/"])
})
