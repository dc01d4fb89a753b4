import { DatabaseSync } from "node:sqlite"

import { afterEach, beforeEach, expect, test } from "vitest"

import { Jobs } from "#crawler/jobs/jobs.ts"
import { goneSources } from "#crawler/sources/source-names.ts"
import { Sources } from "#crawler/sources/sources.ts"
import { SqliteStore } from "#base/store/sqlite/sqlite-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { openCollections } from "../../identity/accounts/reach/collections.ts"
import { startAppliance } from "../../testing/appliance.ts"
import { freePort } from "./testing/chain.ts"
import { firstScreen } from "../../server/supervisor/first-screen.ts"
import { salesLine, unknownForSale } from "./for-sale.ts"
import type { X402Config } from "./settings.ts"

let folder: ReturnType<typeof temporaryFolder>
let db: StateStore

beforeEach(async () => {
  folder = temporaryFolder()
  db = await openStateStore(folder.path)
  const jobs = new Jobs(db)
  await new Sources(db, jobs).put({ name: "docs", seeds: "https://docs.example.com/" }, "file")
})
afterEach(() => {
  db.close()
  folder[Symbol.dispose]()
})

const unknown = (sources: readonly string[], collections: readonly string[] = []) =>
  unknownForSale({ forSale: { sources, collections } }, db, openCollections(db))

test("accepts existing names, and the sale of everything", async () => {
  await openCollections(db).set("public", ["docs"])
  expect(await unknown(["docs"], ["public"])).toBeNull()
  expect(await unknownForSale({ forSale: null }, db, openCollections(db))).toBeNull()
})

test("an unknown name sells nothing; the first screen names it with its setting and the nearest match", async () => {
  await openCollections(db).set("public", ["docs"])
  const wrong = await unknown(["dcos"])
  expect(wrong).toBe('FOSSICK_X402_SOURCES: There is no source "dcos"; did you mean "docs"?')
  expect(await unknown([], ["pubic"])).toBe(
    'FOSSICK_X402_COLLECTIONS: There is no collection "pubic"; did you mean "public"?',
  )
  const sales = salesLine({ on: false, missing: [] }, wrong, undefined)
  const facts = {
    url: "http://localhost:8080",
    apiKey: null,
    operatorKey: true,
    ready: true,
    lostState: null,
    lowDisk: null,
    readOnly: null,
  } as const
  expect(firstScreen({ ...facts, handbook: "read", sales })).toContain(
    '  Paid       no searches are sold. FOSSICK_X402_SOURCES: There is no source "dcos"; did you mean "docs"?\n',
  )
  expect(firstScreen({ ...facts, handbook: "read", sales: null })).not.toContain("Paid")
})

test("the first screen says where searches are for sale, or what is missing, and nothing if selling is not set up", () => {
  const config = { publicUrl: "https://search.example", network: "eip155:8453" } as X402Config
  expect(salesLine({ on: true, config }, null, 8402)).toBe(
    "searches are for sale at https://search.example (port 8402, eip155:8453)",
  )
  expect(salesLine({ on: false, missing: ["X402_PAY_TO", "X402_NETWORK"] }, null, undefined)).toBe(
    "no searches are sold until X402_PAY_TO, X402_NETWORK are set too",
  )
  expect(salesLine({ on: false, missing: [] }, null, undefined)).toBeNull()
})

test("an appliance set to sell an unknown name says so on its first screen, and opens no port for it", async () => {
  const jobs = new Jobs(db)
  await new Sources(db, jobs).put({ name: "wiki", seeds: "http://127.0.0.1:9/" })
  const port = String(await freePort())
  await using appliance = await startAppliance({
    FOSSICK_DATA_DIR: folder.path,
    FOSSICK_HANDBOOK: "off",
    FOSSICK_X402_SOURCES: "wikki",
    FOSSICK_X402_PORT: port,
    X402_PAY_TO: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    X402_NETWORK: "eip155:84532",
    X402_FACILITATOR_URL: "http://127.0.0.1:9",
    X402_PUBLIC_URL: "http://127.0.0.1:9",
  })
  expect(appliance.output()).toContain(
    '  Paid       no searches are sold. FOSSICK_X402_SOURCES: There is no source "wikki"; did you mean "wiki"?\n',
  )
  expect((await fetch(`${appliance.url}/healthz`)).status).toBe(200)
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } })
})

test("no name is unknown when another machine fills the index", async () => {
  const empty = new SqliteStore(new DatabaseSync(":memory:"))
  expect(
    await unknownForSale({ forSale: { sources: ["docs"], collections: [] } }, empty, openCollections(db)),
  ).toBeNull()
  empty.close()
})

test("a deleted source without pages is gone, and one with pages is not", async () => {
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  await sources.put({ name: "wiki", seeds: "https://wiki.example.com/" })
  expect(await goneSources(db, ["docs", "wiki"])).toEqual([])
  await sources.delete("wiki")
  expect(await goneSources(db, ["docs", "wiki"])).toEqual(["wiki"])
  await statement(
    db,
    `insert into known_address (url, source, job, outcome, hash, visited_at)
     values ('https://wiki.example.com/', 'wiki', 1, 'indexed', 'x', 1)`,
  ).run()
  expect(await goneSources(db, ["wiki"])).toEqual([])
})
