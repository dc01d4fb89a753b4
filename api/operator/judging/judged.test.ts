import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { parse } from "yaml"

import { Jobs } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { leaveOut } from "#base/flow/degraded.ts"
import { readSettings } from "#base/settings.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { Engine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { aPage } from "#engine/testing/pages.ts"

import { openAdmin } from "../admin/open-admin.ts"
import { ruledEngine } from "../rules/ruled-engine.ts"
import { RuleStore } from "../rules/rule-store.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { answerOf, expectDocumented } from "../../testing/serve-app.ts"
import { JudgedStore } from "./judged-store.ts"
import { RunStore } from "./run-store.ts"

// Tests questions that are judged over the admin API, with a real index and the app on a socket.

let opened: AsyncDisposableStack
let app: ServedAccounts
let db: StateStore
/** Searches wait for this promise if a test wants to see a run in progress. */
let gate: Promise<void>
let adminKey: string
/** Whether questions are answered by words alone, without vectors. */
let isBusy: boolean

beforeEach(async () => {
  opened = new AsyncDisposableStack()
  const folder = await openDataFolder(opened)
  db = folder.db
  gate = Promise.resolve()
  isBusy = false
  await folder.engine.index([
    aPage("pump", { title: "Pump", markdown: "A pump moves water." }),
    aPage("valve", { title: "Valve", markdown: "A valve closes the line." }),
  ])
  const ruled = ruledEngine(folder.engine, new RuleStore(db))
  const engine: Engine = {
    ...ruled,
    search: async (query, options) => {
      await gate
      if (isBusy) leaveOut("meaning")
      return await ruled.search(query, options)
    },
  }
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder.dir })
  const parts = { db, engine, jobs: new Jobs(db), crawlerConfig: testConfig(), engineConfig }
  app = opened.use(await serveAccounts({ dir: folder.dir, engine, admin: () => openAdmin(parts) }))
  adminKey = await app.key({ role: "admin" })
})
afterEach(() => opened.disposeAsync())

