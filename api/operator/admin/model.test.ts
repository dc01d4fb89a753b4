import { join } from "node:path"

import { afterEach, beforeEach, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { Jobs } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { openEngine } from "#engine"
import { upgradeNow } from "#engine/lifecycle/generations/building/upgrade-now.ts"
import { openGenerations } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { aPage } from "#engine/testing/pages.ts"

import {
  type Answer,
  answerOf,
  expectDocumented,
  type ServedApp,
  serveApp,
  TEST_KEY,
} from "../../testing/serve-app.ts"
import { QueryLog } from "../../services/queries/query-log.ts"
import { openAdmin } from "./open-admin.ts"

// Tests which model makes the vectors, and switching to another one, with the bundled models and an index that is
// really rebuilt.

let opened: AsyncDisposableStack
let app: ServedApp
/** The data folder of an appliance with one page. */
let dir: string

/** The questions, newest first. */
let questions: readonly string[] = []

const serving = async (env: Record<string, string> = {}): Promise<ServedApp> => {
  const { db, engine } = await openDataFolder(opened)
  const queries = new QueryLog(db, 30)
  for (const question of questions.toReversed())
    await queries.note({
      at: Date.now(),
      keyId: "k",
      question,
      depth: "basic",
      results: 1,
      topScore: 1,
      seconds: 1,
    })
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir, ...env })
  const admin = () =>
    openAdmin({ db, engine, queries, jobs: new Jobs(db), crawlerConfig: testConfig(), engineConfig })
  return opened.use(await serveApp({ engine, admin }))
}
const settings = () => readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })

async function call(method: string, body?: object, at = app): Promise<Answer> {
  const answer = await answerOf(
    await fetch(`${at.url}/admin/model`, {
      method,
      headers: { Authorization: `Bearer ${TEST_KEY}`, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  expectDocumented(method, "/admin/model", answer)
  return answer
}

beforeEach(async () => {
  opened = new AsyncDisposableStack()
  dir = join((await openDataFolder(opened)).dir, "appliance")
  app = await serving()
})
afterEach(() => opened.disposeAsync())

async function crawled(): Promise<void> {
  await using engine = await openEngine(settings(), { mode: "write" })
  await engine.index([aPage("otters", { title: "Otters", markdown: "Otters hold hands asleep." })])
  await engine.settled()
}

test("before the first crawl no model is in use, and both shipped ones are listed", async () => {
  const { status, body } = await call("GET")
  expect(status).toBe(200)
  expect(body).toMatchObject({
    model: { in_use: null, setting: null, wanted: "auto", chosen: null, server_problem: null },
    change: null,
    available: [
      { name: "english", dimensions: 384, scripts: ["Latin"] },
      { name: "multilingual", dimensions: 384, scripts: expect.arrayContaining(["Cyrillic", "Han"]) },
    ],
  })
})

test("another model is requested, its index is built beside the current one, and then used", async () => {
  await crawled()
  const english = { name: "english", embedder: expect.stringMatching(/^all-MiniLM-L6-v2:/) }
  const multilingual = { name: "multilingual", embedder: expect.stringMatching(/^multilingual-e5-small:/) }
  expect((await call("GET")).body).toMatchObject({
    model: {
      in_use: english,
      chosen: "english",
      because: "chosen for the pages in the index (0 % of the pages in languages other than English)",
      languages: { en: 1 },
    },
    change: null,
  })

  const asked = await call("POST", { model: "multilingual" })
  expect(asked.status).toBe(202)
  expect(asked.body).toMatchObject({
    model: { in_use: english, wanted: "multilingual", chosen: null, because: "as requested" },
    change: { to: multilingual, state: "waiting", pages: 0, of_pages: 1, seconds_left: null },
  })

  // The crawler process's work apart from crawls; it stops once the page is in the new index.
  await using context = await openGenerations(settings())
  const stop = new AbortController()
  const onProgress = ({ step }: { readonly step: string }) => {
    if (step === "pages") stop.abort()
  }
  expect(await upgradeNow(context, { signal: stop.signal, onProgress })).toBe(false)
  expect((await call("GET")).body).toMatchObject({
    model: { in_use: english },
    change: { to: multilingual, state: "building", pages: 1, of_pages: 1 },
  })

  expect(await upgradeNow(context, { signal: new AbortController().signal })).toBe(true)
  expect((await call("GET")).body).toMatchObject({
    model: { in_use: multilingual, wanted: "multilingual" },
    change: null,
  })
  expect((await call("POST", { model: "auto" })).body).toMatchObject({
    model: { in_use: multilingual, wanted: "auto" },
  })
})

test("questions that only the multilingual model reads are counted, once they are more than a few", async () => {
  await crawled()
  const english = Array.from({ length: 20 }, (_, i) => `how do otters sleep ${i}?`)
  const german = ["wann schlafen die Otter?", "warum ist der Otter nass?", "was frisst der Otter und wo?"]
  const unread = async (asked: readonly string[]) => {
    questions = asked
    return (await call("GET", undefined, await serving())).body.model.unread_questions
  }
  expect(await unread([])).toBeNull()
  expect(await unread([...english, ...german.slice(1)])).toBeNull()
  expect(await unread([...english, ...german])).toEqual({ count: 3, of: 23 })
  // Only the latest questions are considered.
  expect(await unread([...Array.from({ length: 10 }, () => english).flat(), ...german])).toBeNull()
  questions = []
})

test("an invalid model is rejected, and the settings take precedence", async () => {
  for (const [model, message] of [
    ["klingon", "must be one of auto, english, multilingual"],
    ["./models/mine", "must be one of auto"],
    [join(dir, "nowhere"), "there is no such folder"],
  ])
    expect(await call("POST", { model })).toMatchObject({
      status: 422,
      body: { detail: { problems: [{ field: "model", message: expect.stringContaining(message!) }] } },
    })
  expect((await call("POST", {})).status).toBe(422)
  expect((await call("GET")).body.model.wanted).toBe("auto")

  const settled = await serving({ FOSSICK_MODEL: "/srv/models/mine" })
  const { status, body } = await call("POST", { model: "english" }, settled)
  expect([status, body.detail.error]).toEqual([
    409,
    "The model is set to /srv/models/mine in the settings, which take precedence. To choose one here, clear FOSSICK_MODEL or FOSSICK_EMBEDDINGS_URL and restart.",
  ])
})
