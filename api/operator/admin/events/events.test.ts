import { EventSourceParserStream } from "eventsource-parser/stream"
import { afterAll, beforeAll, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { Jobs, Sources, type StateStore } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { engineSettings } from "#engine/settings.ts"
import { aPage } from "#engine/testing/pages.ts"
import type { Engine } from "#engine"

import { serveAccounts, type ServedAccounts } from "../../../testing/serve-accounts.ts"
import { TEST_KEY } from "../../../testing/serve-app.ts"
import { openAdmin } from "../open-admin.ts"
import { FairPool } from "#base/flow/fair-pool.ts"
import { EventFeed } from "./event-feed.ts"

// Events about running work, sent over a socket as it changes in `state.db` and in the index.

const opened = new AsyncDisposableStack()
let app: ServedAccounts
let db: StateStore
let engine: Engine
const MOST_STREAMS = 16
const eventStreams = new FairPool("event-streams", { places: 2 * MOST_STREAMS })

beforeAll(async () => {
  const folder = await openDataFolder(opened)
  const { dir } = folder
  ;({ db, engine } = folder)
  const jobs = new Jobs(db)
  await new Sources(db, jobs).put({ name: "docs", seeds: ["https://docs.example.com/"] })
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
  const admin = () => openAdmin({ db, engine, jobs, crawlerConfig: testConfig(), engineConfig, eventStreams })
  app = opened.use(await serveAccounts({ dir, engine, admin }))
})
afterAll(() => opened.disposeAsync())

interface Told {
  readonly id: string
  readonly name: string
  readonly data: { readonly jobs?: readonly object[]; readonly queued?: number; readonly pages?: number }
}

/** Requests events; `next` returns one after the other, and null at the end. */
async function follow({ after, key = TEST_KEY }: { after?: string; key?: string } = {}) {
  const stop = new AbortController()
  const response = await fetch(`${app.url}/admin/events`, {
    headers: { Authorization: `Bearer ${key}`, ...(after !== undefined && { "Last-Event-ID": after }) },
    signal: stop.signal,
  })
  if (!response.ok) {
    await response.body?.cancel()
    return { status: response.status, next: () => Promise.resolve(null), [Symbol.dispose]: () => {} }
  }
  const events = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  return {
    status: response.status,
    async next(): Promise<Told | null> {
      const { value, done } = await events.read()
      if (done) return null
      return { id: value.id!, name: value.event!, data: JSON.parse(value.data) as Told["data"] }
    },
    [Symbol.dispose]: () => {
      // The next read reaches the end of the stream.
      events.closed.catch(() => {})
      stop.abort()
    },
  }
}

test("a stream starts with everything, continues with changes, and another resumes where it ended", async () => {
  using stream = await follow()
  const first = [await stream.next(), await stream.next(), await stream.next()]
  expect(first.map((one) => one!.name).sort()).toEqual(["removals", "runs", "vectors"])
  expect(first.find((one) => one!.name === "runs")!.data).toMatchObject({ jobs: [], queued: 0, last: null })
  const jobs = new Jobs(db)
  await new Sources(db, jobs).run("docs", { trigger: "api" })
  const changed = (await stream.next())!
  expect(changed).toMatchObject({
    name: "runs",
    data: { queued: 1, jobs: [{ source: "docs", state: "queued" }] },
  })
  await engine.index([aPage("a")])
  let told = (await stream.next())!
  while (told.name !== "vectors" || told.data.pages !== 1) told = (await stream.next())!
  // A client that has seen the run gets only the page.
  using again = await follow({ after: changed.id })
  expect(await again.next()).toMatchObject({ name: "vectors", data: { pages: 1 } })
  using fresh = await follow({ after: "another-7" })
  const all = [await fresh.next(), await fresh.next(), await fresh.next()]
  expect(new Set(all.map((one) => one!.name)).size).toBe(3)
})

test("streams are limited, and open only to keys with the admin role", async () => {
  using refused = await follow({ key: await app.key() })
  expect(refused.status).toBe(403)
  {
    using streams = new DisposableStack()
    for (let i = 0; i < MOST_STREAMS; i += 1) expect(streams.use(await follow()).status).toBe(200)
    expect(streams.use(await follow()).status).toBe(429)
    expect([eventStreams.running, eventStreams.refused]).toEqual([MOST_STREAMS, 1])
  }
  await expect
    .poll(async () => {
      using one = await follow()
      return one.status
    })
    .toBe(200)
  await expect.poll(() => eventStreams.running).toBe(0)
})

test("a topic that fails is retried without holding up others, and nothing is looked up without listeners", async () => {
  const problems: unknown[] = []
  let looks = 0
  const feed = new EventFeed(
    [
      {
        name: "weak",
        look: () => {
          looks += 1
          if (looks === 1) throw new Error("locked")
          return looks > 2 ? "well" : "better"
        },
      },
      { name: "strong", look: () => Promise.resolve({ is: "there" }) },
    ],
    { onProblem: (error) => problems.push(error), lookMs: 1 },
  )
  const told: string[] = []
  const stop = feed.listen(({ name, data }) => told.push(`${name} ${data}`))
  await expect.poll(() => told).toEqual(['strong {"is":"there"}', 'weak "better"', 'weak "well"'])
  expect(problems).toHaveLength(1)
  stop()
  await expect
    .poll(() => {
      const before = looks
      return new Promise<number>((resolve) => setTimeout(() => resolve(looks - before), 20))
    })
    .toBe(0)
})
