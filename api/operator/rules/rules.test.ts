import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"

import { Jobs } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { readSettings } from "#base/settings.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/settings.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { openAdmin } from "../admin/open-admin.ts"
import { FakeEngine } from "../../testing/fake-engine.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { memoryState } from "../../testing/serve-app.ts"
import { QueryLog } from "../../services/queries/query-log.ts"
import { ruledEngine } from "./ruled-engine.ts"
import { RuleStore } from "./rule-store.ts"
import { parseRules, rulesText } from "./rules-file.ts"

// Tests a real index and the app over HTTP: rules are added through the admin API, and questions are asked with keys.

let opened: AsyncDisposableStack
let app: ServedAccounts
let db: StateStore
let queries: QueryLog

async function admin(method: string, call: string, body?: unknown) {
  const answer = await fetch(`${app.url}/admin/rules${call}`, {
    method,
    headers: {
      Authorization: `Bearer ${await app.key({ role: "admin" })}`,
      "Content-Type": "application/json",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function found(query: string, sources?: readonly string[]) {
  const key = await app.key(sources ? { scope: readScope({ sources }) } : {})
  const { body } = await app.call("/search", key, { query, search_depth: "fast" })
  return (body.results as { readonly title: string }[]).map(({ title }) => title)
}

const SYNONYM = { kind: "synonym", words: ["pump", "impeller"] }
const PIN = { kind: "pin", questions: ["water"], url: "https://docs.example.com/impeller" }

test("two rules with the same id added at once leave only one", async () => {
  using state = memoryState()
  const rules = new RuleStore(state)
  const one = { id: "p", kind: "synonym", words: ["pump", "impeller"] } as const
  expect(await Promise.all([rules.add(one), rules.add({ ...one, words: ["pump", "valve"] })])).toEqual([
    true,
    false,
  ])
  expect(await rules.now()).toEqual({ version: 1, rules: [one] })
})

describe("a rule in the admin API", () => {
  beforeEach(async () => {
    opened = new AsyncDisposableStack()
    const dir = await mkdtemp(path.join(tmpdir(), "fossick-rules-"))
    opened.defer(() => rm(dir, { recursive: true }))
    const plain = opened.use(
      await EmbeddedEngine.open({
        dir: path.join(dir, "index"),
        embedder: new HashingEmbedder(),
        mode: "write",
        embedding: "off",
      }),
    )
    await plain.index([
      aPage("pump", { title: "Pump", markdown: "A pump moves water.", source: "manual" }),
      aPage("impeller", { title: "Impeller", markdown: "An impeller turns.", source: "secret" }),
    ])
    db = await openStateStore(dir)
    opened.defer(() => db.close())
    const engine = ruledEngine(plain, new RuleStore(db))
    const crawlerConfig = testConfig()
    const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
    queries = new QueryLog(db, 7)
    const admin = () => openAdmin({ db, engine, queries, jobs: new Jobs(db), crawlerConfig, engineConfig })
    app = opened.use(
      await serveAccounts({ engine, queries, admin, sourceNames: async () => ["manual", "secret"] }),
    )
  })
  afterEach(() => opened.disposeAsync())

  test("applies from its creation to its deletion, starting with the next question", async () => {
    expect(await found("impeller")).toEqual(["Impeller"])
    expect(await admin("POST", "", { id: "p", ...SYNONYM })).toMatchObject({
      status: 201,
      body: { version: 1 },
    })
    expect(await found("impeller")).toEqual(["Impeller", "Pump"])
    expect((await admin("POST", "", { id: "p", ...SYNONYM })).status).toBe(409)
    const other = { kind: "synonym", words: ["pump", "valve"] }
    expect(await admin("PUT", "/p", other)).toMatchObject({
      status: 200,
      body: { rule: { id: "p", ...other } },
    })
    expect(await found("impeller")).toEqual(["Impeller"])
    for (const id of ["", "other", null]) {
      expect(await admin("PUT", "/p", { id, ...other })).toMatchObject({
        status: 422,
        body: { detail: { error: expect.stringContaining("id must be p, as in the path") } },
      })
    }
    expect((await admin("PUT", "/p", { id: "p", ...other })).status).toBe(200)
    expect((await admin("GET", "")).body).toEqual({ version: 3, rules: [{ id: "p", ...other }] })
    expect((await admin("DELETE", "/p")).body).toMatchObject({ deleted: true })
    expect((await admin("GET", "/p")).status).toBe(404)
  })

  test("shows nobody a page outside their key's scope", async () => {
    await admin("PUT", "/pin", PIN)
    await admin("PUT", "/syn", SYNONYM)
    expect(await found("water")).toEqual(["Impeller", "Pump"])
    expect(await found("water", ["manual"])).toEqual(["Pump"])
    expect(await found("impeller", ["manual"])).toEqual(["Pump"])
  })

  test("is mentioned by explain", async () => {
    await admin("PUT", "/pin", PIN)
    const key = await app.key({ role: "admin" })
    const { body } = await app.call("/search", key, { query: "water", search_depth: "fast", explain: true })
    expect(body.results).toMatchObject([
      { explain: { rules: [{ id: "pin", kind: "pin", position: 1 }] } },
      { title: "Pump" },
    ])
  })

  test("can be tried before it is saved", async () => {
    const { body } = await admin("POST", "/preview", {
      questions: ["impeller", "pump"],
      rules: [
        { id: "boost", kind: "boost", where: { sources: ["manual"] }, factor: 2 },
        { id: "p", ...SYNONYM },
      ],
    })
    expect(body).toMatchObject({
      questions: [
        { question: "impeller", changed: true, before: [{ title: "Impeller" }] },
        { question: "pump", changed: true, before: [{ title: "Pump", rules: [] }] },
      ],
    })
    expect((await admin("GET", "")).body).toMatchObject({ rules: [] })
    await admin("PUT", "/p", SYNONYM)
    const without = await admin("POST", "/preview", { questions: ["impeller"], without: ["p"] })
    expect(without.body).toMatchObject({ questions: [{ after: [{ title: "Impeller" }], changed: true }] })
  })

  test("can be tried with the questions that were asked most", async () => {
    for (const query of ["impeller", "turns", "impeller"]) await found(query)
    const preview = (asked: object) =>
      admin("POST", "/preview", { rules: [{ id: "p", ...SYNONYM }], ...asked })
    const { body } = await preview({ logged: 1, questions: ["moves"] })
    expect(body).toMatchObject({
      questions: [
        { question: "moves", changed: false },
        { question: "impeller", changed: true },
      ],
    })
    // A question that is both given and in the log is asked only once, and a preview is not counted as a user's search.
    expect((await preview({ logged: 2, questions: ["turns"] })).body["questions"]).toHaveLength(2)
    expect(
      (await queries.report("top", { from: 0, before: Date.now() + 1, limit: 9, offset: 0 })).total,
    ).toBe(2)
    const many = Array.from({ length: 50 }, (_, i) => `question ${i}`)
    expect((await preview({ logged: 2, questions: many })).body["questions"]).toHaveLength(50)
    expect((await preview({})).body).toEqual({ questions: [] })
    expect((await preview({ logged: 51 })).status).toBe(422)
  })

  test("cannot be tried on past questions if none are stored", async () => {
    const off = new QueryLog(db, 0)
    const parts = { db, engine: new FakeEngine(), jobs: new Jobs(db), crawlerConfig: testConfig() }
    const engineConfig = readSettings(engineSettings, {})
    await using other = await serveAccounts({
      admin: () => openAdmin({ ...parts, engineConfig, queries: off }),
    })
    const { status, body } = await other.call("/admin/rules/preview", await other.key({ role: "admin" }), {
      logged: 5,
    })
    expect([status, body.detail.error]).toEqual([
      409,
      "No questions are kept: logged needs FOSSICK_QUERY_LOG_DAYS.",
    ])
  })

  const WRONG: readonly (readonly [object, string])[] = [
    [{ ...SYNONYM, words: ["one"] }, "words"],
    [{ kind: "synonym", from: ["a"] }, "words"],
    [{ ...SYNONYM, from: ["a"] }, "words"],
    [{ ...PIN, url: "ftp://x" }, "url"],
    [{ ...PIN, position: 51 }, "position"],
    [{ kind: "boost", where: {}, factor: 2 }, "where"],
    [{ kind: "boost", where: { types: ["doc"] }, factor: 2 }, "where.types"],
    [{ kind: "boost", where: { sources: ["a"] }, factor: 5 }, "factor"],
    [{ kind: "magic" }, "kind"],
    [{ ...PIN, colour: "red" }, "colour"],
  ]

  test("is rejected if it is wrong, naming the field", async () => {
    for (const [rule, field] of WRONG) {
      const { status, body } = await admin("PUT", "/wrong", rule)
      expect(status).toBe(422)
      const { problems } = body["detail"] as { readonly problems: readonly { readonly field: string }[] }
      expect(problems.map((one) => one.field).join(" ")).toContain(field)
    }
  })
})

describe("a rules file", () => {
  test("is exported as it was imported", () => {
    const rules = [
      { id: "a", ...SYNONYM },
      { id: "b", ...PIN },
    ]
    expect(parseRules(rulesText(rules as never), "rules.yaml")).toEqual(rules)
  })

  test("reports errors line by line", () => {
    const text = `rules:
  - id: a
    kind: synonym
    words: [pump]
  - id: a
    kind: boost
    where: { types: [doc] }
    factor: 9
  - kind: pin
rule: []
`
    const lines = (() => {
      try {
        parseRules(text, "rules.yaml")
        return []
      } catch (error) {
        return (error as Error).message.split("\n")
      }
    })()
    const at = (place: string, field: string) =>
      expect(lines.some((line) => line.startsWith(`rules.yaml:${place}:`) && line.includes(field))).toBe(true)
    at("4", "words")
    at("7", "where.types[0]")
    at("8", "factor")
    at("5", "id a appears twice")
    at("9", "questions is missing")
    at("10", "rule isn't a field")
  })

  test("is visible at once to a store that another process has open", async () => {
    await using own = new AsyncDisposableStack()
    const dir = await mkdtemp(path.join(tmpdir(), "fossick-rules-file-"))
    own.defer(() => rm(dir, { recursive: true }))
    const file = path.join(dir, "rules.yaml")
    await writeFile(file, rulesText([{ id: "a", ...SYNONYM } as never]))
    const [one, other] = [await openStateStore(dir), await openStateStore(dir)]
    own.defer(() => [one, other].forEach((each) => each.close()))
    const [writer, reader] = [new RuleStore(one), new RuleStore(other)]
    expect(await reader.list()).toEqual([])
    await writer.replaceAll([{ id: "a", ...SYNONYM } as never, { id: "b", ...PIN } as never])
    expect((await reader.list()).map(({ id }) => id)).toEqual(["a", "b"])
    expect(await writer.replaceAll([{ id: "b", ...PIN } as never])).toEqual(["a"])
    expect((await reader.list()).map(({ id }) => id)).toEqual(["b"])
  })
})
