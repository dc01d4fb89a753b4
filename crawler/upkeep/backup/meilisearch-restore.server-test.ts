import { afterAll, expect, test } from "vitest"
import { openTestServer } from "#engine/testing/meilisearch/test-server.ts"
import { onServer } from "#engine/testing/meilisearch/under-test.ts"
import { rareWord } from "#engine/testing/pages.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { article, startTestSite } from "../../testing/test-site.ts"
import { restore } from "./restore.ts"
import {
  disagreements,
  Folders,
  restoreInto,
  SmallAppliance,
  writeBackupTo,
} from "./testing/small-appliance.ts"

const server = await openTestServer()
const meilisearch = onServer(server)

afterAll(async () => {
  await server.close()
})

test("a backup of an embedded index is restored onto Meilisearch, and one of that onto an embedded index", async () => {
  using folders = new Folders()
  const paths = Array.from({ length: 12 }, (_, i) => `/p${i}`)
  await using web = await startTestSite({
    "/": article("Home", { links: paths }),
    ...Object.fromEntries(paths.map((path, i) => [path, article(`Page ${i}`, { text: rareWord(i) })])),
  })
  await using from = await SmallAppliance.open(folders.at("from"))
  await from.crawl({ name: "docs", seeds: [`${web.origin}/`], removal: { maxShare: 1 } })
  await from.engine.settled()
  await from.backUp(folders.at("1.tar"))

  const place = await meilisearch.freshPlace()
  try {
    const between = folders.at("between")
    const { index, mended } = await restore(folders.at("1.tar"), {
      dataDir: between,
      force: false,
      openEngine: () => meilisearch.open(place),
    })
    expect(index).toMatchObject({ written: 13, withoutVectors: 0 })
    expect(mended).toEqual({ addresses: 0, images: 0, jobs: 0 })
    const over = restore(folders.at("1.tar"), {
      dataDir: folders.at("another"),
      force: false,
      openEngine: () => meilisearch.open(place),
    })
    await expect(over).rejects.toThrow("holds 13 pages already")
    {
      await using engine = await meilisearch.open(place, { mode: "read" })
      const db = await openStateStore(between)
      try {
        expect(await disagreements({ db, engine })).toEqual([])
        await writeBackupTo(folders.at("2.tar"), { dataDir: between, db, engine })
      } finally {
        db.close()
      }
    }
    const again = await restoreInto(folders.at("to"), folders.at("2.tar"))
    expect(again.index.totals).toEqual(index.totals)
    await using to = await SmallAppliance.open(folders.at("to"))
    expect(await disagreements(to)).toEqual([])
    expect((await to.engine.search({ text: rareWord(7), limit: 1 })).hits[0]?.title).toBe("Page 7")
    expect(await to.engine.stats()).toEqual(await from.engine.stats())
  } finally {
    await meilisearch.removePlace(place)
  }
})