async function admin(method: string, path: string, body?: object) {
  const response = await fetch(`${app.url}/admin${path}`, {
    method,
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await answerOf(response)
  expectDocumented(method, `/admin${path}`, answer)
  return answer
}

const PUMP = { question: "pump", pages: [{ url: "https://docs.example.com/pump", grade: 3 }] }
const IMPELLER = { question: "impeller", pages: [{ url: "https://docs.example.com/pump" }] }
const SYNONYM = { id: "p", kind: "synonym", words: ["pump", "impeller"] }

/** Runs all questions, and waits for the end of the run. */
async function ran(body: object = {}): Promise<number> {
  const { status, body: begun } = await admin("POST", "/judged-runs", { depth: "fast", ...body })
  expect(status).toBe(202)
  await expect
    .poll(async () => (await admin("GET", `/judged-runs/${begun.id}`)).body.run.state as string)
    .toBe("finished")
  return begun.id as number
}

test("judged questions are added, changed, listed and deleted", async () => {
  const { status, body } = await admin("POST", "/judged-questions", { ...PUMP, question: " The  Pump " })
  expect([status, body.question, body.pages]).toEqual([201, "The Pump", PUMP.pages])
  expect((await admin("POST", "/judged-questions", { ...PUMP, question: "the pump" })).status).toBe(409)
  const pages = [{ url: "https://docs.example.com/valve" }]
  expect((await admin("PUT", `/judged-questions/${body.id}`, { pages })).body.pages).toEqual([
    { ...pages[0], grade: 1 },
  ])
  expect((await admin("GET", "/judged-questions")).body).toMatchObject({
    total: 1,
    questions: [{ question: "The Pump", latest: null, before: null }],
  })
  const named = async (question: string) =>
    (await admin("GET", `/judged-questions?question=${encodeURIComponent(question)}`)).body.total as number
  expect([await named("THE pump"), await named("pump")]).toEqual([1, 0])
  for (const blank of [" ", "\u2003\u0085\u001d"]) {
    expect((await admin("GET", `/judged-questions?question=${encodeURIComponent(blank)}`)).status).toBe(400)
    expect((await admin("POST", "/judged-questions", { ...PUMP, question: blank })).status).toBe(422)
  }
  const wrong = await admin("PUT", `/judged-questions/${body.id}`, { pages: [{ url: "ftp://x" }] })
  expect(wrong.body.detail.problems[0].field).toBe("pages.0.url")
  expect((await admin("DELETE", `/judged-questions/${body.id}`)).body).toEqual({ id: body.id, deleted: true })
  expect((await admin("GET", `/judged-questions/${body.id}`)).status).toBe(404)
})

test("a file of questions is imported whole or not at all, and exported unchanged", async () => {
  const text =
    "questions:\n  - question: pump\n    pages:\n      - url: https://docs.example.com/pump\n        grade: 3\n"
  await admin("POST", "/judged-questions", IMPELLER)
  expect((await admin("POST", "/judged-questions/import", { text })).body).toEqual({
    added: 1,
    changed: 0,
    deleted: 0,
    total: 2,
  })
  const wrong = await admin("POST", "/judged-questions/import", { text: text.replace("https", "ftp") })
  expect(wrong.body.detail.error).toContain(
    "line 4: ftp://docs.example.com/pump isn't an http or https address",
  )
  expect((await admin("POST", "/judged-questions/import", { text, alone: true })).body).toMatchObject({
    deleted: 1,
    total: 1,
  })
  const out = await fetch(`${app.url}/admin/judged-questions.yaml`, {
    headers: { Authorization: `Bearer ${adminKey}` },
  })
  const written = await out.text()
  expect(written).toBe(text)
  // Programs that know the media type validate the document against the schema.
  const answer = { status: out.status, headers: out.headers, body: parse(written) as unknown }
  expectDocumented("GET", "/admin/judged-questions.yaml", answer)
})

describe("a judging run", () => {
  beforeEach(async () => {
    for (const one of [PUMP, IMPELLER]) await admin("POST", "/judged-questions", one)
  })

  test("is stored with the setup that answered it, and compared with the one before", async () => {
    const first = await ran({ note: "as it was" })
    await admin("PUT", "/rules/p", SYNONYM)
    const second = await ran()
    const { run, against, questions } = (await admin("GET", `/judged-runs/${second}`)).body
    expect(run).toMatchObject({
      ndcg: 1,
      hit1: 1,
      depth: "fast",
      generation: "index",
      pages: 2,
      rules_version: 1,
    })
    expect(against).toMatchObject({ id: first, ndcg: 0.5, note: "as it was", rules_version: 0 })
    expect(run.embedder).toBe(against.embedder)
    expect(run.rules_digest).not.toBe(against.rules_digest)
    expect(questions).toMatchObject([
      { question: "pump", rank: 1, ndcg: 1, before: { rank: 1, ndcg: 1 } },
      { question: "impeller", rank: 1, ndcg: 1, before: { rank: null, ndcg: 0 } },
    ])
    const impeller = (await admin("GET", "/judged-questions")).body.questions.find(
      (one: { question: string }) => one.question === "impeller",
    )
    expect(impeller).toMatchObject({ latest: { run: second, rank: 1 }, before: { run: first, rank: null } })
    const { history } = (await admin("GET", `/judged-questions/${impeller.id}`)).body
    expect(history.map((one: { rank: number | null }) => one.rank)).toEqual([1, null])
    expect((await admin("GET", `/judged-runs/${second}?against=999`)).status).toBe(404)
    await admin("DELETE", `/judged-runs/${second}`)
    expect((await admin("GET", "/judged-runs")).body).toMatchObject({ total: 1, runs: [{ id: first }] })
  })

  test("notes beside its scores when some questions were only partly answered", async () => {
    const complete = await ran()
    isBusy = true
    const partial = await ran()
    const problemOf = async (id: number) =>
      (await admin("GET", `/judged-runs/${id}`)).body.run.problem as string | null
    expect(await problemOf(complete)).toBeNull()
    expect(await problemOf(partial)).toMatch(/^2 of 2 questions were only partly answered\. .*words alone/)
  })

  test("runs alone, and ends without scores when it is deleted", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const { body: begun } = await admin("POST", "/judged-runs")
    expect(begun).toMatchObject({ state: "running", asked: 0, questions: 2, ndcg: null })
    expect((await admin("POST", "/judged-runs")).status).toBe(409)
    expect((await admin("DELETE", `/judged-runs/${begun.id}`)).status).toBe(200)
    resolve()
    await ran()
    expect((await admin("GET", "/judged-runs")).body.total).toBe(1)
  })

  test("is recognised as dead when its process has ended, and blocks no other", async () => {
    const runs = new RunStore(db)
    const facts = { depth: "fast", note: "", generation: "index", embedder: "e", pages: 2 } as const
    const left = (await runs.begin(
      { ...facts, rulesVersion: 0, rulesDigest: "", questions: 2 },
      Date.now() - 3_600_000,
    ))!
    expect((await admin("GET", `/judged-runs/${left}`)).body.run.state).toBe("interrupted")
    await ran()
  })

  test("tries other rules before they are saved", async () => {
    const { body } = await admin("POST", "/judged-questions/preview", { rules: [SYNONYM], depth: "fast" })
    expect(body).toMatchObject({
      total: 2,
      asked: 2,
      before: { ndcg: 0.5, hit1: 0.5 },
      after: { ndcg: 1, hit1: 1 },
      better: 1,
      worse: 0,
      questions: [{ question: "impeller", before: { rank: null }, after: { rank: 1 } }],
    })
    expect((await admin("GET", "/rules")).body.rules).toEqual([])
    expect((await admin("GET", "/judged-runs")).body.total).toBe(0)
    await admin("PUT", "/rules/p", SYNONYM)
    const without = await admin("POST", "/judged-questions/preview", {
      without: ["p"],
      depth: "fast",
      most: 1,
    })
    expect(without.body).toMatchObject({ total: 2, asked: 1 })
    const wrong = await admin("POST", "/judged-questions/preview", { rules: [{ id: "x", kind: "magic" }] })
    expect(wrong.body.detail.problems[0].field).toBe("rules[0].kind")
  })
})

test("the number of runs and scores is limited; the oldest are deleted", async () => {
  const [store, runs] = [new JudgedStore(db), new RunStore(db)]
  await store.put([PUMP as never])
  const { id } = (await store.all())[0]!
  const facts = { depth: "fast", note: "", generation: "index", embedder: "e", pages: 2 } as const
  for (let i = 0; i < 503; i++) {
    const run = (await runs.begin({ ...facts, rulesVersion: 0, rulesDigest: "", questions: 1 }))!
    await runs.finish(run, { ndcg: 1, hit1: 1, hit3: 1 }, [{ id, ndcg: 1, rank: 1 }])
  }
  expect(await runs.count()).toBe(500)
  expect(await store.marks(id, 1000)).toHaveLength(500)
})

test("a run does not start without questions", async () => {
  expect((await admin("POST", "/judged-runs")).status).toBe(409)
  expect((await admin("POST", "/judged-questions/preview")).body).toMatchObject({
    asked: 0,
    before: { ndcg: 0 },
  })
})
